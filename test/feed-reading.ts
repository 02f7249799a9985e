// A feed read to its end, held against what is there: each match once, by arrival down, and older ones counted once.

import assert from 'node:assert/strict';
import { FeedService, type FeedWish, MAX_FEED_PAGES } from '../src/feeds/feed-service.ts';
import type { ArrivedImport } from '../src/model/catalogue.ts';
import type { SearchEngine } from '../src/model/engine.ts';

/** Entries of a page: few, so that what a page ends in the midst of is tried. */
const PAGE = 3;
const HOST = 'search.example.org';
const FEED = `tag:${HOST},2026:saved:1`;

export interface FeedToRead {
  readonly engine: SearchEngine;
  /** In canonical form. */
  readonly query: string;
  readonly imports: readonly ArrivedImport[];
  /** Ids of all comments that match: at most PAGE * MAX_FEED_PAGES. */
  readonly here: readonly string[];
  /** Those of them that came in since the feed was last read. */
  readonly fresh: readonly string[];
  /** Those of them that were not older than 30 days when they came in. */
  readonly young: readonly string[];
}

/** Throws where an entry is missing, is told twice, or stands in front of what came in behind it. */
export async function readFeed(told: string, { imports, ...feed }: FeedToRead): Promise<void> {
  const feeds = new FeedService({
    ...{ engine: feed.engine, queryTimeoutMs: 60_000, permalinkBase: 'https://www.reddit.com' },
    imports: () => imports,
  });
  assert.ok(feed.here.length <= PAGE * MAX_FEED_PAGES);
  const all = await entriesOf(feeds, feed.query, 'all');
  const ids = all.map(({ id }) => recordId(id)!);
  assert.deepEqual(ids.toSorted(), feed.here.toSorted(), `${told}: each match is one entry`);
  const top = ids.slice(0, feed.fresh.length);
  assert.deepEqual(top.toSorted(), feed.fresh.toSorted(), `${told}: what is new stands on top`);

  const grouped = await entriesOf(feeds, feed.query, 'one');
  const single = grouped.flatMap(({ id }) => recordId(id) ?? []);
  assert.deepEqual(single.toSorted(), feed.young.toSorted(), `${told}: what is young is told by itself`);
  const groups = grouped.filter(({ id }) => id.startsWith(FEED));
  assert.equal(new Set(groups.map(({ id }) => id)).size, groups.length, `${told}: each group is one entry`);
  const counted = groups.reduce((sum, { title }) => sum + Number(/^[\d,]+/.exec(title)![0]), 0);
  assert.equal(counted, feed.here.length - feed.young.length, `${told}: what is older is counted once`);
}

async function entriesOf(feeds: FeedService, query: string, older: FeedWish['older']) {
  const wish = { kind: 'comment', id: FEED, host: HOST, size: PAGE, home: () => '' } as const;
  const entries = [];
  for (let page = 1; page <= MAX_FEED_PAGES; page++) {
    const found = await feeds.page({ ...wish, query, older, page });
    entries.push(...found.entries);
    if (!found.hasNext) break;
  }
  return entries;
}

function recordId(id: string): string | null {
  return /:comment:(.*)$/.exec(id)?.[1] ?? null;
}
