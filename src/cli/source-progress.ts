// Progress of an import or a filter, in bytes of its sources.

import { duration, ProgressBar } from './progress-bar.ts';

const FORMAT = '{bar} {percentage}% | {counts}, {rate} a second | {left} left | {source}';

interface SourcesRead {
  readonly source: string;
  /** Records, of all sources so far. */
  readonly read: number;
  readonly bytes: number;
  /** null: not known. */
  readonly totalBytes: number | null;
}

export class SourceProgress {
  readonly #bar = new ProgressBar(FORMAT, 'by command');

  /** `counts`: what has been read so far, in words. */
  show({ source, read, bytes, totalBytes }: SourcesRead, counts: string): void {
    const rate = Math.round(read / this.#bar.seconds).toLocaleString('en');
    const left = duration(this.#bar.secondsLeft(bytes, totalBytes));
    const share =
      totalBytes === null ? '' : `${Math.floor((100 * bytes) / Math.max(totalBytes, 1))} %, ${left} left, `;
    const line = `${share}${counts}, ${rate} a second, ${source}`;
    this.#bar.show(bytes, totalBytes, { source, counts, rate, left }, line);
  }

  /** Writes a line under which nothing is drawn any more. */
  endWith(line: string): void {
    this.#bar.endWith(line);
  }

  [Symbol.dispose](): void {
    this.#bar[Symbol.dispose]();
  }
}
