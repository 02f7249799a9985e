// Progress of an import, in records and bytes of its sources.

import type { Progress } from '../ingest/importer.ts';
import { duration, ProgressBar } from './progress-bar.ts';

const FORMAT =
  '{bar} {percentage}% | {records} records{removed}{passedOver}, {rate} a second | {left} left | {source}';

export class ImportProgress {
  readonly #bar = new ProgressBar(FORMAT, 'by command');

  show({ source, read, removed, passedOver, bytes, totalBytes }: Progress): void {
    const words = {
      source,
      records: read.toLocaleString('en'),
      removed: removed === 0 ? '' : ` (${removed.toLocaleString('en')} skipped, removed before)`,
      passedOver: passedOver === 0 ? '' : ` (${passedOver.toLocaleString('en')} do not match)`,
      rate: Math.round(read / this.#bar.seconds).toLocaleString('en'),
      left: duration(this.#bar.secondsLeft(bytes, totalBytes)),
    };
    const share =
      totalBytes === null
        ? ''
        : `${Math.floor((100 * bytes) / Math.max(totalBytes, 1))} %, ${words.left} left, `;
    const line = `${share}${words.records} records${words.removed}${words.passedOver}, ${words.rate} a second, ${source}`;
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
