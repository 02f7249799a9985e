// How many exports run at once, of all accounts and of each: each has a thread, and keeps a view of the index.

import { ServiceError } from '../errors.ts';
import type { CallerName } from './caller-name.ts';

/** How many an account may have under way, by all its keys and its pages. */
export const MAX_EXPORTS_OF_ACCOUNT = 2;
/** Seconds, for `Retry-After`: nobody knows how long the others take. */
const RETRY_AFTER = 30;

export interface ExportFigures {
  readonly underWay: number;
  readonly atOnce: number;
  /** Since the start. */
  readonly refused: number;
}

export class ExportPlaces {
  readonly #atOnce: number;
  #refused = 0;
  /** None is 0. */
  readonly #taken = new Map<CallerName, number>();

  /** How many all accounts together may have under way. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** A place until it is disposed of, once or more often. Throws `too_many_exports`. */
  take(caller: CallerName): Disposable {
    const own = this.#taken.get(caller) ?? 0;
    if (own >= MAX_EXPORTS_OF_ACCOUNT) throw this.#tooMany(`${MAX_EXPORTS_OF_ACCOUNT} exports of an account`);
    if (this.#all() >= this.#atOnce) {
      throw this.#tooMany(this.#atOnce === 1 ? '1 export' : `${this.#atOnce} exports`);
    }
    this.#taken.set(caller, own + 1);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#giveBack(caller);
        isTaken = false;
      },
    };
  }

  figures(): ExportFigures {
    return { underWay: this.#all(), atOnce: this.#atOnce, refused: this.#refused };
  }

  #all(): number {
    return this.#taken.values().reduce((sum, taken) => sum + taken, 0);
  }

  #tooMany(limit: string): ServiceError {
    this.#refused++;
    const message = `expected at most ${limit} at once, found one more; try again when one has ended`;
    return new ServiceError('too_many_exports', message, { retryAfter: RETRY_AFTER });
  }

  #giveBack(caller: CallerName): void {
    const left = (this.#taken.get(caller) ?? 0) - 1;
    if (left > 0) this.#taken.set(caller, left);
    else this.#taken.delete(caller);
  }
}
