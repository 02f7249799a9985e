// What the answers of all feeds share: admission, the answer 304, rate limits, and the time of the last change.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BytesUnderWay } from '../../http/answers/bytes-under-way.ts';
import { isNoneMatch, REVALIDATED } from '../../http/answers/representation.ts';
import type { Admission } from '../../http/requests/admission.ts';
import { type CallerName, callerSignal } from '../../http/requests/caller.ts';
import { type Clock, WindowLimit } from '../../http/requests/limits.ts';
import { MAX_PAGE_BYTES } from '../../model/pages.ts';
import type { FeedForm } from './addresses.ts';
import { atomOf, type Feed, jsonFeedOf } from './feed.ts';

/** Raise it when the same records give another document. */
export const DOCUMENT_VERSION = 1;

export interface FeedTurn {
  readonly admission: Admission;
  readonly bytes: BytesUnderWay;
  readonly caller: CallerName;
  /** The route: admission has a queue for each. */
  readonly sort: string;
}

/** Makes the document after admission, once there is memory for it. Throws `busy`, and what `make` throws. */
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
 * Whether the caller has the current document: by its ETag if it sends one, else by the time (RFC 9110, 13.2.2). Sets
 * `Last-Modified` unless that time is in the future.
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

/** Limits per hour for one feed, all formats together. */
export const MAX_FEED_ANSWERS = 60;
export const MAX_FEED_UNCHANGED = 600;
const HOUR_MS = 3_600_000;

/** Feeds with counters in memory (11 MB). Only existing feeds are counted, so invented addresses cannot fill it. */
const PLACES = 2 ** 11;

/** Limits the rate of each feed: one limit for documents, one for answers 304. Contract 21.7. */
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

/** Documents to remember; a forgotten one counts as changed now. */
const MAX_KNOWN = 10_000;

/** The `Last-Modified` of documents: the second at which this process first saw the current version. */
export class LastChanges {
  readonly #known = new Map<string, { readonly etag: string; readonly time: number }>();

  /**
   * Unix seconds. A later version always has a later time. Two versions within a second put it in the future; it must
   * not be sent until then (RFC 9110, 8.8.2.1).
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
