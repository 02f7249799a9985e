// How often a feed is answered: one limit for answers, one for those that say that nothing changed. Contract 21.7.

import type { Clock } from '../limit.ts';
import { WindowLimit } from '../window-limit.ts';

/** In any hour, of one feed in all its forms. */
export const MAX_FEED_ANSWERS = 60;
export const MAX_FEED_UNCHANGED = 600;
const HOUR_MS = 3_600_000;

/** Of how many feeds uses are kept: 11 MB. Nobody makes up feeds: only those that there are count. */
const PLACES = 2 ** 11;

export class FeedLimits {
  readonly #answers: WindowLimit;
  readonly #unchanged: WindowLimit;

  constructor(now: Clock) {
    this.#answers = new WindowLimit(MAX_FEED_ANSWERS, HOUR_MS, now, PLACES);
    this.#unchanged = new WindowLimit(MAX_FEED_UNCHANGED, HOUR_MS, now, PLACES);
  }

  /** Counts one answer. Throws `too_many_requests`. */
  takeAnswer(feed: string): void {
    this.#answers.expect(feed, `${MAX_FEED_ANSWERS} answers`);
  }

  /** Counts one 304. Throws `too_many_requests`. */
  takeUnchanged(feed: string): void {
    this.#unchanged.expect(feed, `${MAX_FEED_UNCHANGED} requests of an unchanged feed`);
  }
}
