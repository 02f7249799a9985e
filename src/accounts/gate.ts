// A gate that lets a few pieces of work through at once. The others wait in one of two lanes, and what is beyond
// the end of a lane is refused.

import { ServiceError } from '../errors.ts';

/** Whoever is known here goes first; strangers follow when no such work waits. */
export type Lane = 'known' | 'strangers';

export interface GateFigures {
  readonly running: number;
  readonly waiting: number;
  /** So many were let through, or refused, since the start. */
  readonly admitted: number;
  readonly refused: number;
}

/** Seconds after which a caller who was refused may come again. */
export const BUSY_RETRY_AFTER = 5;

export class Gate {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: Readonly<Record<Lane, (() => void)[]>> = { known: [], strangers: [] };
  #running = 0;
  #admitted = 0;
  #refused = 0;

  /** `maxWaiting` holds for each lane. */
  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * True if `run` would throw `busy`; counts as a refusal. It costs next to nothing, so that it can be asked before a
   * request is read.
   */
  refuses(lane: Lane): boolean {
    if (this.#running < this.#atOnce || this.#waiting[lane].length < this.#maxWaiting) return false;
    this.#refused++;
    return true;
  }

  /** Runs `work` in its turn, in each lane first come, first served. Throws `busy` if the lane is full. */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.refuses(lane)) {
      throw new ServiceError(
        'busy',
        `expected at most ${this.#maxWaiting} callers who wait for a password to be checked, found more`,
        { retryAfter: BUSY_RETRY_AFTER },
      );
    }
    this.#admitted++;
    if (this.#running < this.#atOnce) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting[lane].push(resolve));
    try {
      return await work();
    } finally {
      // The place is handed on, not given back, so that nobody slips in between.
      const next = this.#waiting.known.shift() ?? this.#waiting.strangers.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  figures(): GateFigures {
    const { known, strangers } = this.#waiting;
    return {
      running: this.#running,
      waiting: known.length + strangers.length,
      admitted: this.#admitted,
      refused: this.#refused,
    };
  }
}
