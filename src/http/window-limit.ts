// A limit on the number within any window of time, to the millisecond.

import { ServiceError } from '../errors.ts';
import { type Clock, type Limit, seconds, take } from './limit.ts';
import { LimitTable } from './limit-table.ts';

/** Of how many names uses are kept where nothing else is said. 2 MB with 10 uses in a window, 8 MB with 60. */
const PLACES = 2 ** 14;

/** Keeps of each use when it leaves the window: the numbers of a name are `max` such times. */
export class WindowLimit implements Limit {
  readonly #windowMs: number;
  readonly #now: Clock;
  readonly #names: LimitTable;

  /** At most `max` uses in any window; `places`: of how many names they are kept. */
  constructor(max: number, windowMs: number, now: Clock, places = PLACES) {
    this.#windowMs = windowMs;
    this.#now = now;
    this.#names = new LimitTable({ places, width: max });
  }

  get withoutRoom(): number {
    return this.#names.withoutRoom;
  }

  /** Counts one and returns 0; or counts none and returns the milliseconds to wait. */
  take(name: string): number {
    return take([{ limit: this, name }]);
  }

  /** Counts one. `most`: what is at most an hour, in words. Throws `too_many_requests`. */
  expect(name: string, most: string): void {
    const waitMs = this.take(name);
    if (waitMs === 0) return;
    const retryAfter = seconds(waitMs);
    throw new ServiceError(
      'too_many_requests',
      `expected at most ${most} an hour, found one more; try again in ${retryAfter} s`,
      { retryAfter },
    );
  }

  waitMs(name: string): number {
    const now = this.#now();
    const place = this.#names.find(name, now);
    return place === -1 ? 0 : Math.max(0, Math.min(...this.#names.numbers(place)) - now);
  }

  count(name: string): void {
    const now = this.#now();
    const place = this.#names.claim(name, now);
    const ends = this.#names.numbers(place);
    ends[ends.indexOf(Math.min(...ends))] = now + this.#windowMs;
    this.#names.setUntil(place, now + this.#windowMs);
  }

  giveBack(name: string): void {
    const place = this.#names.find(name, this.#now());
    if (place === -1) return;
    const ends = this.#names.numbers(place);
    ends[ends.indexOf(Math.max(...ends))] = 0;
    this.#names.setUntil(place, Math.max(...ends));
  }
}
