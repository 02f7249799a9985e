// The engine contract: what came in since an arrival, and the matches that came in last.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Question, SearchEngine } from '../src/model/engine.ts';
import { type NewsPosition, type NewsRequest, nextNews, ORDERS } from '../src/model/pages.ts';
import type { StoredComment, StoredRecord } from '../src/model/record.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { exported } from './engine-export.ts';
import type { EngineHarness } from './engine-harness.ts';
import { engineMaker, firstPage, idsOf, queryOf } from './engine-suite.ts';
import { comment, post } from './helpers.ts';

const EVERYTHING = { items: [] };
const DAY = 86_400;

export function newsConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);

  describe(`${harness.name}: what came in since`, () => {
    it('is what was added or whose text changed; the answer tells how far it goes, which never goes down', () =>
      withEngine([], async (engine) => {
        assert.equal(await arrivalOf(engine), 0, 'nothing ever came in');
        await index(engine, [solar('a'), solar('b'), solar('c', { body: 'wind' })]);
        const first = await arrivalOf(engine);
        assert.deepEqual(await idsSince(engine, 0), ['a', 'b', 'c']);
        assert.deepEqual(await idsSince(engine, first), []);
        // A score alone is no news, a copy that ranks no higher neither.
        await index(engine, [solar('a', { score: 7, retrieved: 2 }), solar('b')]);
        const second = await arrivalOf(engine);
        assert.ok(second >= first);
        assert.deepEqual(await idsSince(engine, first), []);
        await index(engine, [solar('d'), solar('b', { body: 'solar again', retrieved: 3 })]);
        assert.deepEqual(await idsSince(engine, second), ['b', 'd']);
        assert.ok((await arrivalOf(engine)) > second);
        assert.deepEqual(await idsSince(engine, await arrivalOf(engine)), []);
        const { post: ofPosts, comment: ofComments } = await engine.lastArrivals();
        assert.deepEqual([ofPosts, ofComments], [0, await arrivalOf(engine)]);
      }));

    it('narrows totals, shares, breakdowns, timelines, samples, pages of every order and exports alike', () =>
      withEngine([solar('a'), solar('b', { body: 'wind' })], async (engine) => {
        const since = await arrivalOf(engine);
        await index(engine, [
          solar('c', { created: 2 * DAY, score: 4 }),
          solar('d', { created: 3 * DAY, body: 'wind' }),
        ]);
        const query = queryOf('solar');
        const asked = { kind: 'comment', query, of: EVERYTHING, since } as const;
        const breakdowns = [{ field: 'community', size: 9 }] as const;
        const answer = await engine.ask({ ...asked, breakdowns, timeline: { step: 'day' } });
        assert.deepEqual([answer.total, answer.ofTotal], [1, 2]);
        assert.deepEqual(
          answer.breakdowns![0]!.rows.map(({ count, of }) => [count, of]),
          [[1, 2]],
        );
        assert.equal(
          answer.timeline!.buckets.reduce((sum, { count }) => sum + count, 0),
          1,
        );
        for (const order of ORDERS)
          assert.deepEqual(idsOf(await engine.ask({ ...asked, page: firstPage(order, 9) })), ['c']);
        const sample = { order: 'sample', size: 9, seed: '1' } as const;
        assert.deepEqual(idsOf(await engine.ask({ ...asked, page: sample })), ['c']);
        const { answers, arrival } = await engine.askAll([asked, { kind: 'comment', query }]);
        assert.deepEqual(
          answers.map(({ total }) => total),
          [1, 2],
        );
        assert.equal(arrival, await arrivalOf(engine));
        const all = await exported(engine, { kind: 'comment', since });
        assert.deepEqual([all.head.total, all.head.matches, all.head.arrival], [2, 2, arrival]);
        const drawn = await exported(engine, {
          kind: 'comment',
          query,
          since,
          sample: { size: 5, seed: '1' },
        });
        assert.equal(drawn.head.total, 1);
      }));

    it('of comments under posts is that of comments: their posts may be old', () =>
      withEngine([post({ id: 'p1', title: 'roof' }), solar('a', { post: 'p1' })], async (engine) => {
        const since = await arrivalOf(engine);
        await index(engine, [solar('b', { post: 'p1' }), solar('c', { post: 'p2' })]);
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
          await index(engine, [solar(id)]);
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
        await engine.index('comment', packRecords([solar('a'), solar('b')]), undefined, [
          null,
          1_600_000_000,
        ]);
        assert.deepEqual(await idsSince(engine, 0), ['a', 'b']);
        assert.deepEqual(await idsSince(engine, 1), ['b']);
        assert.deepEqual(await idsSince(engine, await arrivalOf(engine)), []);
        const { news } = await engine.ask(asking({ limit: 9, maxAge: null }));
        assert.deepEqual(
          news!.records.map(({ record }) => record.id),
          ['b'],
        );
      }));

    it('as news: by arrival down, then newest; page behind page, each record once', () =>
      withEngine([], async (engine) => {
        const batches = [
          ['a', 'b', 'c'],
          ['d', 'e'],
          ['f', 'g', 'h', 'i'],
        ];
        for (const ids of batches) {
          await index(
            engine,
            ids.map((id, i) => solar(id, { created: 1_600_000_000 + (i >> 1) })),
          );
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
          await index(engine, [...fresh, ...aged]);
          arrivals.push(await arrivalOf(engine));
        }
        const expected = [
          [arrivals[3]!, 1],
          [arrivals[2]!, 2],
          [arrivals[0]!, 3],
        ];
        const counted = (older: readonly { arrival: number; count: number }[]) =>
          older.map(({ arrival, count }) => [arrival, count]);
        for (const limit of [1, 3, 8, 50]) {
          const [older, found]: [number[][], string[]] = [[], []];
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

async function index(engine: SearchEngine, records: readonly StoredRecord[]): Promise<void> {
  await engine.index('comment', packRecords(records));
}

async function arrivalOf(engine: SearchEngine): Promise<number> {
  return (await engine.ask({ kind: 'comment', query: EVERYTHING })).arrival;
}

/** In order. */
async function idsSince(engine: SearchEngine, since: number): Promise<string[]> {
  const answer = await engine.ask({
    kind: 'comment',
    query: EVERYTHING,
    since,
    page: firstPage('oldest', 99),
  });
  return idsOf(answer).sort();
}
