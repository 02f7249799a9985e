// The feeds of saved searches. The token in the address gives access; no log, referrer or error contains it.
// Contract 21.
//
// Feeds of any search, for visitors, if the operator allows them. They have one page and count against the rate limit
// of visitors' searches. Contract 21.8.

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { settingOf } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { type AboutSearch, plainSearch, readAbout, readFirst, searchAddress } from '../../http/addresses.ts';
import { etagOf, REVALIDATED, sendRepresentation } from '../../http/answers/representation.ts';
import { callerName } from '../../http/requests/caller.ts';
import { addReadRoute } from '../../http/routes/endpoints.ts';
import { limitSearches } from '../../http/site/respond.ts';
import type { EndpointDeps, Site } from '../../http/site/site.ts';
import { KIND_TITLES } from '../../http/views/format.ts';
import { KIND_NAMES, KINDS } from '../../model/record.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import { readUnder } from '../../search/options.ts';
import {
  FEED_FORMS,
  FEED_PATH,
  type FeedForm,
  feedAddress,
  NO_FEED_HOST,
  PUBLIC_FEED_PATHS,
  PUBLIC_FEEDS,
  publicFeedAddress,
  tagHost,
} from './addresses.ts';
import { tagOf } from './entries.ts';
import { cleanText, entryTitle, type Feed } from './feed.ts';
import {
  DOCUMENT_VERSION,
  documentOf,
  FeedLimits,
  isUnchanged,
  LastChanges,
  sendUnchanged,
} from './feed-answer.ts';
import {
  FEED_PAGE,
  type FeedPage,
  type FeedService,
  type FeedWish,
  feedsOf,
  MAX_FEED_PAGES,
  type SavedFeedWish,
} from './feed-service.ts';
import { type SavedSearch, savedOf } from './store.ts';

const ROUTE = `${FEED_PATH}/:name`;

interface FeedRouteDeps extends EndpointDeps {
  readonly feeds: FeedService;
  readonly limits: FeedLimits;
}

export function addFeedRoute(server: FastifyInstance, deps: EndpointDeps): void {
  const changes = new LastChanges();
  const own = { ...deps, feeds: feedsOf(deps.archive), limits: new FeedLimits(deps.now) };
  addReadRoute(server, {
    path: ROUTE,
    handler: (request, reply) => answerFeed(own, changes, request, reply),
  });
}

interface Asked {
  readonly saved: SavedSearch;
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

/** Throws `not_found`, with a message that repeats nothing of the address, and `bad_value`. */
function readAsked({ archive }: EndpointDeps, request: FastifyRequest): Asked {
  const { publicUrl } = archive.config;
  const { name = '' } = request.params as Readonly<Record<string, string>>;
  const [, token = '', form = ''] = /^([0-9A-Za-z]+)\.(atom|json)$/.exec(name) ?? [];
  const found = savedOf(archive.accounts).byToken(token);
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

/** All inputs of the document, for its ETag. */
async function describe({ feeds }: FeedRouteDeps, { saved, form, page, publicUrl }: Asked): Promise<string> {
  const { id, name, kind, query, under, order, feed } = saved;
  const state = [DOCUMENT_VERSION, publicUrl, id, name, kind, query, under, order, feed?.older, form, page];
  return JSON.stringify([...state, await fingerprints(feeds, saved)]);
}

/** Includes posts if comments are selected by their posts. */
async function fingerprints(feeds: FeedService, { kind, under }: Pick<AboutSearch, 'kind' | 'under'>) {
  const kinds = under ? KINDS : [kind];
  return await Promise.all(kinds.map((one) => feeds.fingerprint(one)));
}

function wishOf({ saved, page, publicUrl, host }: Asked): SavedFeedWish {
  const { id, kind, query, under, order, changed, feed } = saved;
  return {
    id: tagOf(host, `saved:${id}`),
    ...{ kind, query, under, page, host, changed, size: FEED_PAGE },
    older: feed?.older ?? 'one',
    home: (since) =>
      `${publicUrl}${searchAddress({ ...plainSearch(query, kind), under, order, since: since ?? null })}`,
  };
}

function feedOf({ saved, token, form, page, publicUrl }: Asked, wish: SavedFeedWish, found: FeedPage): Feed {
  const { entries, hasNext } = found;
  return {
    id: wish.id,
    title: entryTitle(saved.name),
    description: describedAs(saved),
    home: wish.home(),
    self: `${publicUrl}${feedAddress(token, form, page)}`,
    next: hasNext ? `${publicUrl}${feedAddress(token, form, page + 1)}` : null,
    updated: Math.max(saved.feed?.made ?? 0, ...entries.map(({ updated }) => updated)),
    entries,
  };
}

export function addPublicFeedRoutes(server: FastifyInstance, site: Site): void {
  if (settingOf(site.archive.config, PUBLIC_FEEDS) === 'off') return;
  const changes = new LastChanges();
  for (const form of ['atom', 'json'] as const) {
    addReadRoute(server, {
      path: PUBLIC_FEED_PATHS[form],
      handler: (request, reply) => answerPublicFeed(site, changes, form, request, reply),
    });
  }
}

async function answerPublicFeed(
  site: Site,
  changes: LastChanges,
  form: FeedForm,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { archive, visitors, admission, bytes } = site;
  const { publicUrl } = archive.config;
  const feeds = feedsOf(archive);
  const host = tagHost(publicUrl);
  reply.header('X-Robots-Tag', 'noindex');
  if (host === null) throw new ServiceError('not_found', NO_FEED_HOST);
  limitSearches(site, request, { viewer: null });
  const asked = readAbout(request.raw.url ?? '');
  const { kind } = asked;
  const { echo: query } = interpretWithoutWindow(asked.query);
  const under = readUnder(asked.under)?.echo ?? null;
  const about = { query, kind, under };
  const size = Math.min(archive.config.visitorResults, FEED_PAGE);
  const state = [DOCUMENT_VERSION, publicUrl, about, size, form, await fingerprints(feeds, about)];
  const etag = await etagOf(JSON.stringify(state));
  const now = site.time();
  const changed = changes.timeOf(`${form} ${nameOf(about)}`, etag, now);
  if (isUnchanged(request, reply, { etag, time: changed, now })) return sendUnchanged(reply, etag);
  const wish: FeedWish = {
    ...{ ...about, size, page: 1, older: 'one', host },
    id: tagOf(host, `search:${nameOf(about)}`),
    home: (since) =>
      `${publicUrl}${searchAddress({ ...plainSearch(query, kind), under, since: since ?? null })}`,
  };
  const turn = { admission, bytes, caller: callerName(visitors.of(request)), sort: PUBLIC_FEED_PATHS[form] };
  const self = `${publicUrl}${publicFeedAddress(about, form)}`;
  const body = await documentOf(turn, form, reply, (signal) => publicFeedOf(feeds, wish, self, signal));
  return sendRepresentation(request, reply, { body, etag, type: FEED_FORMS[form], caching: REVALIDATED });
}

function describedAs({ kind, query, under }: Pick<FeedWish, 'kind' | 'query' | 'under'>): string {
  const below = !under ? '' : `, on posts that match: ${under}`;
  return cleanText(`${KIND_TITLES[kind]} that match: ${query || 'everything'}${below}`);
}

/** Permanent, and short for any query. */
function nameOf({ kind, query, under }: AboutSearch): string {
  const named = under ? JSON.stringify([kind, query, under]) : `${kind} ${query}`;
  return createHash('sha256').update(named).digest('hex').slice(0, 32);
}

async function publicFeedOf(
  feeds: FeedService,
  wish: FeedWish,
  self: string,
  signal: AbortSignal,
): Promise<Feed> {
  const { entries: found } = await feeds.page(wish, signal);
  const entries = found.slice(0, wish.size);
  return {
    id: wish.id,
    title: entryTitle(wish.query || `All ${KIND_NAMES[wish.kind]}`),
    description: describedAs(wish),
    home: wish.home(),
    self,
    next: null,
    updated: Math.max(0, ...entries.map(({ updated }) => updated)),
    entries,
  };
}
