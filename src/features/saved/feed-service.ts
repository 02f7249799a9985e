// What a feed contains: the latest matches of a query, in pages; or one entry that says that the query is refused.
// Contract 21.4 to 21.6.

import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Config } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import type { AboutSearch } from '../../http/addresses.ts';
import type { OneOfMany, SearchEngine } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import type { News, NewsRequest } from '../../model/pages.ts';
import type { Kind } from '../../model/record.ts';
import { DAY } from '../../model/time.ts';
import { tellingLimits, underQuery, withinBudget } from '../../search/asking.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import {
  entryText,
  entryTitle,
  type FeedEntry,
  groupOlder,
  type OlderGroup,
  olderEntry,
  recordEntry,
} from './feed.ts';

/** Maximum of entries on a page, not counting those of older records. */
export const FEED_PAGE = 50;
/** Maximum over all pages. */
export const MAX_FEED_ENTRIES = 1_000;
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

export interface SavedFeedWish extends FeedWish {
  /** Unix seconds: the time of the entry for a refused query. */
  readonly changed: number;
}

export interface FeedPage {
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
export async function feedPageOrRefusal(
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
