// How many requests a key may make: one token bucket for each key, reported in the headers of
// draft-ietf-httpapi-ratelimit-headers-10. Contract 7.4.

import { isIP } from 'node:net';
import { ServiceError } from '../errors.ts';

/** The default for a server that is not bound to loopback. */
export const DEFAULT_REQUESTS_PER_MINUTE = 600;
/** A full bucket holds a sixth of a minute's requests: 100 of 600. */
const MINUTE_TO_BURST = 6;
const WINDOW_SECONDS = 60;
/** Beyond this many keys, those with a full bucket are forgotten. */
const MAX_BUCKETS = 10_000;

interface Bucket {
  tokens: number;
  /** Milliseconds of the clock. */
  filledAt: number;
}

/** The limit in force. `setting` null: the default; 0: no limit. */
export function requestsPerMinute(setting: number | null, host: string): number {
  return setting ?? (isLoopback(host) ? 0 : DEFAULT_REQUESTS_PER_MINUTE);
}

/** True for an address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) === 4) return bare.startsWith('127.');
  return bare === '::1' || bare.toLowerCase() === 'localhost';
}

/** Whether a request is allowed, and the headers that tell the caller. */
export interface Allowance {
  readonly allowed: boolean;
  /** `RateLimit` and `RateLimit-Policy`. */
  readonly headers: Readonly<Record<'RateLimit' | 'RateLimit-Policy', string>>;
  /** Whole seconds until a request is allowed again; 0 if one is allowed now. */
  readonly retryAfter: number;
}

export class RateLimiter {
  readonly #perMinute: number;
  readonly #burst: number;
  /**
   * draft-ietf-httpapi-ratelimit-headers-10, 3: the size of a full bucket and how long it takes to fill, and
   * the pace.
   */
  readonly #policy: string;
  readonly #now: () => number;
  readonly #buckets = new Map<string | number, Bucket>();

  /**
   * `perMinute` is above 0; `now` gives milliseconds and never goes back; `burst` is the size of a full
   * bucket.
   */
  constructor(
    perMinute: number,
    now: () => number = () => performance.now(),
    burst = Math.max(1, Math.round(perMinute / MINUTE_TO_BURST)),
  ) {
    this.#perMinute = perMinute;
    this.#burst = burst;
    this.#now = now;
    const fillSeconds = Math.ceil((burst * WINDOW_SECONDS) / perMinute);
    this.#policy = `"burst";q=${burst};w=${fillSeconds}, "minute";q=${perMinute};w=${WINDOW_SECONDS}`;
  }

  /** Takes one request from the bucket of this key. */
  take(keyId: string | number): Allowance {
    const perMs = this.#perMinute / (WINDOW_SECONDS * 1000);
    const bucket = this.#filled(keyId, perMs);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    const secondsUntil = (tokens: number) => Math.ceil((tokens - bucket.tokens) / perMs / 1000);
    return {
      allowed,
      headers: {
        'RateLimit-Policy': this.#policy,
        // What is left in the bucket: the other policy is the pace at which it fills, and is never reached
        // first.
        RateLimit: `"burst";r=${Math.floor(bucket.tokens)};t=${secondsUntil(this.#burst)}`,
      },
      retryAfter: allowed ? 0 : Math.max(1, secondsUntil(1)),
    };
  }

  #filled(keyId: string | number, perMs: number): Bucket {
    const now = this.#now();
    const known = this.#buckets.get(keyId);
    if (known !== undefined) {
      known.tokens = Math.min(this.#burst, known.tokens + (now - known.filledAt) * perMs);
      known.filledAt = now;
      return known;
    }
    if (this.#buckets.size >= MAX_BUCKETS) this.#forgetFull(now, perMs);
    const bucket = { tokens: this.#burst, filledAt: now };
    this.#buckets.set(keyId, bucket);
    return bucket;
  }

  #forgetFull(now: number, perMs: number): void {
    for (const [keyId, bucket] of this.#buckets) {
      if (bucket.tokens + (now - bucket.filledAt) * perMs >= this.#burst) this.#buckets.delete(keyId);
    }
  }
}

/** The error for a request beyond the limit. */
export function tooManyRequests(allowance: Allowance): ServiceError {
  return new ServiceError(
    'too_many_requests',
    'expected no more requests with this key than `RateLimit-Policy` allows, found one too many; ' +
      `try again in ${allowance.retryAfter} s`,
    { retryAfter: allowance.retryAfter },
  );
}
