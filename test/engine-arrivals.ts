// When records came in, what came in since an arrival, and the matches that came in last: part of the contract in
// engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { Checkpoint, Question, SearchEngine } from '../src/model/engine.ts';
import { type NewsPosition, type NewsRequest, nextNews, ORDERS } from '../src/model/pages.ts';
import { KINDS, type Kind, type StoredComment, type StoredRecord } from '../src/model/record.ts';
import type { ArrivalTime } from '../src/model/time.ts';
import { exported } from './engine-export.ts';
import type { EngineHarness } from './engine-harness.ts';
import { EVERYTHING, engineMaker, fill, firstPage, idsOf, queryOf, RULES } from './engine-suite.ts';
import { comment, jsonLines, post } from './helpers.ts';
import { lineShaper } from './line-shaper.ts';
import { wholeStats } from './whole-stats.ts';

type Arrived = Readonly<Record<string, ArrivalTime>>;

const BEFORE: readonly StoredRecord[] = [
  ...['same', 'scored', 'rated', 'answers', 'edited', 'twice', 'hidden'].map((id) =>
    comment({ id, body: 'one', created: 1_000, retrieved: 1 }),
  ),
  comment({ id: 'gone', body: '[removed]', created: 1_000, retrieved: 1 }),
  ...['same', 'linked', 'titled'].map((id) =>
    post({ id, title: 'one', url: 'https://a.example/', retrieved: 1 }),
  ),
];

const later = (id: string, fields: Partial<StoredComment>) =>
  comment({ id, created: 1_000, body: 'one', retrieved: 2, ...fields });

/** Later copies of some of them, and what is new. */
const AFTER: readonly StoredRecord[] = [
  ...[
    later('scored', { score: 7 }),
    later('rated', { sentiment: 0.5 }),
    later('answers', { parent: 'same' }),
  ],
  ...[later('edited', { body: 'two' }), later('twice', { body: 'two' })],
  later('twice', { body: 'two', score: 3, retrieved: 3 }),
  later('gone', { body: '[removed]', withdrawn: true }),
  comment({ id: 'new', body: 'one' }),
  post({ id: 'linked', title: 'one', url: 'https://b.example/', retrieved: 2 }),
  post({ id: 'titled', title: 'two', url: 'https://a.example/', retrieved: 2 }),
];

const NEWS: Readonly<Record<Kind, readonly string[]>> = {
  comment: ['edited', 'gone', 'new', 'twice'],
  post: ['linked', 'titled'],
};

export function arrivalConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);

  describe(`${harness.name}: when records came in`, () => {
    it('a first copy and another text, title, URL or withdrawal come in; a score, rating or parent alone does not', () =>
      withEngine([], async (engine, place) => {
        const began = unixNow();
        await fill(engine, BEFORE);
        const first = await whole(engine);
        const later = await nextSecond();
        for (const kind of KINDS) {
          for (const time of Object.values(first[kind])) assert.ok(time! >= began && time! < later);
        }
        await fill(engine, AFTER);
        const now = await whole(engine);
        for (const kind of KINDS) {
          const news = Object.keys(now[kind]).filter((id) => now[kind][id]! >= later);
          assert.deepEqual(news.sort(), NEWS[kind]);
          for (const [id, time] of Object.entries(first[kind])) {
            if (!news.includes(id)) assert.equal(now[kind][id], time, id);
          }
        }
        // Nothing of this brings anything in, whoever looks.
        await nextSecond();
        await fill(engine, AFTER);
        await engine.hide(1, 'comment', { ids: ['hidden', 'edited'] });
        await engine.maintain();
        const { hidden: _, edited: __, ...left } = now.comment;
        assert.deepEqual((await whole(engine)).comment, left);
        await engine.restore(1);
        await using other = await place.open({ rules: RULES });
        for (const one of [engine, other]) assert.deepEqual(await whole(one), now);
      }));

    it('what was removed and comes in again has come in again', () =>
      withEngine(BEFORE, async (engine) => {
        await engine.hide(1, 'comment', { ids: ['hidden'] });
        const later = await nextSecond();
        await fill(engine, [comment({ id: 'hidden', body: 'one', created: 1_000, retrieved: 0 })]);
        assert.ok((await whole(engine)).comment.hidden! >= later);
        // The copy that ranks higher is back, and came in when it did.
        await engine.restore(1);
        assert.ok((await whole(engine)).comment.hidden! < later);
      }));

    it('is told after reopening and merges', async () => {
      await using place = harness.place();
      let before: Readonly<Record<Kind, Arrived>>;
      {
        await using engine = await place.open({ rules: RULES });
        for (const record of [...BEFORE, ...AFTER]) await fill(engine, [record]);
        before = await whole(engine);
        await nextSecond();
        await engine.maintain();
        await engine.purge();
        assert.deepEqual(await whole(engine), before);
      }
      await using engine = await place.open({ rules: RULES });
      assert.deepEqual(await whole(engine), before);
    });

    it('may be given with a batch: of what is new, in whatever order; null is not known', () =>
      withEngine([], async (engine, place) => {
        const longAgo = 1_600_000_000;
        const hour = Math.floor(longAgo / 3_600) * 3_600;
        const now = unixNow();
        const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'same', 'edited'];
        const copies = (fields: Partial<StoredComment>) => ids.map((id) => comment({ id, ...fields }));
        type Times = readonly ArrivalTime[];
        const give = (records: readonly StoredRecord[], times: Times, checkpoint?: Checkpoint) =>
          engine.index('comment', packRecords(records), checkpoint, times);
        const last = now - 100;
        const times = [last, longAgo, now - 5_000, null, longAgo + 1, last, 1_000_000, now - 7];
        const report = await give(copies({ body: 'one', retrieved: 1 }), times, { source: 's', state: 'x' });
        assert.deepEqual(report, { added: 8, replaced: 0, unchanged: 0, removed: 0 });
        assert.equal((await engine.checkpoints('comment')).get('s'), 'x');
        const expected: Record<string, ArrivalTime> = {
          ...{ a: last, b: hour, c: now - 5_000, d: null, e: hour, f: last },
          ...{ same: Math.floor(1_000_000 / 3_600) * 3_600, edited: now - 7 },
        };
        const toldNow = async () => (await whole(engine)).comment;
        assert.deepEqual(await toldNow(), expected);
        // The same again, later: nothing comes in.
        await give(copies({ body: 'one', retrieved: 1 }), Array<number>(ids.length).fill(now));
        // Of one whose text is another the time that is given with it; a score alone keeps the time.
        await give(
          [
            comment({ id: 'edited', body: 'two', retrieved: 2 }),
            comment({ id: 'same', body: 'one', score: 9, retrieved: 2 }),
            comment({ id: 'd', body: 'two', retrieved: 2 }),
            comment({ id: 'twice', body: 'one', retrieved: 1 }),
            comment({ id: 'twice', body: 'two', retrieved: 2 }),
          ],
          [now - 3, now - 4, null, now - 6, now - 8],
        );
        const later = { ...expected, edited: now - 3, twice: now - 8 };
        assert.deepEqual(await toldNow(), later);
        assert.equal((await wholeStats(engine)).comment.lacking.arrivals, 1);
        const before = unixNow();
        await fill(engine, [comment({ id: 'new' })]);
        await engine.maintain();
        await engine.purge();
        await using other = await place.open({ rules: RULES });
        for (const one of [engine, other]) {
          const { new: own, ...rest } = (await whole(one)).comment;
          assert.deepEqual(rest, later);
          assert.ok(own! >= before);
        }
      }));

    it('that is given is kept for what the list of removals lets in', async () => {
      await using place = harness.place();
      const removals = {
        version: () => 1,
        refused: (all: readonly StoredRecord[]) => all.map(({ id }) => id === 'b'),
      };
      await using engine = await place.open({ rules: RULES, removals });
      const now = unixNow();
      const records = ['a', 'b', 'c'].map((id) => comment({ id }));
      await engine.index('comment', packRecords(records), undefined, [now - 1, now - 2, now - 3]);
      assert.deepEqual((await whole(engine)).comment, { a: now - 1, c: now - 3 });
    });

    it('is told of the records of a page alone, and only where it is asked for', () =>
      withEngine(BEFORE, async (engine) => {
        const question = { kind: 'comment', query: EVERYTHING } as const;
        assert.equal((await engine.ask({ ...question, page: firstPage('top', 3) })).arrived, undefined);
        assert.deepEqual((await engine.ask({ ...question, arrived: true })).arrived, []);
        const none = await engine.ask({ ...question, page: firstPage('top', 0), arrived: true });
        assert.deepEqual(none.arrived, []);
        for (const order of ORDERS) {
          const short = { ...firstPage(order, 2), maxBytes: 1 };
          const { page, arrived } = await engine.ask({ ...question, page: short, arrived: true });
          assert.equal(arrived!.length, page!.records.length);
        }
      }));

    it('is told to the shaper of an export, of the records that are not withheld', () =>
      withEngine([...BEFORE, ...AFTER], async (engine) => {
        await nextSecond();
        await fill(engine, [comment({ id: 'edited', body: 'three', retrieved: 9 })]);
        const told = (await whole(engine)).comment;
        for (const keepsBack of [false, true]) {
          const shaper = lineShaper({ arrived: true, keepsBack });
          const { text } = await exported(engine, { kind: 'comment', shaper, arrived: true });
          const rows = jsonLines(text).map(({ id, arrived }) => [id, arrived]);
          assert.deepEqual(Object.fromEntries(rows), told);
        }
        const { text } = await exported(engine, { kind: 'post', shaper: lineShaper({ arrived: true }) });
        assert.ok(!text.includes('"arrived"'), 'nobody asked');
      }));
  });
}

/** Of every record; pages of all orders agree. */
async function whole(engine: SearchEngine): Promise<Readonly<Record<Kind, Arrived>>> {
  await engine.refresh();
  return { post: await ofKind(engine, 'post'), comment: await ofKind(engine, 'comment') };
}

async function ofKind(engine: SearchEngine, kind: Kind): Promise<Arrived> {
  const [first, ...others] = await Promise.all(
    ORDERS.map(async (order) => {
      const page = firstPage(order, 1_000);
      const answer = await engine.ask({ kind, query: EVERYTHING, page, arrived: true });
      const { records } = answer.page!;
      assert.equal(answer.arrived!.length, records.length);
      return Object.fromEntries(records.map(({ id }, i) => [id, answer.arrived![i]!]));
    }),
  );
  for (const other of others) assert.deepEqual(other, first);
  return first!;
}

function unixNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** The second that has just begun. */
async function nextSecond(): Promise<number> {
  const before = unixNow();
  while (unixNow() === before) await sleep(1_001 - (Date.now() % 1000));
  return unixNow();
}

const DAY = 86_400;

export function newsConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);

  describe(`${harness.name}: what came in since`, () => {
    it('is what was added or whose text changed; the answer tells how far it goes, which never goes down', () =>
      withEngine([], async (engine) => {
        assert.equal(await arrivalOf(engine), 0, 'nothing ever came in');
        await fill(engine, [solar('a'), solar('b'), solar('c', { body: 'wind' })]);
        const first = await arrivalOf(engine);
        assert.deepEqual(await idsSince(engine, 0), ['a', 'b', 'c']);
        assert.deepEqual(await idsSince(engine, first), []);
        // A score alone is no news, a copy that ranks no higher neither.
        await fill(engine, [solar('a', { score: 7, retrieved: 2 }), solar('b')]);
        const second = await arrivalOf(engine);
        assert.ok(second >= first);
        assert.deepEqual(await idsSince(engine, first), []);
        await fill(engine, [solar('d'), solar('b', { body: 'solar again', retrieved: 3 })]);
        assert.deepEqual(await idsSince(engine, second), ['b', 'd']);
        assert.ok((await arrivalOf(engine)) > second);
        assert.deepEqual(await idsSince(engine, await arrivalOf(engine)), []);
        const { post: ofPosts, comment: ofComments } = await engine.lastArrivals();
        assert.deepEqual([ofPosts, ofComments], [0, await arrivalOf(engine)]);
      }));

    it('narrows totals, shares, breakdowns, timelines, samples, pages of every order and exports alike', () =>
      withEngine([solar('a'), solar('b', { body: 'wind' })], async (engine) => {
        const since = await arrivalOf(engine);
        const news = [
          solar('c', { created: 2 * DAY, score: 4 }),
          solar('d', { created: 3 * DAY, body: 'wind' }),
        ];
        await fill(engine, news);
        const query = queryOf('solar');
        const asked = { kind: 'comment', query, of: EVERYTHING, since } as const;
        const breakdowns = [{ field: 'community', size: 9 }] as const;
        const answer = await engine.ask({ ...asked, breakdowns, timeline: { step: 'day' } });
        assert.deepEqual([answer.total, answer.ofTotal], [1, 2]);
        const rows = answer.breakdowns![0]!.rows.map(({ count, of }) => `${count} of ${of}`);
        assert.deepEqual([rows, answer.timeline!.buckets.map(({ count }) => count)], [['1 of 2'], [1]]);
        for (const order of ORDERS)
          assert.deepEqual(idsOf(await engine.ask({ ...asked, page: firstPage(order, 9) })), ['c']);
        const sample = { order: 'sample', size: 9, seed: '1' } as const;
        assert.deepEqual(idsOf(await engine.ask({ ...asked, page: sample })), ['c']);
        const { answers, arrival } = await engine.askAll([asked, { kind: 'comment', query }]);
        assert.deepEqual([answers[0]!.total, answers[1]!.total, arrival], [1, 2, await arrivalOf(engine)]);
        const all = await exported(engine, { kind: 'comment', since });
        assert.deepEqual([all.head.total, all.head.matches, all.head.arrival], [2, 2, arrival]);
        const drawn = { kind: 'comment', query, since, sample: { size: 5, seed: '1' } } as const;
        assert.equal((await exported(engine, drawn)).head.total, 1);
      }));

    it('of comments under posts is that of comments: their posts may be old', () =>
      withEngine([post({ id: 'p1', title: 'roof' }), solar('a', { post: 'p1' })], async (engine) => {
        const since = await arrivalOf(engine);
        await fill(engine, [solar('b', { post: 'p1' }), solar('c', { post: 'p2' })]);
        const page = firstPage('oldest', 9);
        const under = queryOf('roof');
        const asked = { kind: 'comment', query: EVERYTHING, under, since, page } as const;
        assert.deepEqual(idsOf(await engine.ask(asked)), ['b']);
      }));

    it('merges, removals and reopening bring nothing in; what is taken back keeps its arrival', async () => {
      await using place = harness.place();
      let marks: number[];
      {
        await using engine = await place.open({ rules: { keepOriginals: false } });
        marks = [await arrivalOf(engine)];
        for (const id of ['a', 'b', 'c', 'd']) {
          await fill(engine, [solar(id)]);
          marks.push(await arrivalOf(engine));
        }
        await engine.hide(1, 'comment', { ids: ['b', 'd'] });
        assert.deepEqual(await idsSince(engine, marks[1]!), ['c']);
        await engine.maintain();
        await engine.restore(1);
        await engine.maintain();
      }
      await using engine = await place.open({ rules: { keepOriginals: false } });
      const ids = ['a', 'b', 'c', 'd'];
      for (const [i, since] of marks.entries()) {
        if (since > 0) assert.deepEqual(await idsSince(engine, since), ids.slice(i));
      }
      assert.deepEqual(await idsSince(engine, await arrivalOf(engine)), []);
    });

    it('never is a record of which it is not known when it came in, but for since 0', () =>
      withEngine([], async (engine) => {
        const records = packRecords([solar('a'), solar('b')]);
        await engine.index('comment', records, undefined, [null, 1_600_000_000]);
        assert.deepEqual(await idsSince(engine, 0), ['a', 'b']);
        assert.deepEqual(await idsSince(engine, 1), ['b']);
        assert.deepEqual(await idsSince(engine, await arrivalOf(engine)), []);
        const { news } = await engine.ask(asking({ limit: 9, maxAge: null }));
        assert.equal(news!.records.map(({ record }) => record.id).join(), 'b');
      }));

    it('as news: by arrival down, then newest; page behind page, each record once', () =>
      withEngine([], async (engine) => {
        for (const ids of ['abc', 'de', 'fghi']) {
          const batch = [...ids].map((id, i) => solar(id, { created: 1_600_000_000 + (i >> 1) }));
          await fill(engine, batch);
        }
        const order = ['i', 'h', 'g', 'f', 'e', 'd', 'c', 'b', 'a'];
        for (const limit of [1, 2, 4, 9, 20]) {
          const found: string[] = [];
          let after: NewsPosition | null = null;
          do {
            const { news } = await engine.ask(asking({ limit, maxAge: null, ...(after && { after }) }));
            assert.ok(news!.records.length > 0 && news!.records.length <= limit);
            assert.ok(news!.records.every(({ time }) => time > 1_700_000_000));
            assert.deepEqual(news!.older, []);
            found.push(...news!.records.map(({ record }) => record.id));
            after = nextNews(news!);
          } while (after !== null);
          assert.deepEqual(found, order, `${limit} a page`);
        }
      }));

    it('as news: what was old when it came in is counted by arrival, each arrival on one page', () =>
      withEngine([], async (engine) => {
        const now = Math.floor(Date.now() / 1000);
        const arrivals: number[] = [];
        for (const [n, old] of [3, 0, 2, 1].entries()) {
          const fresh = [0, 1].map((i) => solar(`f${n}${i}`, { created: now - 60 * i }));
          const aged = Array.from({ length: old }, (_, i) =>
            solar(`o${n}${i}`, { created: now - 40 * DAY - i }),
          );
          await fill(engine, [...fresh, ...aged]);
          arrivals.push(await arrivalOf(engine));
        }
        const expected = [`${arrivals[3]}: 1`, `${arrivals[2]}: 2`, `${arrivals[0]}: 3`];
        const counted = (older: readonly { arrival: number; count: number }[]) =>
          older.map(({ arrival, count }) => `${arrival}: ${count}`);
        for (const limit of [1, 3, 8, 50]) {
          const [older, found]: [string[], string[]] = [[], []];
          let after: NewsPosition | null = null;
          do {
            const { news } = await engine.ask(asking({ limit, maxAge: 30 * DAY, ...(after && { after }) }));
            older.push(...counted(news!.older));
            found.push(...news!.records.map(({ record }) => record.id));
            after = nextNews(news!);
          } while (after !== null);
          assert.deepEqual(older, expected, `${limit} a page`);
          assert.equal(new Set(found).size, 8);
          assert.equal(found.length, 8);
        }
        const none = await engine.ask(asking({ limit: 0, maxAge: 30 * DAY }));
        assert.deepEqual([none.news!.records, none.news!.hasMore], [[], true]);
        assert.deepEqual(counted(none.news!.older), expected);
        const since = arrivals[1]!;
        const later = await engine.ask({ ...asking({ limit: 50, maxAge: 30 * DAY }), since });
        assert.deepEqual(counted(later.news!.older), expected.slice(0, 2));
        assert.equal(later.news!.records.length, 4);
      }));
  });
}

function asking(news: NewsRequest): Question {
  return { kind: 'comment', query: EVERYTHING, news };
}

function solar(id: string, fields: Partial<StoredComment> = {}): StoredComment {
  return comment({ id, body: 'solar', created: 1_600_000_000, retrieved: 1, ...fields });
}

async function arrivalOf(engine: SearchEngine): Promise<number> {
  return (await engine.ask({ kind: 'comment', query: EVERYTHING })).arrival;
}

/** In order. */
async function idsSince(engine: SearchEngine, since: number): Promise<string[]> {
  const page = firstPage('oldest', 99);
  const answer = await engine.ask({ kind: 'comment', query: EVERYTHING, since, page });
  return idsOf(answer).sort();
}
