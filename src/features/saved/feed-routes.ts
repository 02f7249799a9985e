// The feeds of saved searches: the latest matches of a query, in pages, or one entry that says that the query is
// refused. The token in the address gives access; no log, referrer or error contains it. Contract 21.
// Feeds of any search, for visitors, if the operator allows them. They have one page and count against the rate limit
// of visitors' searches. Contract 21.8.

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { type Config, settingOf } from '../../config.ts';
import { parameterFault, ServiceError } from '../../errors.ts';
import {
  type AboutSearch,
  plainSearch,
  readAbout,
  readFirst,
  type SearchState,
  searchAddress,
} from '../../http/addresses.ts';
import { etagOf, isNoneMatch, REVALIDATED, sendRepresentation } from '../../http/answers/representation.ts';
import { addReadRoute } from '../../http/endpoints.ts';
import { type CallerName, callerName, callerSignal } from '../../http/requests/caller.ts';
import { limitNetwork, WindowLimit } from '../../http/requests/limits.ts';
import type { EndpointDeps, Site } from '../../http/site/site.ts';
import { KIND_TITLES } from '../../http/views/format.ts';
import type { OneOfMany, SearchEngine } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import { MAX_PAGE_BYTES, type News, type NewsRequest } from '../../model/pages.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../model/record.ts';
import { DAY, unixNow } from '../../model/time.ts';
import { readUnder, tellingLimits, underQuery, withinBudget } from '../../search/asking.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
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
import {
  atomOf,
  cleanText,
  entryText,
  entryTitle,
  type Feed,
  type FeedEntry,
  groupOlder,
  jsonFeedOf,
  type OlderGroup,
  olderEntry,
  recordEntry,
  tagOf,
} from './feed.ts';
import { savedOf } from './store.ts';

/** Raise it when the same records give another document. */
const DOCUMENT_VERSION = 2;

/** Limits per hour for one feed, all formats together. Contract 21.7. */
export const MAX_FEED_ANSWERS = 60;
export const MAX_FEED_UNCHANGED = 600;
const HOUR_MS = 3_600_000;

/** Feeds with counters in memory (11 MB). Only existing feeds are counted, so invented addresses cannot fill it. */
const PLACES = 2 ** 11;

type FeedDeps = Pick<EndpointDeps, 'archive' | 'admission' | 'bytes'>;

/**
 * A document that a caller wants. `name`: unlike that of any other of its route. `inputs`: what it depends on besides
 * the records and its form, for its ETag.
 */
interface AskedFeed {
  readonly name: string;
  readonly form: FeedForm;
  readonly inputs: readonly unknown[];
  readonly wish: FeedWish;
  readonly title: string;
  /** Unix seconds; the feed is never older. */
  readonly made: number;
  readonly address: (page: number) => string;
  readonly read: (signal: AbortSignal) => Promise<FeedPage>;
  readonly caller: CallerName;
  /** Throws `too_many_requests`. */
  readonly expectRoom?: (isUnchanged: boolean) => void;
}

export function addFeedRoute(server: FastifyInstance, deps: EndpointDeps): void {
  const answers = new WindowLimit(MAX_FEED_ANSWERS, HOUR_MS, PLACES);
  const unchanged = new WindowLimit(MAX_FEED_UNCHANGED, HOUR_MS, PLACES);
  const expectRoom = (feed: string, isUnchanged: boolean) => {
    if (isUnchanged) unchanged.expect(feed, `${MAX_FEED_UNCHANGED} requests of an unchanged feed`);
    else answers.expect(feed, `${MAX_FEED_ANSWERS} answers`);
  };
  addFeed(server, `${FEED_PATH}/:name`, deps, (request) => savedFeed(deps, request, expectRoom));
}

export function addPublicFeedRoutes(server: FastifyInstance, site: Site): void {
  if (settingOf(site.archive.config, PUBLIC_FEEDS) === 'off') return;
  for (const form of ['atom', 'json'] as const)
    addFeed(server, PUBLIC_FEED_PATHS[form], site, (request) => publicFeed(site, form, request));
}

function addFeed(
  server: FastifyInstance,
  path: string,
  deps: FeedDeps,
  read: (request: FastifyRequest) => AskedFeed,
): void {
  const changes = new LastChanges();
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('X-Robots-Tag', 'noindex');
    return await answerFeed(deps, changes, read(request), request, reply);
  };
  addReadRoute(server, { path, handler });
}

async function answerFeed(
  deps: FeedDeps,
  changes: LastChanges,
  asked: AskedFeed,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { name, form, inputs, wish, expectRoom } = asked;
  // Posts too, if comments are selected by their posts.
  const kinds = wish.under ? KINDS : [wish.kind];
  const prints = await Promise.all(kinds.map((kind) => feedFingerprint(deps.archive, kind)));
  const etag = await etagOf(JSON.stringify([DOCUMENT_VERSION, form, ...inputs, prints]));
  const now = unixNow();
  const time = changes.timeOf(name, etag, now);
  if (time <= now) reply.header('Last-Modified', new Date(time * 1000).toUTCString());
  const isUnchanged = hasCurrent(request, etag, time);
  expectRoom?.(isUnchanged);
  if (isUnchanged) {
    const headers = { ETag: etag, 'Cache-Control': REVALIDATED, Vary: 'Accept-Encoding' };
    return reply.code(304).headers(headers).send();
  }
  const body = await documentOf(deps, asked, reply);
  return sendRepresentation(request, reply, { body, etag, type: FEED_FORMS[form], caching: REVALIDATED });
}

/** By its ETag if the caller sends one, else by the time (RFC 9110, 13.2.2). */
function hasCurrent({ headers }: FastifyRequest, etag: string, time: number): boolean {
  if (headers['if-none-match'] !== undefined) return isNoneMatch(headers['if-none-match'], etag);
  return Date.parse(headers['if-modified-since'] ?? '') >= time * 1000;
}

/** Makes the document after admission, once there is memory for it. Throws `busy`, and what `read` throws. */
async function documentOf(deps: FeedDeps, asked: AskedFeed, reply: FastifyReply) {
  const { admission, bytes } = deps;
  const { form, wish, title, made, address, read, caller } = asked;
  const signal = callerSignal(reply);
  const sort = reply.request.routeOptions.url ?? '';
  using _ = await admission.enter({ caller, sort, signal });
  await bytes.hold(reply.raw, { caller, mostBytes: MAX_PAGE_BYTES }, signal);
  const { entries, hasNext } = await read(signal);
  const { id, kind, query, under, page } = wish;
  const below = !under ? '' : `, on posts that match: ${under}`;
  const feed: Feed = {
    ...{ id, title: entryTitle(title) },
    description: cleanText(`${KIND_TITLES[kind]} that match: ${query || 'everything'}${below}`),
    ...{ home: wish.home(), self: address(page), next: hasNext ? address(page + 1) : null },
    updated: Math.max(made, ...entries.map(({ updated }) => updated)),
    entries,
  };
  return form === 'atom' ? atomOf(feed) : jsonFeedOf(feed);
}

/** Throws `not_found`, with a message that repeats nothing of the address, and `bad_value`. */
function savedFeed(
  { archive }: FeedDeps,
  request: FastifyRequest,
  expectRoom: (feed: string, isUnchanged: boolean) => void,
): AskedFeed {
  const { publicUrl } = archive.config;
  const { name: file = '' } = request.params as Readonly<Record<string, string>>;
  const [, token = '', ending = ''] = /^([0-9A-Za-z]+)\.(atom|json)$/.exec(file) ?? [];
  const found = savedOf(archive.accounts).byToken(token);
  if (found === null) {
    throw new ServiceError(
      'not_found',
      'expected the address of a feed, found one that opens none: it was renewed, revoked, or never made',
    );
  }
  const host = expectHost(publicUrl);
  const page = readPage(readFirst(request.raw.url ?? '').get('page') ?? '');
  const form = ending as FeedForm;
  const { id, name, kind, query, under, order, changed, feed } = found;
  const wish: SavedFeedWish = {
    id: tagOf(host, `saved:${id}`),
    ...{ kind, query, under, page, host, changed, size: FEED_PAGE },
    older: feed?.older ?? 'one',
    home: homeOf(publicUrl, { ...plainSearch(query, kind), under, order }),
  };
  return {
    ...{ name: `${id} ${form} ${page}`, form, wish, title: name, made: feed?.made ?? 0 },
    inputs: [publicUrl, id, name, kind, query, under, order, feed?.older, page],
    address: (at) => `${publicUrl}${feedAddress(token, form, at)}`,
    read: (signal) => feedPageOrRefusal(archive, wish, signal),
    caller: callerName(found),
    expectRoom: (isUnchanged) => expectRoom(`${id}`, isUnchanged),
  };
}

function readPage(text: string): number {
  const page = text === '' ? 1 : /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (page >= 1 && page <= MAX_FEED_PAGES) return page;
  throw parameterFault('bad_value', 'page', `1 to ${MAX_FEED_PAGES}`, 'another');
}

function publicFeed(site: Site, form: FeedForm, request: FastifyRequest): AskedFeed {
  const { publicUrl, visitorResults } = site.archive.config;
  const host = expectHost(publicUrl);
  limitNetwork(site.visitorLimit, site.visitors.of(request).network, 'searches');
  const asked = readAbout(request.raw.url ?? '');
  const { kind } = asked;
  const { echo: query } = interpretWithoutWindow(asked.query);
  const under = readUnder(asked.under)?.echo ?? null;
  const about = { query, kind, under };
  const size = Math.min(visitorResults, FEED_PAGE);
  const wish: FeedWish = {
    ...{ ...about, size, page: 1, older: 'one', host },
    id: tagOf(host, `search:${nameOf(about)}`),
    home: homeOf(publicUrl, { ...plainSearch(query, kind), under }),
  };
  return {
    ...{ name: `${form} ${nameOf(about)}`, form, wish, made: 0 },
    title: query || `All ${KIND_NAMES[kind]}`,
    inputs: [publicUrl, about, size],
    address: () => `${publicUrl}${publicFeedAddress(about, form)}`,
    async read(signal) {
      const { entries } = await feedPage(site.archive, wish, signal);
      return { entries: entries.slice(0, size), hasNext: false };
    },
    caller: callerName(site.visitors.of(request)),
  };
}

/** Throws `not_found`. */
function expectHost(publicUrl: string | null): string {
  const host = tagHost(publicUrl);
  if (host === null) throw new ServiceError('not_found', NO_FEED_HOST);
  return host;
}

function homeOf(publicUrl: string | null, state: SearchState): FeedWish['home'] {
  return (since) => `${publicUrl}${searchAddress({ ...state, since: since ?? null })}`;
}

/** Permanent, and short for any query. */
function nameOf({ kind, query, under }: AboutSearch): string {
  const named = under ? JSON.stringify([kind, query, under]) : `${kind} ${query}`;
  return createHash('sha256').update(named).digest('hex').slice(0, 32);
}

/** Documents to remember; a forgotten one counts as changed now. */
const MAX_KNOWN = 10_000;

/** The `Last-Modified` of documents: the second at which this process first saw the current version. */
class LastChanges {
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

/** Maximum of entries on a page, not counting those of older records. */
export const FEED_PAGE = 50;
/** Maximum over all pages. */
const MAX_FEED_ENTRIES = 1_000;
export const MAX_FEED_PAGES = MAX_FEED_ENTRIES / FEED_PAGE;

/** Seconds: a record created longer than this before its arrival is an older record. */
export const OLDER_AFTER = 30 * DAY;

export interface FeedWish extends AboutSearch {
  readonly id: string;
  /** `one`: the older records of an import share an entry; `all`: each has its own; `none`: they are left out. */
  readonly older: 'one' | 'all' | 'none';
  /** Entries per page, not counting those of older records: at most FEED_PAGE. */
  readonly size: number;
  /** From 1 to MAX_FEED_PAGES. */
  readonly page: number;
  readonly host: string;
  /** Address of the search; `since`: only records after that arrival. */
  readonly home: (since?: number) => string;
}

interface SavedFeedWish extends FeedWish {
  /** Unix seconds: the time of the entry for a refused query. */
  readonly changed: number;
}

interface FeedPage {
  /** By arrival, descending. */
  readonly entries: readonly FeedEntry[];
  readonly hasNext: boolean;
}

export interface FeedArchive {
  readonly engine: Pick<SearchEngine, 'refresh' | 'fingerprints' | 'lastArrivals' | 'ask'>;
  readonly catalogue: Pick<Catalogue, 'importsSince'>;
  readonly config: Pick<Config, 'queryTimeoutMs' | 'permalinkBase'>;
}

type Matching = Pick<OneOfMany, 'query' | 'under'>;

/**
 * Changes with every record that is added, changed or removed, and when an import ends. Runs without a worker. Throws
 * the damage of the kind, `query_timeout`.
 */
export async function feedFingerprint(
  { engine, catalogue, config }: FeedArchive,
  kind: Kind,
): Promise<string> {
  const { found, last } = await withinBudget(config.queryTimeoutMs, async () => {
    await engine.refresh();
    const [prints, arrivals] = await Promise.all([engine.fingerprints(), engine.lastArrivals()]);
    return { found: prints[kind], last: arrivals[kind] };
  });
  if (found instanceof IndexDamage) throw found;
  if (last instanceof IndexDamage) throw last;
  const { fingerprint, records } = found;
  const lastImport = catalogue.importsSince(kind, 0).at(-1)?.number ?? 0;
  // `last`: a text that was changed and changed back is news, though the fingerprint is the same.
  return `${fingerprint} ${records} ${last} ${lastImport}`;
}

/** For a query that was accepted when it was saved: its errors become an entry. Throws those of the engine. */
async function feedPageOrRefusal(
  archive: FeedArchive,
  wish: SavedFeedWish,
  signal?: AbortSignal,
): Promise<FeedPage> {
  try {
    return await feedPage(archive, wish, signal);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 400) throw error;
    return { entries: wish.page === 1 ? [refusal(wish, error)] : [], hasNext: false };
  }
}

/** Throws the errors of the query and of the engine. */
export async function feedPage(
  archive: FeedArchive,
  wish: FeedWish,
  signal?: AbortSignal,
): Promise<FeedPage> {
  const { kind, page, size, older, host } = wish;
  const { query } = interpretWithoutWindow(wish.query);
  const asked = { query, ...underQuery(wish.under) };
  await archive.engine.refresh();
  const maxAge = older === 'all' ? null : OLDER_AFTER;
  const news = await newsOf(archive, wish, { ...asked, news: { limit: page * size, maxAge } }, signal);
  const before = (page - 1) * size;
  if (page > 1 && news.records.length <= before) return { entries: [], hasNext: false };
  const { permalinkBase } = archive.config;
  const records = news.records.slice(before).map((record) => ({
    arrival: record.arrival,
    entry: recordEntry(record, { host, permalinkBase }),
  }));
  const groups = older === 'one' ? await groupsOf(archive, wish, asked, news, signal) : [];
  const told = groups.map((group) => ({
    arrival: group.arrival,
    entry: olderEntry(group, kind, { id: wish.id, link: wish.home(group.least - 1) }),
  }));
  const entries = [...told, ...records].sort((a, b) => b.arrival - a.arrival).map(({ entry }) => entry);
  return { entries, hasNext: news.hasMore && page < MAX_FEED_PAGES };
}

/** The groups whose last arrival is on this page, each complete. */
async function groupsOf(
  archive: FeedArchive,
  wish: FeedWish,
  asked: Matching,
  { records, hasMore, older }: News,
  signal?: AbortSignal,
): Promise<readonly OlderGroup[]> {
  if (older.length === 0) return [];
  const imports = archive.catalogue.importsSince(wish.kind, 0);
  const most = wish.page === 1 ? Infinity : records[(wish.page - 1) * wish.size - 1]!.arrival;
  const groups = groupOlder(older, imports).filter(({ arrival }) => arrival <= most);
  if (groups.length === 0 || !hasMore) return groups;
  // A group may continue past this page.
  const since = Math.min(...groups.map(({ first }) => first)) - 1;
  const news = { limit: 0, maxAge: OLDER_AFTER };
  const whole = await newsOf(archive, wish, { ...asked, since, news }, signal);
  const names = new Set(groups.map(({ name }) => name));
  return groupOlder(whole.older, imports).filter(({ name }) => names.has(name));
}

async function newsOf(
  { engine, config: { queryTimeoutMs: timeoutMs } }: FeedArchive,
  { kind, query: text, under }: FeedWish,
  question: Matching & { readonly since?: number; readonly news: NewsRequest },
  signal?: AbortSignal,
): Promise<News> {
  const ask = () => engine.ask({ kind, timeoutMs, ...question }, signal);
  return (await tellingLimits(text, ask, under ?? '')).news!;
}

function refusal({ id, query, changed, home }: SavedFeedWish, { message }: ServiceError): FeedEntry {
  return {
    id: `${id}:refused`,
    title: 'This search cannot be answered any more',
    link: home(),
    text: entryText(
      `The query \`${entryTitle(query)}\` is refused: ${message}. Save it again, or remove this feed.`,
    ),
    published: null,
    updated: changed,
    tags: [],
  };
}
