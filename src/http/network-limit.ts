// Limits on networks: each has its own, and all those of one /56 and of one /48 have one together.
//
// Who has many /64s could otherwise use them in turn: providers give a site a /56 or a /48 (RIPE-690, RFC
// 6177). Others give each server or telephone a /64 of its own (RFC 6459), so strangers can have neighbouring
// ones, and the limit of all together must be larger. Let's Encrypt counts in two widths for the same reasons
// (https://community.letsencrypt.org/t/37175).

import { type Clock, type Limit, type LimitFigures, take, type Use } from './limit.ts';
import { widerNetworks } from './networks.ts';
import { type BucketSize, TokenBuckets } from './token-buckets.ts';
import { WindowLimit } from './window-limit.ts';

/** How many times the limit of one network all of one /56 have together, and all of one /48. */
export const WIDER_LIMITS = [4, 16] as const;

/** Of searches, which cost an attacker nothing: a million networks have room, in 36 MB. */
const BUCKET_PLACES = 2 ** 21;
/** Of what takes a hash of a password each, so that few come in a window: 12 MB with 10 of them, 23 with 20. */
const WINDOW_PLACES = 2 ** 17;
/** Of all networks of one width: 4 MB. */
const WIDER_PLACES = 2 ** 18;

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

/** A bucket for each network. */
export function networkBuckets(size: BucketSize, now: Clock): NetworkLimit {
  return new NetworkLimit(new TokenBuckets(size, BUCKET_PLACES, now), size, now);
}

/** So many of each network in any window. Wider networks have buckets, which fill in the time of a window. */
export function networkWindow(max: number, windowMs: number, now: Clock): NetworkLimit {
  const bucket = { burst: max, msOfToken: windowMs / max };
  return new NetworkLimit(new WindowLimit(max, windowMs, now, WINDOW_PLACES), bucket, now);
}
