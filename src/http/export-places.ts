// How many exports run at once, of all keys and of each: each has a thread, and keeps a view of the index.

import { ServiceError } from '../errors.ts';

/** How many a key may have under way. */
export const MAX_EXPORTS_OF_KEY = 2;
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
  /** By key; none is 0. */
  readonly #taken = new Map<string | number, number>();

  /** How many all keys together may have under way. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** A place until it is disposed of, once or more often. Throws `too_many_exports`. */
  take(keyId: string | number): Disposable {
    const ofKey = this.#taken.get(keyId) ?? 0;
    if (ofKey >= MAX_EXPORTS_OF_KEY) throw this.#tooMany(`${MAX_EXPORTS_OF_KEY} exports of a key`);
    if (this.#all() >= this.#atOnce) {
      throw this.#tooMany(this.#atOnce === 1 ? '1 export' : `${this.#atOnce} exports`);
    }
    this.#taken.set(keyId, ofKey + 1);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#giveBack(keyId);
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

  #giveBack(keyId: string | number): void {
    const left = (this.#taken.get(keyId) ?? 0) - 1;
    if (left > 0) this.#taken.set(keyId, left);
    else this.#taken.delete(keyId);
  }
}

/** Work that is done one after the other, in the order in which it is asked for. */
export class OneByOne {
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects with the reason of the signal if it is aborted before the turn has come. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const turn = this.#last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
