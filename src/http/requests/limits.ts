// How often something may be done under a name: what limits remember of names, a limit for any window of time, a bucket
// of tokens, and how many requests may come from a network and from an account.
//
// A name is an account, a network, or both: attackers can make up as many as they like, so what is remembered lies in a
// room that never grows, where every step costs the same. Each name belongs to one row of 32 places, which a hash with
// a secret chooses, so that nobody can aim at the row of another:
//
//     row:    place 0   place 1   …   place 31
//     place:  two words of the hash, the time until which something counts, numbers of the limit
//
// A place may be given to another name when nothing counts there any more: to forget it then changes no answer. One at
// which something counts is never given away, so nobody can make us forget a name by filling the table. A name that
// finds all places of its row taken shares one of them, always the same, and what counts for one of the two counts for
// both: a name may then be refused early, but never gets more than its limit. It takes its share along when a place
// becomes free for it. Limits that must not be strict with strangers give such a name no place at all (`atEnd`).

import { hash, randomBytes } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import { type CallerName, isLoopback, widerNetworks } from './caller.ts';

const PLACES_OF_ROW = 32;

/** Two words of a hash and a time. */
const BYTES_OF_PLACE = 16;

interface LimitTableSize {
  readonly places: number;
  readonly width: number;
}

interface Home {
  readonly row: number;
  /** Shared with the name if its row is full. */
  readonly standIn: number;
  readonly high: number;
  readonly low: number;
}

const NOWHERE: Home = { row: 0, standIn: 0, high: 0, low: 0 };

export class LimitTable {
  /** The most that the table takes, in bytes; it takes nothing before the first name. */
  readonly maxBytes: number;
  readonly #size: LimitTableSize;
  readonly #atEnd: 'share' | 'no place';
  readonly #secret = randomBytes(16).toString('hex');
  #marks = new Uint32Array(0);
  #until = new Float64Array(0);
  #numbers = new Float64Array(0);
  #isShared = new Uint8Array(0);
  #withoutRoom = 0;
  #last: { readonly name: string | null; readonly home: Home } = { name: null, home: NOWHERE };

  constructor(size: LimitTableSize, atEnd: 'share' | 'no place' = 'share') {
    this.#size = size;
    this.#atEnd = atEnd;
    this.maxBytes = size.places * (BYTES_OF_PLACE + 8 * size.width + 1);
  }

  /** How often a name found its row full. */
  get withoutRoom(): number {
    return this.#withoutRoom;
  }

  /** The place of a name, its own or the one it has to share; -1: nothing counts for it. `now` is 0 or more. */
  find(name: string, now: number): number {
    if (this.#until.length === 0) return -1;
    const home = this.#homeOf(name);
    const own = this.#own(home, now);
    if (own !== -1) return own;
    const mustShare = this.#atEnd === 'share' && this.#free(home, now) === -1;
    return mustShare || this.#sharesStandIn(home, now) ? home.standIn : -1;
  }

  /** The place for this name, its numbers 0 if it is new; the caller sets until when. -1, with `no place`: no room. */
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
    this.#withoutRoom++;
    if (this.#atEnd === 'no place') return -1;
    this.#isShared[home.standIn] = 1;
    return home.standIn;
  }

  /** Until when something counts at a place; up to now: nothing does. */
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

  /** Memory that the system gives only where it is written to. */
  #open(): void {
    const { places, width } = this.#size;
    this.#marks = new Uint32Array(2 * places);
    this.#until = new Float64Array(places);
    this.#numbers = new Float64Array(places * width);
    this.#isShared = new Uint8Array(places);
  }

  #homeOf(name: string): Home {
    // A limit asks first and counts then.
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

/** How many times the limit of one network all of one /56 have together, and all of one /48. */
const WIDER_LIMITS = [4, 16] as const;

/** Of searches, which cost an attacker nothing: a million networks have room, in 36 MB. */
const BUCKET_PLACES = 2 ** 21;

/** Of what takes a hash of a password each, so that few come in a window: 12 MB with 10 of them, 23 with 20. */
const WINDOW_PLACES = 2 ** 17;

/** Of all networks of one width: 4 MB. */
const WIDER_PLACES = 2 ** 18;

/**
 * Each network has a limit, and all those of one /56 and of one /48 have one together. Who has many /64s could
 * otherwise use them in turn: providers give a site a /56 or a /48 (RIPE-690, RFC 6177). Others give each server or
 * telephone a /64 of its own (RFC 6459), so strangers can have neighbouring ones, and the limit of all together must
 * be larger. Let's Encrypt counts in two widths for the same reasons (https://community.letsencrypt.org/t/37175).
 */
export class NetworkLimit {
  readonly #own: Limit;
  readonly #wider: readonly TokenBuckets[];
  #refused = 0;

  /** `bucket`: what the buckets of wider networks are multiples of. */
  constructor(own: Limit, { burst, msOfToken }: BucketSize, now: Clock) {
    this.#own = own;
    this.#wider = WIDER_LIMITS.map(
      (times) => new TokenBuckets({ burst: burst * times, msOfToken: msOfToken / times }, WIDER_PLACES, now),
    );
  }

  /** Counts one and returns 0; or counts none and returns the milliseconds to wait. `network` as of a Visitor. */
  take(network: string): number {
    const waitMs = take(this.#uses(network));
    if (waitMs > 0) this.#refused++;
    return waitMs;
  }

  /** Takes back what was counted last. */
  giveBack(network: string): void {
    for (const { limit, name } of this.#uses(network)) limit.giveBack(name);
  }

  figures() {
    const limits = [this.#own, ...this.#wider];
    const withoutRoom = limits.reduce((sum, limit) => sum + limit.withoutRoom, 0);
    return { refused: this.#refused, withoutRoom };
  }

  #uses(network: string): readonly Use[] {
    const wider = widerNetworks(network).map((name, at) => ({ limit: this.#wider[at]!, name }));
    return [{ limit: this.#own, name: network }, ...wider];
  }
}

export function networkBuckets(size: BucketSize, now: Clock): NetworkLimit {
  return new NetworkLimit(new TokenBuckets(size, BUCKET_PLACES, now), size, now);
}

/** So many of each network in any window. Wider networks have buckets, which fill in the time of a window. */
export function networkWindow(max: number, windowMs: number, now: Clock): NetworkLimit {
  const bucket = { burst: max, msOfToken: windowMs / max };
  return new NetworkLimit(new WindowLimit(max, windowMs, now, WINDOW_PLACES), bucket, now);
}

/** The default for a server that is not bound to loopback. */
const DEFAULT_REQUESTS_PER_MINUTE = 600;

/** A full bucket holds a sixth of a minute's requests: 100 of 600. */
const MINUTE_TO_BURST = 6;

const WINDOW_SECONDS = 60;

/** Nobody makes up accounts: so many may have asked within a minute. 2 MB. */
const ACCOUNT_PLACES = 2 ** 17;

/** Counts one of `what` for a network. Throws `too_many_requests`. */
export function limitNetwork(limit: NetworkLimit, network: string, what = 'requests'): void {
  const waitMs = limit.take(network);
  if (waitMs === 0) return;
  const retryAfter = seconds(waitMs);
  throw new ServiceError(
    'too_many_requests',
    `expected fewer ${what} from one network, found one too many; try again in ${retryAfter} s`,
    { retryAfter },
  );
}

/** The limit in force. `setting` null: the default; 0: no limit. */
export function requestsPerMinute(setting: number | null, host: string): number {
  return setting ?? (isLoopback(host) ? 0 : DEFAULT_REQUESTS_PER_MINUTE);
}

interface Allowance {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<'RateLimit' | 'RateLimit-Policy', string>>;
  /** Whole seconds until a request is allowed again; 0 if one is allowed now. */
  readonly retryAfter: number;
}

/**
 * How many requests an account may make: one token bucket for all its keys and sessions, reported in the headers of
 * draft-ietf-httpapi-ratelimit-headers-10. Contract 7.4 and 15.1.
 */
export class RateLimiter {
  readonly perMinute: number;
  readonly #burst: number;
  /**
   * draft-ietf-httpapi-ratelimit-headers-10, 3: the size of a full bucket and how long it takes to fill, and the pace.
   */
  readonly #policy: string;
  readonly #buckets: TokenBuckets;
  #refused = 0;

  /** `perMinute` is above 0. */
  constructor(perMinute: number, now: Clock = () => performance.now()) {
    this.perMinute = perMinute;
    this.#burst = Math.max(1, Math.round(perMinute / MINUTE_TO_BURST));
    const fillSeconds = Math.ceil((this.#burst * WINDOW_SECONDS) / perMinute);
    this.#policy = `"burst";q=${this.#burst};w=${fillSeconds}, "minute";q=${perMinute};w=${WINDOW_SECONDS}`;
    const msOfToken = (WINDOW_SECONDS * 1000) / perMinute;
    this.#buckets = new TokenBuckets({ burst: this.#burst, msOfToken }, ACCOUNT_PLACES, now);
  }

  take(caller: CallerName): Allowance {
    const waitMs = take([{ limit: this.#buckets, name: caller }]);
    if (waitMs > 0) this.#refused++;
    const secondsUntilFull = Math.ceil(this.#buckets.msUntil(this.#burst, caller) / 1000);
    return {
      allowed: waitMs === 0,
      headers: {
        'RateLimit-Policy': this.#policy,
        // What is left in the bucket: the other policy is the pace at which it fills, and is never reached first.
        RateLimit: `"burst";r=${this.#buckets.left(caller)};t=${secondsUntilFull}`,
      },
      retryAfter: waitMs === 0 ? 0 : seconds(waitMs),
    };
  }

  figures() {
    return { refused: this.#refused, withoutRoom: this.#buckets.withoutRoom };
  }
}

export function tooManyRequests(allowance: Allowance): ServiceError {
  return new ServiceError(
    'too_many_requests',
    'expected no more requests of this account, with whichever key, than `RateLimit-Policy` allows, found one ' +
      `too many; try again in ${allowance.retryAfter} s`,
    { retryAfter: allowance.retryAfter },
  );
}
