// How far long work has come, on standard error: a bar on a terminal, else a plain line now and then.

import { Presets, SingleBar } from 'cli-progress';

const LINE_EVERY_MS = 10_000;

/** Writes nothing until there is something to tell. */
export class ProgressBar {
  readonly #started = performance.now();
  readonly #bar: SingleBar | null;
  #isShown = false;
  #lastLine = performance.now();

  /** `format` as cli-progress takes it: `{bar}`, `{percentage}` and the names of the words. */
  constructor(format: string) {
    this.#bar = process.stderr.isTTY
      ? new SingleBar(
          { format, stream: process.stderr, hideCursor: true, fps: 5, clearOnComplete: true },
          Presets.shades_classic,
        )
      : null;
  }

  /** Since it was made; never 0. */
  get seconds(): number {
    return Math.max((performance.now() - this.#started) / 1000, 0.001);
  }

  /** Seconds until all is done at the present rate; null where that cannot be told. */
  secondsLeft(done: number, total: number | null): number | null {
    return total === null || done === 0 ? null : (this.seconds / done) * (total - done);
  }

  /** `total` null: how much there is, is not known; then `line` is all there is to show. */
  show(done: number, total: number | null, words: Readonly<Record<string, string>>, line: string): void {
    if (this.#bar !== null && total !== null) {
      if (!this.#isShown) this.#bar.start(total, 0, words);
      this.#isShown = true;
      this.#bar.update(done, words);
      return;
    }
    const now = performance.now();
    if (now - this.#lastLine < LINE_EVERY_MS) return;
    this.#lastLine = now;
    process.stderr.write(`${line}\n`);
  }

  [Symbol.dispose](): void {
    if (this.#isShown) this.#bar?.stop();
    this.#isShown = false;
  }
}

/** `45s`, `12m05s`, `3h20m`; `?` where it is not known. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '?';
  const whole = Math.ceil(seconds);
  const two = (n: number) => String(n).padStart(2, '0');
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`;
}
