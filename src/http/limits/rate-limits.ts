// Limits on how often something may be done under a name: what they have in common, a limit for any window of time,
// a bucket of tokens, and the thinning of lines of the log.

import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import { LimitTable } from './limit-table.ts';

/** Milliseconds, 0 or more, never going back. */
export type Clock = () => number;

export interface Limit {
  /** Milliseconds until one more is allowed; 0: now. Counts nothing. */
  waitMs(name: string): number;
  /** Counts one, which `waitMs` has just allowed. */
  count(name: string): void;
  giveBack(name: string): void;
  /** How often a use found no room to be counted by itself. */
  readonly withoutRoom: number;
}

export interface LimitFigures {
  readonly refused: number;
  /** Uses that were counted together with those of another name, because there was no room. */
  readonly withoutRoom: number;
}

/** One use, as one of several limits counts it. */
export interface Use {
  readonly limit: Limit;
  readonly name: string;
}

/** Counts one in all limits or in none. Returns 0, or the milliseconds to wait. */
export function take(uses: readonly Use[]): number {
  const wait = Math.max(...uses.map(({ limit, name }) => limit.waitMs(name)));
  if (wait === 0) for (const { limit, name } of uses) limit.count(name);
  return wait;
}

/** Whole seconds, for `Retry-After` and for people. */
export function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

/** Of how many names uses are kept where nothing else is said. 2 MB with 10 uses in a window, 8 MB with 60. */
const PLACES = 2 ** 14;

/** A limit for any window of time, to the millisecond. Keeps `max` times a name: when each use leaves the window. */
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

/** In tokens: what rounding times must not cost. */
const ROUNDING = 1e-6;

export interface BucketSize {
  /** Tokens of a full bucket, 1 or more. */
  readonly burst: number;
  readonly msOfToken: number;
}

/**
 * A bucket of tokens for each name: full at first, one token a use, filled at a steady pace. What is kept of a
 * bucket is the time at which it will be full again, as in the generic cell rate algorithm (ITU-T I.371, annex A):
 * of a full bucket nothing needs to be known.
 */
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

/** For events that may come thousands of times a second, of which the log tells some. */
export class Thinned {
  readonly #everyMs: number;
  readonly #now: () => number;
  #toldMs = -Infinity;
  #passedOver = 0;

  /** `everyMs`: between two that are told; `now` gives milliseconds and never goes back. */
  constructor(everyMs: number, now: () => number = () => performance.now()) {
    this.#everyMs = everyMs;
    this.#now = now;
  }

  /** How many have been passed over since the last one that was told; null: this one is passed over too. */
  next(): number | null {
    const now = this.#now();
    if (now - this.#toldMs < this.#everyMs) {
      this.#passedOver++;
      return null;
    }
    const passedOver = this.#passedOver;
    this.#toldMs = now;
    this.#passedOver = 0;
    return passedOver;
  }
}

/** How many names are remembered; the one that was first asked for makes way. */
const MAX_NAMES = 10_000;

/** The same for each name, so that one with many events hides no other. */
export class ThinnedByName {
  readonly #everyMs: number;
  readonly #names = new Map<string, Thinned>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  next(name: string): number | null {
    const known = this.#names.get(name);
    if (known !== undefined) return known.next();
    const [first] = this.#names.keys();
    if (this.#names.size >= MAX_NAMES) this.#names.delete(first!);
    const thinned = new Thinned(this.#everyMs);
    this.#names.set(name, thinned);
    return thinned.next();
  }
}

/** How many used forms are remembered. */
const MAX_REMEMBERED = 10_000;

/** Forms that are accepted once: a form sent twice (a double click, a page loaded again) must not make two keys. */
export class UsedOnce {
  readonly #used = new Set<string>();

  /** A number for a form, to be sent back with it. */
  newNumber(): string {
    return randomBytes(16).toString('base64url');
  }

  /** False: this account has sent the form before. Forms without a number cannot be told apart. */
  use(accountId: number, number: string): boolean {
    if (number === '') return true;
    const name = `${accountId} ${number.slice(0, 64)}`;
    if (this.#used.has(name)) return false;
    this.#used.add(name);
    if (this.#used.size > MAX_REMEMBERED) {
      const [oldest] = this.#used;
      this.#used.delete(oldest!);
    }
    return true;
  }
}
