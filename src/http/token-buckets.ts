// A bucket of tokens for each name: full at first, one token a use, filled at a steady pace. What is kept of a
// bucket is the time at which it will be full again, as in the generic cell rate algorithm (ITU-T I.371,
// annex A): of a full bucket nothing needs to be known.

import type { Clock, Limit } from './limit.ts';
import { LimitTable } from './limit-table.ts';

/** In tokens: what rounding times must not cost. */
const ROUNDING = 1e-6;

export interface BucketSize {
  /** Tokens of a full bucket, 1 or more. */
  readonly burst: number;
  /** In which one token comes. */
  readonly msOfToken: number;
}

export class TokenBuckets implements Limit {
  readonly #size: BucketSize;
  readonly #now: Clock;
  readonly #names: LimitTable;

  /** `places`: of how many names buckets are kept. */
  constructor(size: BucketSize, places: number, now: Clock) {
    this.#size = size;
    this.#now = now;
    this.#names = new LimitTable({ places, width: 0 });
  }

  get withoutRoom(): number {
    return this.#names.withoutRoom;
  }

  /** Milliseconds until the bucket has so many tokens; 0: it has. */
  msUntil(tokens: number, name: string): number {
    const { burst, msOfToken } = this.#size;
    const wait = this.#msUntilFull(name) - (burst - tokens) * msOfToken;
    return wait <= ROUNDING * msOfToken ? 0 : wait;
  }

  /** Whole tokens in the bucket. */
  left(name: string): number {
    const { burst, msOfToken } = this.#size;
    return Math.max(0, Math.floor(burst - this.#msUntilFull(name) / msOfToken + ROUNDING));
  }

  waitMs(name: string): number {
    return this.msUntil(1, name);
  }

  count(name: string): void {
    const now = this.#now();
    const place = this.#names.claim(name, now);
    this.#names.setUntil(place, Math.max(now, this.#names.until(place)) + this.#size.msOfToken);
  }

  giveBack(name: string): void {
    const place = this.#names.find(name, this.#now());
    if (place !== -1) this.#names.setUntil(place, this.#names.until(place) - this.#size.msOfToken);
  }

  #msUntilFull(name: string): number {
    const now = this.#now();
    const place = this.#names.find(name, now);
    return place === -1 ? 0 : this.#names.until(place) - now;
  }
}
