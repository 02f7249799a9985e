// How many requests may come from a network, and from an account.

import { ServiceError } from '../../errors.ts';
import { type CallerName, isLoopback, widerNetworks } from '../requests/caller.ts';
import {
  type BucketSize,
  type Clock,
  type Limit,
  type LimitFigures,
  seconds,
  TokenBuckets,
  take,
  type Use,
  WindowLimit,
} from './rate-limits.ts';

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

  figures(): LimitFigures {
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
const PLACES = 2 ** 17;

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
    this.#buckets = new TokenBuckets({ burst: this.#burst, msOfToken }, PLACES, now);
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

  figures(): LimitFigures {
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
