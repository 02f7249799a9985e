// How far a removal has got, on standard error: one changing line on a terminal, otherwise a plain line now
// and then.

import type { RemovalProgress } from '../removals/remover.ts';

const LINE_EVERY_MS = 10_000;
const REDRAW_EVERY_MS = 200;

const WORDS: Readonly<Record<RemovalProgress['step'], string>> = {
  waiting: 'waiting for another removal to end',
  finding: 'found',
  listing: 'listed',
  hiding: 'removed',
  erasing: 'erasing removed texts from the files',
};

/** Writes nothing for a step that ends before it would be drawn. */
export class RemovalProgressLine {
  readonly #isTerminal = process.stderr.isTTY === true;
  #last = performance.now();
  #isDrawn = false;

  show({ step, done, total }: RemovalProgress): void {
    const now = performance.now();
    const isLong = step === 'waiting' || step === 'erasing';
    const every = this.#isTerminal ? REDRAW_EVERY_MS : LINE_EVERY_MS;
    if (!isLong && now - this.#last < every) return;
    this.#last = now;
    const number = (n: number) => n.toLocaleString('en');
    const share = total === null ? number(done) : `${number(done)} of ${number(total)}`;
    const line = isLong ? WORDS[step] : `${WORDS[step]}: ${share}`;
    this.clear();
    process.stderr.write(this.#isTerminal ? line : `${line}\n`);
    this.#isDrawn = this.#isTerminal;
  }

  /** Call it before printing anything else. */
  clear(): void {
    if (this.#isDrawn) process.stderr.write('\r\x1b[2K');
    this.#isDrawn = false;
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}
