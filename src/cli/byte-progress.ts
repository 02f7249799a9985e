// Progress of copying on standard error: a bar on a terminal, else a plain line now and then.

import { Presets, SingleBar } from 'cli-progress';
import { duration } from './import-progress.ts';

const LINE_EVERY_MS = 10_000;
const FORMAT = '{bar} {percentage}% | {done} of {all}, {rate} a second | {left} left';

/** Writes nothing until there is something to tell. */
export class ByteProgress {
  readonly #started = performance.now();
  readonly #bar: SingleBar | null;
  #isBarShown = false;
  #lastLine = performance.now();

  constructor() {
    this.#bar = process.stderr.isTTY
      ? new SingleBar(
          { format: FORMAT, stream: process.stderr, hideCursor: true, fps: 5, clearOnComplete: true },
          Presets.shades_classic,
        )
      : null;
  }

  show(bytes: number, totalBytes: number): void {
    const words = this.#words(bytes, totalBytes);
    if (this.#bar !== null) {
      if (!this.#isBarShown) this.#bar.start(totalBytes, 0, words);
      this.#isBarShown = true;
      this.#bar.update(bytes, words);
      return;
    }
    const now = performance.now();
    if (now - this.#lastLine < LINE_EVERY_MS) return;
    this.#lastLine = now;
    process.stderr.write(`${words.done} of ${words.all}, ${words.rate} a second, ${words.left} left\n`);
  }

  [Symbol.dispose](): void {
    if (this.#isBarShown) this.#bar?.stop();
    this.#isBarShown = false;
  }

  #words(bytes: number, totalBytes: number): Record<'done' | 'all' | 'rate' | 'left', string> {
    const seconds = Math.max((performance.now() - this.#started) / 1000, 0.001);
    return {
      done: gigabytes(bytes),
      all: gigabytes(totalBytes),
      rate: gigabytes(bytes / seconds),
      left: bytes === 0 ? '?' : duration((seconds / bytes) * (totalBytes - bytes)),
    };
  }
}

/** `0.3 MB`, `812.0 MB`, `12.34 GB`: of 10^6 and 10^9 bytes. */
export function gigabytes(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
