// Progress of an export, in records.

import { duration, ProgressBar } from './progress-bar.ts';

const FORMAT = '{bar} {percentage}% | {records}, {rate} a second | {left} left';

export interface RecordsDone {
  readonly done: number;
  readonly total: number;
  /** Whether they are held against what an earlier run wrote. */
  readonly isCompared: boolean;
}

export class ExportProgress {
  readonly #bar = new ProgressBar(FORMAT, 'by command');
  /** What was there when it was first shown is no work of this run. */
  #first: number | null = null;

  show({ done, total, isCompared }: RecordsDone): void {
    this.#first ??= done;
    const rate = Math.round((done - this.#first) / this.#bar.seconds).toLocaleString('en');
    const left = duration(this.#bar.secondsLeft(done, total));
    const share = Math.floor((100 * done) / Math.max(total, 1));
    const what = isCompared ? ' compared with the part' : '';
    const records = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}${what}`;
    const line = `${share} %, ${left} left, ${records}, ${rate} a second`;
    this.#bar.show(done, total, { records, rate, left }, line);
  }

  /** Writes a line under which nothing is drawn any more. */
  endWith(line: string): void {
    this.#bar.endWith(line);
  }

  [Symbol.dispose](): void {
    this.#bar[Symbol.dispose]();
  }
}
