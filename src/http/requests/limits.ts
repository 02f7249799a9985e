// Rate limits: the table that keeps their counts, limits by sliding window and by token bucket, and the limits of
// networks and accounts.
//
// A name is an account, a network, or both. Attackers can make up any number of names, so the table has a fixed size
// and every step a fixed cost. A hash with a secret assigns each name to a row of 32 places, so that nobody can aim at
// the row of another name:
//
//     row:    place 0   place 1   …   place 31
//     place:  two words of the hash, the time until which something counts, numbers of the limit
//
// A place is reused only once nothing counts there, so filling the table makes it forget no name. If its row is full, a
// name shares one fixed place with another name, and uses of either count for both. It may then be refused early, but
// never gets more than its limit. It keeps the shared count when it gets a place of its own. Limits that must not
// refuse strangers for others' uses give such a name no place (`atEnd`).

import { hash, randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { type CallerName, isLoopback, widerNetworks } from './caller.ts';

const PLACES_OF_ROW = 32;

interface LimitTableSize {
  readonly places: number;
  readonly width: number;
}

interface Home {
  readonly row: number;
  /** The place to share if the row is full. */
  readonly standIn: number;
  readonly high: number;
  readonly low: number;
}

const NOWHERE: Home = { row: 0, standIn: 0, high: 0, low: 0 };

export class LimitTable {
  readonly #size: LimitTableSize;
  readonly #atEnd: 'share' | 'no place';
  readonly #secret = randomBytes(16).toString('hex');
  #marks = new Uint32Array(0);
  #until = new Float64Array(0);
  #numbers = new Float64Array(0);
  #isShared = new Uint8Array(0);
  #last: { readonly name: string | null; readonly home: Home } = { name: null, home: NOWHERE };

  constructor(size: LimitTableSize, atEnd: 'share' | 'no place' = 'share') {
    this.#size = size;
    this.#atEnd = atEnd;
  }

  /** The place of a name, its own or a shared one; -1: nothing counts. `now` is 0 or more. */
  find(name: string, now: number): number {
    if (this.#until.length === 0) return -1;
    const home = this.#homeOf(name);
    const own = this.#own(home, now);
    if (own !== -1) return own;
    const mustShare = this.#atEnd === 'share' && this.#free(home, now) === -1;
    return mustShare || this.#sharesStandIn(home, now) ? home.standIn : -1;
  }

  /** The place of a name, or a new one with numbers 0; the caller must set `until`. -1: full, with `no place`. */
  claim(name: string, now: number): number {
    if (this.#until.length === 0) this.#open();
    const home = this.#homeOf(name);
    const own = this.#own(home, now);
    if (own !== -1) return own;
    const free = this.#free(home, now);
    if (free !== -1) {
      this.#give(free, home, now);
      return free;
    }
    if (this.#atEnd === 'no place') return -1;
    this.#isShared[home.standIn] = 1;
    return home.standIn;
  }

  /** The time until which something counts at a place. */
  until(place: number): number {
    return this.#until[place]!;
  }

  setUntil(place: number, until: number): void {
    this.#until[place] = until;
  }

  numbers(place: number): Float64Array {
    const { width } = this.#size;
    return this.#numbers.subarray(place * width, (place + 1) * width);
  }

  /** The system provides memory only for pages that are written. */
  #open(): void {
    const { places, width } = this.#size;
    this.#marks = new Uint32Array(2 * places);
    this.#until = new Float64Array(places);
    this.#numbers = new Float64Array(places * width);
    this.#isShared = new Uint8Array(places);
  }

  #homeOf(name: string): Home {
    // A limit calls `find` and then `claim` with the same name.
    if (name === this.#last.name) return this.#last.home;
    const digest = hash('sha256', `${this.#secret}${name}`, 'buffer');
    const row = (digest.readUInt32LE(0) % (this.#size.places / PLACES_OF_ROW)) * PLACES_OF_ROW;
    const home = {
      row,
      standIn: row + (digest[4]! % PLACES_OF_ROW),
      high: digest.readUInt32LE(8),
      low: digest.readUInt32LE(12),
    };
    this.#last = { name, home };
    return home;
  }

  #own({ row, high, low }: Home, now: number): number {
    for (let place = row; place < row + PLACES_OF_ROW; place++) {
      if (this.#marks[2 * place] !== high || this.#marks[2 * place + 1] !== low) continue;
      if (this.#until[place]! > now) return place;
    }
    return -1;
  }

  #free({ row }: Home, now: number): number {
    for (let place = row; place < row + PLACES_OF_ROW; place++) if (this.#until[place]! <= now) return place;
    return -1;
  }

  #sharesStandIn({ standIn }: Home, now: number): boolean {
    return this.#isShared[standIn] === 1 && this.#until[standIn]! > now;
  }

  #give(place: number, home: Home, now: number): void {
    const numbers = this.numbers(place);
    if (this.#sharesStandIn(home, now)) {
      this.#until[place] = this.#until[home.standIn]!;
      numbers.set(this.numbers(home.standIn));
    } else {
      this.#until[place] = 0;
      numbers.fill(0);
    }
    this.#marks[2 * place] = home.high;
    this.#marks[2 * place + 1] = home.low;
    this.#isShared[place] = 0;
  }
}

export interface Limit {
  /** Milliseconds until one more is allowed; 0: now. Counts nothing. */
  waitMs(name: string): number;
  /** Counts a use that `waitMs` has just allowed. */
  count(name: string): void;
  giveBack(name: string): void;
}

export interface Use {
  readonly limit: Limit;
  readonly name: string;
}

/** Counts a use in all limits and returns 0, or counts none and returns the milliseconds to wait. */
export function take(uses: readonly Use[]): number {
  const wait = Math.max(...uses.map(({ limit, name }) => limit.waitMs(name)));
  if (wait === 0) for (const { limit, name } of uses) limit.count(name);
  return wait;
}

/** Whole seconds, for `Retry-After` and for people. */
export function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

/** `words`: what was expected and found. */
function tooMany(words: string, waitMs: number): ServiceError {
  const retryAfter = seconds(waitMs);
  return new ServiceError('too_many_requests', `${words}; try again in ${retryAfter} s`, { retryAfter });
}

/** Default number of names: 2 MB with 10 uses in a window, 8 MB with 60. */
const PLACES = 2 ** 14;

/** A sliding window, to the millisecond. Keeps `max` times for each name: when each use leaves the window. */
export class WindowLimit implements Limit {
  readonly #windowMs: number;
  readonly #names: LimitTable;

  /** At most `max` uses in any window; `places`: number of names. */
  constructor(max: number, windowMs: number, places = PLACES) {
    this.#windowMs = windowMs;
    this.#names = new LimitTable({ places, width: max });
  }

  /** Counts one and returns 0; or counts none and returns the milliseconds to wait. */
  take(name: string): number {
    return take([{ limit: this, name }]);
  }

  /** Counts one. `most`: the limit of an hour, in words. Throws `too_many_requests`. */
  expect(name: string, most: string): void {
    const waitMs = this.take(name);
    if (waitMs > 0) throw tooMany(`expected at most ${most} an hour, found one more`, waitMs);
  }

  waitMs(name: string): number {
    const now = performance.now();
    const place = this.#names.find(name, now);
    return place === -1 ? 0 : Math.max(0, Math.min(...this.#names.numbers(place)) - now);
  }

  count(name: string): void {
    const now = performance.now();
    const place = this.#names.claim(name, now);
    const ends = this.#names.numbers(place);
    ends[ends.indexOf(Math.min(...ends))] = now + this.#windowMs;
    this.#names.setUntil(place, now + this.#windowMs);
  }

  giveBack(name: string): void {
    const place = this.#names.find(name, performance.now());
    if (place === -1) return;
    const ends = this.#names.numbers(place);
    ends[ends.indexOf(Math.max(...ends))] = 0;
    this.#names.setUntil(place, Math.max(...ends));
  }
}

/** Tokens; tolerance for rounded times. */
const ROUNDING = 1e-6;

export interface BucketSize {
  /** Tokens of a full bucket, 1 or more. */
  readonly burst: number;
  readonly msOfToken: number;
}

/**
 * A token bucket for each name. Keeps only the time at which the bucket will be full again (generic cell rate
 * algorithm, ITU-T I.371, annex A); a full bucket needs no place.
 */
export class TokenBuckets implements Limit {
  readonly #size: BucketSize;
  readonly #names: LimitTable;

  /** `places`: number of names. */
  constructor(size: BucketSize, places: number) {
    this.#size = size;
    this.#names = new LimitTable({ places, width: 0 });
  }

  /** Milliseconds until the bucket has this many tokens; 0: now. */
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
    const now = performance.now();
    const place = this.#names.claim(name, now);
    this.#names.setUntil(place, Math.max(now, this.#names.until(place)) + this.#size.msOfToken);
  }

  giveBack(name: string): void {
    const place = this.#names.find(name, performance.now());
    if (place !== -1) this.#names.setUntil(place, this.#names.until(place) - this.#size.msOfToken);
  }

  #msUntilFull(name: string): number {
    const now = performance.now();
    const place = this.#names.find(name, now);
    return place === -1 ? 0 : this.#names.until(place) - now;
  }
}

/** The limits of a /56 and of a /48, as multiples of that of one network. */
const WIDER_LIMITS = [4, 16] as const;

/** Searches cost an attacker nothing: room for a million networks, in 36 MB. */
const BUCKET_PLACES = 2 ** 21;

/** Each use costs a password hash, so that few come in a window: 12 MB with 10 of them, 23 MB with 20. */
const WINDOW_PLACES = 2 ** 17;

/** For each width: 4 MB. */
const WIDER_PLACES = 2 ** 18;

/**
 * A limit for each network, and larger ones for its /56 and its /48. Providers give a site a /56 or a /48 (RIPE-690,
 * RFC 6177), so an attacker could otherwise use many /64s in turn. Other providers give each server or phone its own
 * /64 (RFC 6459): neighbouring /64s may belong to strangers, so the wider limits are larger. Let's Encrypt counts in
 * two widths for the same reasons (https://community.letsencrypt.org/t/37175).
 */
export class NetworkLimit {
  readonly #own: Limit;
  readonly #wider: readonly TokenBuckets[];

  /** The buckets of wider networks are multiples of this size. */
  constructor(own: Limit, { burst, msOfToken }: BucketSize) {
    this.#own = own;
    this.#wider = WIDER_LIMITS.map(
      (times) => new TokenBuckets({ burst: burst * times, msOfToken: msOfToken / times }, WIDER_PLACES),
    );
  }

  /** Counts one and returns 0; or counts none and returns the milliseconds to wait. `network` as of a Visitor. */
  take(network: string): number {
    return take(this.#uses(network));
  }

  giveBack(network: string): void {
    for (const { limit, name } of this.#uses(network)) limit.giveBack(name);
  }

  #uses(network: string): readonly Use[] {
    const wider = widerNetworks(network).map((name, at) => ({ limit: this.#wider[at]!, name }));
    return [{ limit: this.#own, name: network }, ...wider];
  }
}

export function networkBuckets(size: BucketSize): NetworkLimit {
  return new NetworkLimit(new TokenBuckets(size, BUCKET_PLACES), size);
}

/** A sliding window for each network. Wider networks have buckets that fill in the time of a window. */
export function networkWindow(max: number, windowMs: number): NetworkLimit {
  const bucket = { burst: max, msOfToken: windowMs / max };
  return new NetworkLimit(new WindowLimit(max, windowMs, WINDOW_PLACES), bucket);
}

/** The default for a server that is not bound to loopback. */
const DEFAULT_REQUESTS_PER_MINUTE = 600;

/** A full bucket holds a sixth of a minute's requests: 100 of 600. */
const MINUTE_TO_BURST = 6;

const WINDOW_SECONDS = 60;

/** Accounts with requests within a minute. 2 MB. */
const ACCOUNT_PLACES = 2 ** 17;

/** Counts one. `what`: for the message. Throws `too_many_requests`. */
export function limitNetwork(limit: NetworkLimit, network: string, what = 'requests'): void {
  const waitMs = limit.take(network);
  if (waitMs > 0) throw tooMany(`expected fewer ${what} from one network, found one too many`, waitMs);
}

/** The limit in force. `setting` null: the default; 0: no limit. */
export function requestsPerMinute(setting: number | null, host: string): number {
  return setting ?? (isLoopback(host) ? 0 : DEFAULT_REQUESTS_PER_MINUTE);
}

interface Allowance {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<'RateLimit' | 'RateLimit-Policy', string>>;
  /** Until a request is allowed again; 0 if one is allowed now. */
  readonly waitMs: number;
}

/**
 * The rate limit of accounts: a token bucket for all keys and sessions of an account, reported in the headers of
 * draft-ietf-httpapi-ratelimit-headers-10. Contract 7.4 and 15.1.
 */
export class RateLimiter {
  readonly perMinute: number;
  readonly #burst: number;
  /** The draft's section 3: size of the bucket, seconds to fill it, and requests a minute. */
  readonly #policy: string;
  readonly #buckets: TokenBuckets;

  /** `perMinute` is above 0. */
  constructor(perMinute: number) {
    this.perMinute = perMinute;
    this.#burst = Math.max(1, Math.round(perMinute / MINUTE_TO_BURST));
    const fillSeconds = Math.ceil((this.#burst * WINDOW_SECONDS) / perMinute);
    this.#policy = `"burst";q=${this.#burst};w=${fillSeconds}, "minute";q=${perMinute};w=${WINDOW_SECONDS}`;
    const msOfToken = (WINDOW_SECONDS * 1000) / perMinute;
    this.#buckets = new TokenBuckets({ burst: this.#burst, msOfToken }, ACCOUNT_PLACES);
  }

  /** Counts one, and tells it in headers; a page has none (`reply` absent). Throws `too_many_requests`. */
  expect(caller: CallerName, reply?: FastifyReply): void {
    const { allowed, headers, waitMs } = this.take(caller);
    reply?.headers(headers);
    if (!allowed) throw tooMany(`expected ${ALLOWED}, found one too many`, waitMs);
  }

  take(caller: CallerName): Allowance {
    const waitMs = take([{ limit: this.#buckets, name: caller }]);
    const secondsUntilFull = Math.ceil(this.#buckets.msUntil(this.#burst, caller) / 1000);
    return {
      allowed: waitMs === 0,
      headers: {
        'RateLimit-Policy': this.#policy,
        // Only the burst: the other policy is the pace at which the bucket fills and is never reached first.
        RateLimit: `"burst";r=${this.#buckets.left(caller)};t=${secondsUntilFull}`,
      },
      waitMs,
    };
  }
}

const ALLOWED = 'no more requests of this account, with whichever key, than `RateLimit-Policy` allows';
