// What the answers of all feeds share: the turn in which a document is made, the answer that nothing changed, how
// often a feed is answered, and when its documents last changed.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BytesUnderWay } from '../../http/answers/bytes-under-way.ts';
import { isNoneMatch, REVALIDATED } from '../../http/answers/representation.ts';
import type { Admission } from '../../http/requests/admission.ts';
import { type CallerName, callerSignal } from '../../http/requests/caller.ts';
import { type Clock, WindowLimit } from '../../http/requests/limits.ts';
import { MAX_PAGE_BYTES } from '../../model/pages.ts';
import type { FeedForm } from './addresses.ts';
import { atomOf, type Feed, jsonFeedOf } from './feed.ts';

/** To be raised when the same records give another document. */
export const DOCUMENT_VERSION = 1;

export interface FeedTurn {
  readonly admission: Admission;
  readonly bytes: BytesUnderWay;
  readonly caller: CallerName;
  /** The route, for the turns of its kind. */
  readonly sort: string;
}

/** The document, made once the caller has its turn and there is room. Throws `busy`, and what `make` throws. */
export async function documentOf(
  { admission, bytes, caller, sort }: FeedTurn,
  form: FeedForm,
  reply: FastifyReply,
  make: (signal: AbortSignal) => Promise<Feed>,
): Promise<string> {
  const signal = callerSignal(reply);
  using _ = await admission.enter({ caller, sort, signal });
  await bytes.hold(reply.raw, { caller, mostBytes: MAX_PAGE_BYTES }, signal);
  const feed = await make(signal);
  return form === 'atom' ? atomOf(feed) : jsonFeedOf(feed);
}

/**
 * Tells when the document last changed, once that is over. Whether the caller has it: by the tag where one is
 * given, else by the time (RFC 9110, 13.2.2).
 */
export function isUnchanged(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { etag, time, now }: { readonly etag: string; readonly time: number; readonly now: number },
): boolean {
  if (time <= now) reply.header('Last-Modified', new Date(time * 1000).toUTCString());
  if (headers['if-none-match'] !== undefined) return isNoneMatch(headers['if-none-match'], etag);
  return Date.parse(headers['if-modified-since'] ?? '') >= time * 1000;
}

export function sendUnchanged(reply: FastifyReply, etag: string): FastifyReply {
  return reply
    .code(304)
    .headers({ ETag: etag, 'Cache-Control': REVALIDATED, Vary: 'Accept-Encoding' })
    .send();
}

/** In any hour, of one feed in all its forms. */
export const MAX_FEED_ANSWERS = 60;
export const MAX_FEED_UNCHANGED = 600;
const HOUR_MS = 3_600_000;

/** Of how many feeds uses are kept: 11 MB. Nobody makes up feeds: only those that there are count. */
const PLACES = 2 ** 11;

/** How often a feed is answered: one limit for answers, one for those that say that nothing changed. Contract 21.7. */
export class FeedLimits {
  readonly #answers: WindowLimit;
  readonly #unchanged: WindowLimit;

  constructor(now: Clock) {
    this.#answers = new WindowLimit(MAX_FEED_ANSWERS, HOUR_MS, now, PLACES);
    this.#unchanged = new WindowLimit(MAX_FEED_UNCHANGED, HOUR_MS, now, PLACES);
  }

  takeAnswer(feed: string): void {
    this.#answers.expect(feed, `${MAX_FEED_ANSWERS} answers`);
  }

  takeUnchanged(feed: string): void {
    this.#unchanged.expect(feed, `${MAX_FEED_UNCHANGED} requests of an unchanged feed`);
  }
}

/** Of how many documents it is known; of one that was forgotten it is the present moment. */
const MAX_KNOWN = 10_000;

/**
 * When documents last changed, as `Last-Modified` tells it: the second at which this process first saw the present one.
 */
export class LastChanges {
  readonly #known = new Map<string, { readonly etag: string; readonly time: number }>();

  /**
   * Unix seconds. A later document always has a later time, even within a second: then it lies in the future, and must
   * not be told yet (RFC 9110, 8.8.2.1).
   */
  timeOf(name: string, etag: string, now: number): number {
    const before = this.#known.get(name);
    this.#known.delete(name);
    const isSame = before?.etag === etag;
    const known = isSame ? before : { etag, time: Math.max(now, (before?.time ?? 0) + 1) };
    this.#known.set(name, known);
    if (this.#known.size > MAX_KNOWN) {
      const [oldest] = this.#known.keys();
      this.#known.delete(oldest!);
    }
    return known.time;
  }
}
