// When a question is given up: when its time budget is over, by a clock that all threads share, or when its caller
// has gone, by a flag in shared memory.

import { ServiceError } from '../../../errors.ts';

/** It never changes, and is slow to look up. */
const { timeOrigin } = performance;

/** Milliseconds since 1970, with fractions; the same in every thread. */
function sharedNow(): number {
  return timeOrigin + performance.now();
}

/** One number: not 0 where the caller has gone. */
export type GoneFlag = Int32Array<SharedArrayBuffer>;

function goneFlag(): GoneFlag {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** When a question must be answered: by `sharedNow`, and the budget for the message. Both Infinity: no limit. */
export interface TimeLimit {
  readonly end: number;
  readonly budgetMs: number;
  /** null: the caller cannot go. */
  readonly gone: GoneFlag | null;
}

export class Deadline {
  /** What the other threads of the question go by. */
  readonly limit: TimeLimit;
  #looks = 0;

  constructor(limit: TimeLimit) {
    this.limit = limit;
  }

  /** From now on; Infinity: no limit. */
  static in(budgetMs: number, gone: GoneFlag | null = null): Deadline {
    return new Deadline({ end: sharedNow() + budgetMs, budgetMs, gone });
  }

  static never(): Deadline {
    return Deadline.in(Infinity);
  }

  /** Throws `query_timeout` when the time is over, and a CallerGone where nobody waits any more. */
  check(): void {
    const { end, budgetMs, gone } = this.limit;
    if (gone !== null && Atomics.load(gone, 0) !== 0) throw new CallerGone();
    if (sharedNow() < end) return;
    throw new ServiceError('query_timeout', `the query took longer than ${budgetMs} ms`, {
      retryAfter: 1,
    });
  }

  /** The same, looking at the clock at every 64th call only: for loops with steps of some microseconds. */
  step(): void {
    if ((this.#looks++ & 63) === 0) this.check();
  }
}

/** Ends the work on a question whose caller has gone: told to nobody. */
class CallerGone extends Error {
  constructor() {
    super('nobody waits for the answer any more');
    this.name = 'CallerGone';
  }
}

/**
 * An AbortSignal as other threads see it: a flag in memory that they share. Dispose of it: the signal may live longer
 * than what it was given for.
 */
export class AbortFlag implements Disposable {
  /** null where there is no signal: nothing need be looked at. */
  readonly gone: GoneFlag | null;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => {
    if (this.gone !== null) Atomics.store(this.gone, 0, 1);
  };

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.gone = signal === undefined ? null : goneFlag();
    if (signal?.aborted) this.#onAbort();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  [Symbol.dispose](): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}
