// Feeds of any search, for visitors, where the operator allows them: the first entries alone, within the limit of
// visitors' searches. Contract 21.8.

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { tagOf } from '../../feeds/entries.ts';
import { cleanText, entryTitle, type Feed } from '../../feeds/feed.ts';
import { FEED_PAGE, type FeedService, type FeedWish } from '../../feeds/feed-service.ts';
import type { Kind } from '../../model/record.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import {
  FEED_FORMS,
  type FeedForm,
  NO_FEED_HOST,
  PUBLIC_FEED_PATHS,
  publicFeedAddress,
  readPublicFeed,
} from '../addresses/feeds.ts';
import { plainSearch, searchAddress } from '../addresses/search.ts';
import { etagOf, REVALIDATED, sendRepresentation } from '../answers/representation.ts';
import { addReadRoute } from '../read-route.ts';
import { callerName } from '../requests/caller.ts';
import type { Visitors } from '../visitor.ts';
import {
  DOCUMENT_VERSION,
  documentOf,
  type FeedTurn,
  isUnchanged,
  LastChanges,
  sendUnchanged,
} from './feed-answer.ts';

interface PublicFeedDeps extends Pick<FeedTurn, 'admission' | 'bytes'> {
  readonly feeds: FeedService;
  readonly visitors: Visitors;
  /** Counts one search of a visitor. Throws `too_many_requests`. */
  readonly limit: (request: FastifyRequest) => void;
  /** How many results of a list a visitor gets. */
  readonly visitorResults: number;
  /** `COLLOQUY_PUBLIC_URL`, and the host of its ids; null: it has none. */
  readonly place: { readonly publicUrl: string; readonly host: string } | null;
  /** Unix seconds. */
  readonly time: () => number;
}

export function addPublicFeedRoutes(server: FastifyInstance, deps: PublicFeedDeps): void {
  const changes = new LastChanges();
  for (const form of ['atom', 'json'] as const) {
    addReadRoute(server, {
      path: PUBLIC_FEED_PATHS[form],
      handler: (request, reply) => answerPublicFeed(deps, changes, form, request, reply),
    });
  }
}

async function answerPublicFeed(
  deps: PublicFeedDeps,
  changes: LastChanges,
  form: FeedForm,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { feeds, place, visitors, visitorResults, limit, admission, bytes, time } = deps;
  reply.header('X-Robots-Tag', 'noindex');
  if (place === null) throw new ServiceError('not_found', NO_FEED_HOST);
  limit(request);
  const { kind, query: text } = readPublicFeed(request.raw.url ?? '');
  const { echo: query } = interpretWithoutWindow(text);
  const size = Math.min(visitorResults, FEED_PAGE);
  const state = [DOCUMENT_VERSION, place.publicUrl, kind, query, size, form, await feeds.fingerprint(kind)];
  const etag = await etagOf(JSON.stringify(state));
  const now = time();
  const changed = changes.timeOf(`${form} ${nameOf(kind, query)}`, etag, now);
  if (isUnchanged(request, reply, { etag, time: changed, now })) return sendUnchanged(reply, etag);
  const wish: FeedWish = {
    ...{ kind, query, size, page: 1, older: 'one', host: place.host },
    id: tagOf(place.host, `search:${nameOf(kind, query)}`),
    home: (since) =>
      `${place.publicUrl}${searchAddress({ ...plainSearch(query, kind), since: since ?? null })}`,
  };
  const turn = { admission, bytes, caller: callerName(visitors.of(request)), sort: PUBLIC_FEED_PATHS[form] };
  const self = `${place.publicUrl}${publicFeedAddress({ query, kind }, form)}`;
  const body = await documentOf(turn, form, reply, (signal) => feedOf(feeds, wish, self, signal));
  return sendRepresentation(request, reply, { body, etag, type: FEED_FORMS[form], caching: REVALIDATED });
}

/** The same for ever, and short whatever the query. */
function nameOf(kind: Kind, query: string): string {
  return createHash('sha256').update(`${kind} ${query}`).digest('hex').slice(0, 32);
}

async function feedOf(feeds: FeedService, wish: FeedWish, self: string, signal: AbortSignal): Promise<Feed> {
  const { entries: found } = await feeds.page(wish, signal);
  // With those that tell of older records.
  const entries = found.slice(0, wish.size);
  const kinds = wish.kind === 'post' ? 'Posts' : 'Comments';
  return {
    id: wish.id,
    title: entryTitle(wish.query || `All ${kinds.toLowerCase()}`),
    description: cleanText(`${kinds} that match: ${wish.query || 'everything'}`),
    home: wish.home(),
    self,
    next: null,
    updated: Math.max(0, ...entries.map(({ updated }) => updated)),
    entries,
  };
}
