// The time budget of a question, counted by a clock that all threads share.

import { ServiceError } from '../../../errors.ts';

/** Milliseconds since 1970, with fractions; the same in every thread. */
export function sharedNow(): number {
  return performance.timeOrigin + performance.now();
}

/** When a question must be answered: by `sharedNow`, and the budget for the message. Both Infinity: no limit. */
export interface TimeLimit {
  readonly end: number;
  readonly budgetMs: number;
}

export class Deadline {
  readonly #end: number;
  readonly #budgetMs: number;
  #looks = 0;

  /** `end` by `sharedNow`; Infinity: no limit. `budgetMs` is for the message. */
  constructor(end: number, budgetMs: number) {
    this.#end = end;
    this.#budgetMs = budgetMs;
  }

  /** What the other threads of the question go by. */
  get limit(): TimeLimit {
    return { end: this.#end, budgetMs: this.#budgetMs };
  }

  /** From now on; Infinity: no limit. */
  static in(budgetMs: number): Deadline {
    return new Deadline(sharedNow() + budgetMs, budgetMs);
  }

  static never(): Deadline {
    return new Deadline(Infinity, Infinity);
  }

  /** Throws `query_timeout` when the time is over. */
  check(): void {
    if (sharedNow() < this.#end) return;
    throw new ServiceError('query_timeout', `the query took longer than ${this.#budgetMs} ms`, {
      retryAfter: 1,
    });
  }

  /** The same, looking at the clock at every 64th call only: for loops with steps of some microseconds. */
  step(): void {
    if ((this.#looks++ & 63) === 0) this.check();
  }
}
