// Progress of copying, in bytes.

import { duration, ProgressBar } from './progress-bar.ts';

const FORMAT = '{bar} {percentage}% | {done} of {all}, {rate} a second | {left} left';

export class ByteProgress {
  readonly #bar = new ProgressBar(FORMAT);

  show(bytes: number, totalBytes: number): void {
    const words = {
      done: gigabytes(bytes),
      all: gigabytes(totalBytes),
      rate: gigabytes(bytes / this.#bar.seconds),
      left: duration(this.#bar.secondsLeft(bytes, totalBytes)),
    };
    const line = `${words.done} of ${words.all}, ${words.rate} a second, ${words.left} left`;
    this.#bar.show(bytes, totalBytes, words, line);
  }

  [Symbol.dispose](): void {
    this.#bar[Symbol.dispose]();
  }
}

/** `0.3 MB`, `812.0 MB`, `12.34 GB`, in units of 10^6 and 10^9 bytes. */
export function gigabytes(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}
