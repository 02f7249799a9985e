// Failures at something by name, and the waits that grow with them. Contract 7.4.

import type { Clock } from '../limit.ts';
import { LimitTable } from '../limit-table.ts';

export interface FailureRules {
  /** How many failures within a window begin a wait. */
  readonly max: number;
  readonly windowMs: number;
  /** Doubles with each further failure, up to the window. */
  readonly firstWaitMs: number;
}

/** What is kept of a name; behind it stands when each of its last failures leaves the window. */
const [WAITS, LOCKED_UNTIL, ENDS] = [0, 1, 2];

/**
 * A window after the last failure and its wait, everything is forgotten. Names for which there is no room have
 * no failures: they share no wait with others, and nobody else is forgotten for them.
 */
export class Failures {
  readonly #rules: FailureRules;
  readonly #now: Clock;
  readonly #names: LimitTable;

  /** `places`: of how many names failures are kept. */
  constructor(rules: FailureRules, places: number, now: Clock) {
    this.#rules = rules;
    this.#now = now;
    this.#names = new LimitTable({ places, width: ENDS + rules.max }, 'no place');
  }

  get withoutRoom(): number {
    return this.#names.withoutRoom;
  }

  /** Milliseconds until an attempt is allowed; 0: now. */
  waitMs(name: string): number {
    const now = this.#now();
    const place = this.#names.find(name, now);
    return place === -1 ? 0 : Math.max(0, this.#names.numbers(place)[LOCKED_UNTIL]! - now);
  }

  count(name: string): void {
    const now = this.#now();
    const place = this.#names.claim(name, now);
    if (place === -1) return;
    const { windowMs, firstWaitMs } = this.#rules;
    const numbers = this.#names.numbers(place);
    const ends = numbers.subarray(ENDS);
    const waits = numbers[WAITS]!;
    if (waits === 0) ends[ends.indexOf(Math.min(...ends))] = now + windowMs;
    if (Math.min(...ends) > now || waits > 0) {
      numbers[LOCKED_UNTIL] = now + Math.min(firstWaitMs * 2 ** waits, windowMs);
      numbers[WAITS] = waits + 1;
    }
    this.#settle(place);
  }

  /** Takes back the last failure, and the wait that it began. */
  takeBack(name: string): void {
    const now = this.#now();
    const place = this.#names.find(name, now);
    if (place === -1) return;
    const numbers = this.#names.numbers(place);
    const ends = numbers.subarray(ENDS);
    if (numbers[WAITS]! > 0) {
      numbers[WAITS]! -= 1;
      numbers[LOCKED_UNTIL] = Math.min(numbers[LOCKED_UNTIL]!, now);
    }
    if (numbers[WAITS] === 0) ends[ends.indexOf(Math.max(...ends))] = 0;
    this.#settle(place);
  }

  forget(name: string): void {
    const place = this.#names.find(name, this.#now());
    if (place !== -1) this.#names.setUntil(place, 0);
  }

  #settle(place: number): void {
    const numbers = this.#names.numbers(place);
    const until =
      numbers[WAITS]! > 0
        ? numbers[LOCKED_UNTIL]! + this.#rules.windowMs
        : Math.max(...numbers.subarray(ENDS));
    this.#names.setUntil(place, until);
  }
}
