// Random histories of imports, replacements, removals and what undoes them, merges, purges and reopenings, and callers
// who ask again and again for what is new, watch it, or read it as a feed: each match must be told once, none twice and
// none lost. What is hidden comes back whatever was merged meanwhile: a history is too short to hide in more segments
// than MAX_HELD.

import assert from 'node:assert/strict';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import {
  type FeedArchive,
  type FeedWish,
  feedPage,
  MAX_FEED_PAGES,
  OLDER_AFTER,
} from '../src/features/saved/feed-routes.ts';
import { newsSince } from '../src/features/saved/watch.ts';
import { compareCopies, mergeCopies } from '../src/model/copies.ts';
import type { ArrivedImport } from '../src/model/coverage.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { isNews, isOlder, type NewsPosition, nextNews } from '../src/model/pages.ts';
import type { Query } from '../src/model/query.ts';
import type { StoredComment } from '../src/model/record.ts';
import { exported } from './engine-export.ts';
import { EVERYTHING, queryOf, RULES } from './engine-suite.ts';
import { randomOf } from './generators/random.ts';
import { comment, folderInMemory, jsonLines } from './helpers.ts';

const IDS = 40;
const TEXTS = ['solar', 'wind', 'solar wind', 'rain'];
const NOW = Math.floor(Date.now() / 1000);

/** What the model keeps of a record: the import that brought it in, or its present text. */
interface Kept {
  readonly record: StoredComment;
  readonly event: number;
  /** When it came in, in Unix seconds. */
  readonly time: number;
}

interface Hidden extends Kept {
  readonly by: Set<number>;
}

interface Caller {
  /** In canonical form. */
  readonly text: string;
  readonly query: Query;
  readonly isMatch: (record: StoredComment) => boolean;
  /** Of the answer before. */
  since: number;
  event: number;
  readonly told: Set<string>;
}

export interface HistoryCounts {
  readonly steps: number;
  readonly asked: number;
  readonly told: number;
}

/** Throws where a caller is told something twice, or something else than what is new. */
export async function runArrivalHistory(seed: number, steps: number): Promise<HistoryCounts> {
  const random = randomOf(seed);
  const pick = (below: number) => Math.floor(random() * below);
  using folder = folderInMemory();
  const open = () => openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
  let engine = await open();
  const live = new Map<string, Kept>();
  let hidden: Hidden[] = [];
  const imports: ArrivedImport[] = [];
  let event = 0;
  let removal = 0;
  let retrieved = 0;
  let [asked, told] = [0, 0];
  const callers: Caller[] = [
    { text: '', query: EVERYTHING, isMatch: () => true, ...fresh() },
    { text: 'solar', query: queryOf('solar'), isMatch: ({ body }) => body.includes('solar'), ...fresh() },
    { text: '-wind', query: queryOf('-wind'), isMatch: ({ body }) => !body.includes('wind'), ...fresh() },
  ];

  const take = async (records: readonly StoredComment[], times?: readonly number[]) => {
    event++;
    for (const record of records) {
      const known = live.get(record.id);
      const merged =
        known === undefined ? record : (mergeCopies(known.record, record, RULES) as StoredComment);
      if (merged === known?.record) continue;
      const isNew = known === undefined || isNews(known.record, merged);
      const time = times?.[records.indexOf(record)] ?? NOW;
      live.set(record.id, { ...(isNew ? { event, time } : known), record: merged });
    }
    await engine.index('comment', packRecords(records), undefined, times);
    await note();
  };
  /** In the log of imports: none, an import of its own, or one that has brought more before. */
  const note = async () => {
    const { arrival } = await engine.ask({ kind: 'comment', query: EVERYTHING });
    const before = imports.at(-1);
    const way = pick(3);
    const number = imports.length + 1;
    if (way === 0 && before !== undefined) imports[imports.length - 1] = { ...before, last: arrival };
    else if (way === 1) imports.push({ number, source: `RC-${number}`, first: arrival, last: arrival });
  };
  const createdAt = () => (pick(2) === 0 ? 1_500_000_000 : NOW - 5_000) + pick(1_000);
  const some = (): StoredComment[] =>
    Array.from({ length: 1 + pick(6) }, () =>
      comment({
        ...{ id: `c${pick(IDS)}`, body: TEXTS[pick(TEXTS.length)]!, created: createdAt() },
        ...{ score: pick(9), retrieved: pick(4) === 0 ? pick(retrieved + 1) : ++retrieved },
      }),
    );
  const newScores = (): StoredComment[] =>
    [...live.values()].slice(0, 1 + pick(5)).map(({ record }) => ({
      ...{ ...record, score: record.score + 1, retrieved: ++retrieved },
    }));
  const hide = async () => {
    const ids = new Set(Array.from({ length: 1 + pick(5) }, () => `c${pick(IDS)}`));
    const by = ++removal;
    for (const copy of hidden) if (ids.has(copy.record.id)) copy.by.add(by);
    for (const id of ids) {
      const known = live.get(id);
      if (known === undefined) continue;
      live.delete(id);
      hidden.push({ ...known, by: new Set([by]) });
    }
    await engine.hide(by, 'comment', { ids: [...ids] });
  };
  const restore = async () => {
    const by = 1 + pick(removal + 1);
    for (const copy of hidden) {
      if (!copy.by.delete(by) || copy.by.size > 0) continue;
      const { record, event: of, time } = copy;
      const other = live.get(record.id);
      if (other === undefined || compareCopies(record, other.record, RULES) > 0)
        live.set(record.id, { record, event: of, time });
    }
    hidden = hidden.filter((copy) => copy.by.size > 0);
    await engine.restore(by);
  };
  const reopen = async () => {
    await engine[Symbol.asyncDispose]();
    engine = await open();
  };
  const purge = async () => {
    hidden = [];
    await engine.purge();
  };
  const askNew = async () => {
    const caller = callers[pick(callers.length)]!;
    const { ids, arrival } = await WAYS[pick(WAYS.length)]!(engine, caller);
    const expected = [...live.values()].filter(
      (one) => one.event > caller.event && caller.isMatch(one.record),
    );
    const names = expected.map(({ record }) => record.id).sort();
    assert.deepEqual(ids.sort(), names, `seed ${seed}: since ${caller.since}`);
    for (const one of expected) {
      const name = `${one.record.id} ${one.event}`;
      assert.ok(!caller.told.has(name), `seed ${seed}: ${name} was told before`);
      caller.told.add(name);
    }
    const matching = [...live.values()].filter(({ record }) => caller.isMatch(record));
    await readFeed(`seed ${seed}, \`${caller.text}\``, {
      ...{ engine, query: caller.text, imports, fresh: names },
      here: matching.map(({ record }) => record.id),
      young: matching
        .filter(({ record, time }) => !isOlder(record.created, time, OLDER_AFTER))
        .map(({ record }) => record.id),
    });
    assert.ok(arrival >= caller.since, `seed ${seed}: never down`);
    caller.since = arrival;
    caller.event = event;
    asked++;
    told += ids.length;
  };
  const acts: readonly (() => Promise<unknown>)[] = [
    ...Array.from({ length: 4 }, () => () => take(some())),
    () => take(newScores()),
    () => {
      const records = some();
      return take(
        records,
        records.map(() => 1_600_000_000 + pick(3)),
      );
    },
    ...Array.from({ length: 5 }, () => askNew),
    ...[hide, hide, restore, restore, purge, reopen, () => engine.maintain()],
  ];
  try {
    for (let step = 0; step < steps; step++) await acts[pick(acts.length)]!();
    for (const caller of callers) assert.ok(caller.since >= 0);
  } finally {
    await engine[Symbol.asyncDispose]();
  }
  return { steps, asked, told };
}

type Way = (
  engine: SearchEngine,
  caller: Pick<Caller, 'query' | 'since'>,
) => Promise<{ readonly ids: string[]; readonly arrival: number }>;

/** How a caller may ask for what is new. */
const WAYS: readonly Way[] = [
  async (engine, { query, since }) => {
    const page = { order: 'newest', limit: 1_000, after: null } as const;
    const answer = await engine.ask({ kind: 'comment', query, since, page });
    assert.equal(answer.total, answer.page!.records.length);
    return { ids: answer.page!.records.map(({ id }) => id), arrival: answer.arrival };
  },
  async (engine, { query, since }) => {
    const { text, head } = await exported(engine, { kind: 'comment', query, since });
    return { ids: jsonLines(text).map(({ id }) => id), arrival: head.arrival };
  },
  async (engine, { query, since }) => {
    const ids: string[] = [];
    let after: NewsPosition | null = null;
    let arrival: number;
    do {
      const news = { limit: 3, maxAge: null, ...(after && { after }) };
      const answer = await engine.ask({ kind: 'comment', query, since, news });
      ids.push(...answer.news!.records.map(({ record }) => record.id));
      arrival = answer.arrival;
      after = nextNews(answer.news!);
    } while (after !== null);
    return { ids, arrival };
  },
  async (engine, { query, since }) => {
    const found = await newsSince(engine, { of: { kind: 'comment', query }, since, maxAge: null });
    const ids = (await Array.fromAsync(found.pages)).flat();
    assert.equal(found.total, ids.length);
    return { ids, arrival: found.arrival };
  },
];

function fresh() {
  return { since: 0, event: 0, told: new Set<string>() };
}

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
  const feeds = {
    engine: feed.engine,
    config: { queryTimeoutMs: 60_000, permalinkBase: 'https://www.reddit.com' },
    catalogue: { importsSince: () => imports },
  };
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

async function entriesOf(feeds: FeedArchive, query: string, older: FeedWish['older']) {
  const wish = { kind: 'comment', under: null, id: FEED, host: HOST, size: PAGE, home: () => '' } as const;
  const entries = [];
  for (let page = 1; page <= MAX_FEED_PAGES; page++) {
    const found = await feedPage(feeds, { ...wish, query, older, page });
    entries.push(...found.entries);
    if (!found.hasNext) break;
  }
  return entries;
}

function recordId(id: string): string | null {
  return /:comment:(.*)$/.exec(id)?.[1] ?? null;
}
