// When the records of a kind came in: a number for each commit that brought some, and the time of each. The
// specification as code.

import { type ArrivalTime, UNCOUNTED } from '../../model/arrival-time.ts';

export class Arrivals {
  /** By id; what is not known is absent. */
  readonly numbers = new Map<string, number>();
  /** Unix seconds, by number. */
  readonly #times = new Map<number, number>();
  /** The last number. */
  #last = UNCOUNTED;

  get last(): number {
    return this.#last;
  }

  /** Behind which number a record comes in: its own; UNCOUNTED where it is not known. */
  of(id: string): number {
    return this.numbers.get(id) ?? UNCOUNTED;
  }

  /** Unix seconds. */
  timeOf(number: number): ArrivalTime {
    return this.#times.get(number) ?? null;
  }

  /**
   * Numbers a commit that puts records. `news`: the times of what of it came in, by id. `given`: the times that were
   * given with the batch, which have numbers of their own, up; the number of the commit itself comes behind them.
   */
  add(news: Readonly<Record<string, ArrivalTime>>, given: readonly number[], time: number): void {
    const numberOf = new Map(given.map((one) => [one, this.#add(one)]));
    const own = this.#add(time);
    for (const [id, at] of Object.entries(news)) {
      if (at === null) this.numbers.delete(id);
      else this.numbers.set(id, numberOf.get(at) ?? own);
    }
  }

  #add(time: number): number {
    this.#times.set(++this.#last, time);
    return this.#last;
  }
}
