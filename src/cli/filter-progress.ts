// Progress of `filter`, in bytes of its sources.

import type { FilterProgress } from '../ingest/filter/filter.ts';
import { duration, ProgressBar } from './progress-bar.ts';

const FORMAT = '{bar} {percentage}% | {matched} of {read} match, {rate} a second | {left} left | {source}';

export class FilterProgressBar {
  readonly #bar = new ProgressBar(FORMAT, 'by command');

  show({ source, read, matched, bytes, totalBytes }: FilterProgress): void {
    const words = {
      source,
      matched: matched.toLocaleString('en'),
      read: read.toLocaleString('en'),
      rate: Math.round(read / this.#bar.seconds).toLocaleString('en'),
      left: duration(this.#bar.secondsLeft(bytes, totalBytes)),
    };
    const share =
      totalBytes === null
        ? ''
        : `${Math.floor((100 * bytes) / Math.max(totalBytes, 1))} %, ${words.left} left, `;
    const line = `${share}${words.matched} of ${words.read} match, ${words.rate} a second, ${source}`;
    this.#bar.show(bytes, totalBytes, words, line);
  }

  /** Writes a line under which nothing is drawn any more. */
  endWith(line: string): void {
    this.#bar.endWith(line);
  }

  [Symbol.dispose](): void {
    this.#bar[Symbol.dispose]();
  }
}
