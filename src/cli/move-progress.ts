// Progress of a move, in records.

import type { MoveProgress } from '../moving/move.ts';
import { duration, ProgressBar } from './progress-bar.ts';

const FORMAT = '{bar} {percentage}% | {done} of {all} records, {rate} a second | {left} left';

export class MoveProgressLine {
  readonly #bar = new ProgressBar(FORMAT, 'by command');
  #first: number | null = null;

  show({ done, total }: MoveProgress): void {
    // What an earlier run has copied says nothing about the rate of this one.
    this.#first ??= done;
    const words = {
      done: done.toLocaleString('en'),
      all: total.toLocaleString('en'),
      rate: Math.round((done - this.#first) / this.#bar.seconds).toLocaleString('en'),
      left: duration(this.#bar.secondsLeft(done, total)),
    };
    const share = total === 0 ? 100 : Math.floor((done / total) * 100);
    const line = `${words.done} of ${words.all} records (${share}%), ${words.rate} a second, ${words.left} left`;
    this.#bar.show(done, total, words, line);
  }

  /** See ProgressBar. */
  endWith(line: string): void {
    this.#bar.endWith(line);
  }

  [Symbol.dispose](): void {
    this.#bar[Symbol.dispose]();
  }
}
