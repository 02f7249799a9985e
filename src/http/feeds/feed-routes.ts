// The feeds of saved searches, for whoever has the token in the address. No log, referrer or error tells the token.
// Contract 21.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OwnedSearch, SavedSearches } from '../../accounts/saved-searches.ts';
import { ServiceError } from '../../errors.ts';
import { tagOf } from '../../feeds/entries.ts';
import { cleanText, entryTitle, type Feed } from '../../feeds/feed.ts';
import {
  FEED_PAGE,
  type FeedPage,
  type FeedService,
  MAX_FEED_PAGES,
  type SavedFeedWish,
} from '../../feeds/feed-service.ts';
import {
  FEED_FORMS,
  FEED_PATH,
  type FeedForm,
  feedAddress,
  NO_FEED_HOST,
  tagHost,
} from '../addresses/feeds.ts';
import { plainSearch, searchAddress } from '../addresses/search.ts';
import { readFirst } from '../addresses/written.ts';
import { etagOf, REVALIDATED, sendRepresentation } from '../answers/representation.ts';
import { addReadRoute } from '../read-route.ts';
import { callerName } from '../requests/caller.ts';
import {
  DOCUMENT_VERSION,
  documentOf,
  type FeedLimits,
  type FeedTurn,
  isUnchanged,
  LastChanges,
  sendUnchanged,
} from './feed-answer.ts';

interface FeedRouteDeps extends Pick<FeedTurn, 'admission' | 'bytes'> {
  readonly saved: Pick<SavedSearches, 'byToken'>;
  readonly feeds: FeedService;
  readonly limits: FeedLimits;
  /** `COLLOQUY_PUBLIC_URL`. */
  readonly publicUrl: string | null;
  /** Unix seconds. */
  readonly time: () => number;
}

const ROUTE = `${FEED_PATH}/:name`;

export function addFeedRoute(server: FastifyInstance, deps: FeedRouteDeps): void {
  const changes = new LastChanges();
  addReadRoute(server, {
    path: ROUTE,
    handler: (request, reply) => answerFeed(deps, changes, request, reply),
  });
}

/** What is asked for. */
interface Asked {
  readonly saved: OwnedSearch;
  readonly token: string;
  readonly form: FeedForm;
  readonly page: number;
  readonly publicUrl: string;
  readonly host: string;
}

async function answerFeed(
  deps: FeedRouteDeps,
  changes: LastChanges,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header('X-Robots-Tag', 'noindex');
  const asked = readAsked(deps, request);
  const { saved, form, page } = asked;
  const etag = await etagOf(await describe(deps, asked));
  const now = deps.time();
  const time = changes.timeOf(`${saved.id} ${form} ${page}`, etag, now);
  const feed = `${saved.id}`;
  if (isUnchanged(request, reply, { etag, time, now })) {
    deps.limits.takeUnchanged(feed);
    return sendUnchanged(reply, etag);
  }
  deps.limits.takeAnswer(feed);
  const turn = { admission: deps.admission, bytes: deps.bytes, caller: callerName(saved), sort: ROUTE };
  const wish = wishOf(asked);
  const body = await documentOf(turn, form, reply, async (signal) =>
    feedOf(asked, wish, await deps.feeds.pageOrRefusal(wish, signal)),
  );
  return sendRepresentation(request, reply, { body, etag, type: FEED_FORMS[form], caching: REVALIDATED });
}

/** Throws `not_found`, in words that repeat nothing of the address, and `bad_value`. */
function readAsked({ saved, publicUrl }: FeedRouteDeps, request: FastifyRequest): Asked {
  const { name = '' } = request.params as Readonly<Record<string, string>>;
  const [, token = '', form = ''] = /^([0-9A-Za-z]+)\.(atom|json)$/.exec(name) ?? [];
  const found = saved.byToken(token);
  if (found === null) {
    throw new ServiceError(
      'not_found',
      'expected the address of a feed, found one that opens none: it was renewed, revoked, or never made',
    );
  }
  const host = tagHost(publicUrl);
  if (host === null || publicUrl === null) throw new ServiceError('not_found', NO_FEED_HOST);
  const page = readPage(readFirst(request.raw.url ?? '').get('page') ?? '');
  return { saved: found, token, form: form as FeedForm, page, publicUrl, host };
}

function readPage(text: string): number {
  const page = text === '' ? 1 : /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (page >= 1 && page <= MAX_FEED_PAGES) return page;
  throw new ServiceError('bad_value', `parameter \`page\`: expected 1 to ${MAX_FEED_PAGES}, found another`);
}

/** Everything that the document follows from. */
async function describe({ feeds }: FeedRouteDeps, { saved, form, page, publicUrl }: Asked): Promise<string> {
  const { id, name, kind, query, order, feed } = saved;
  const state = [DOCUMENT_VERSION, publicUrl, id, name, kind, query, order, feed?.older, form, page];
  return JSON.stringify([...state, await feeds.fingerprint(kind)]);
}

function wishOf({ saved, page, publicUrl, host }: Asked): SavedFeedWish {
  const { id, kind, query, order, changed, feed } = saved;
  return {
    id: tagOf(host, `saved:${id}`),
    ...{ kind, query, page, host, changed, size: FEED_PAGE },
    older: feed?.older ?? 'one',
    home: (since) =>
      `${publicUrl}${searchAddress({ ...plainSearch(query, kind), order, since: since ?? null })}`,
  };
}

function feedOf({ saved, token, form, page, publicUrl }: Asked, wish: SavedFeedWish, found: FeedPage): Feed {
  const { entries, hasNext } = found;
  return {
    id: wish.id,
    title: entryTitle(saved.name),
    description: cleanText(
      `${saved.kind === 'post' ? 'Posts' : 'Comments'} that match: ${saved.query || 'everything'}`,
    ),
    home: wish.home(),
    self: `${publicUrl}${feedAddress(token, form, page)}`,
    next: hasNext ? `${publicUrl}${feedAddress(token, form, page + 1)}` : null,
    updated: Math.max(saved.feed?.made ?? 0, ...entries.map(({ updated }) => updated)),
    entries,
  };
}
