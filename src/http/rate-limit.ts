// How many requests an account may make: one token bucket for all its keys and sessions, reported in the
// headers of draft-ietf-httpapi-ratelimit-headers-10. Contract 7.4 and 15.1.

import { isIP } from 'node:net';
import { ServiceError } from '../errors.ts';
import type { CallerName } from './caller-name.ts';
import { type Clock, type LimitFigures, seconds, take } from './limit.ts';
import { TokenBuckets } from './token-buckets.ts';

/** The default for a server that is not bound to loopback. */
export const DEFAULT_REQUESTS_PER_MINUTE = 600;
/** A full bucket holds a sixth of a minute's requests: 100 of 600. */
const MINUTE_TO_BURST = 6;
const WINDOW_SECONDS = 60;
/** Nobody makes up accounts: so many may have asked within a minute. 2 MB. */
const PLACES = 2 ** 17;

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
  readonly #burst: number;
  /**
   * draft-ietf-httpapi-ratelimit-headers-10, 3: the size of a full bucket and how long it takes to fill, and
   * the pace.
   */
  readonly #policy: string;
  readonly #buckets: TokenBuckets;
  #refused = 0;

  /** `perMinute` is above 0. */
  constructor(perMinute: number, now: Clock = () => performance.now()) {
    this.#burst = Math.max(1, Math.round(perMinute / MINUTE_TO_BURST));
    const fillSeconds = Math.ceil((this.#burst * WINDOW_SECONDS) / perMinute);
    this.#policy = `"burst";q=${this.#burst};w=${fillSeconds}, "minute";q=${perMinute};w=${WINDOW_SECONDS}`;
    const msOfToken = (WINDOW_SECONDS * 1000) / perMinute;
    this.#buckets = new TokenBuckets({ burst: this.#burst, msOfToken }, PLACES, now);
  }

  /** Takes one request from the bucket of this caller. */
  take(caller: CallerName): Allowance {
    const waitMs = take([{ limit: this.#buckets, name: caller }]);
    if (waitMs > 0) this.#refused++;
    const secondsUntilFull = Math.ceil(this.#buckets.msUntil(this.#burst, caller) / 1000);
    return {
      allowed: waitMs === 0,
      headers: {
        'RateLimit-Policy': this.#policy,
        // What is left in the bucket: the other policy is the pace at which it fills, and is never reached
        // first.
        RateLimit: `"burst";r=${this.#buckets.left(caller)};t=${secondsUntilFull}`,
      },
      retryAfter: waitMs === 0 ? 0 : seconds(waitMs),
    };
  }

  figures(): LimitFigures {
    return { refused: this.#refused, withoutRoom: this.#buckets.withoutRoom };
  }
}

/** The error for a request beyond the limit. */
export function tooManyRequests(allowance: Allowance): ServiceError {
  return new ServiceError(
    'too_many_requests',
    'expected no more requests of this account, with whichever key, than `RateLimit-Policy` allows, found one ' +
      `too many; try again in ${allowance.retryAfter} s`,
    { retryAfter: allowance.retryAfter },
  );
}
