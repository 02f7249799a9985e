// What the answers of all feeds share: the turn in which a document is made, and the answer that nothing changed.

import type { FastifyReply } from 'fastify';
import { atomOf } from '../../feeds/atom.ts';
import type { Feed } from '../../feeds/feed.ts';
import { jsonFeedOf } from '../../feeds/json-feed.ts';
import { MAX_PAGE_BYTES } from '../../model/page-budget.ts';
import type { FeedForm } from '../addresses/feeds.ts';
import type { Admission } from '../admission/admission.ts';
import type { BytesUnderWay } from '../bytes-under-way.ts';
import { callerSignal } from '../caller.ts';
import type { CallerName } from '../caller-name.ts';
import { REVALIDATED } from '../representation.ts';

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

export function sendUnchanged(reply: FastifyReply, etag: string): FastifyReply {
  return reply
    .code(304)
    .headers({ ETag: etag, 'Cache-Control': REVALIDATED, Vary: 'Accept-Encoding' })
    .send();
}
