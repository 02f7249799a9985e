// Orders and pages, where a page ends and what comes behind it: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { MAX_NAMED_RECORDS, type SearchEngine } from '../src/model/engine.ts';
import { countedBytes, ORDERS, type Order, type PageRequest, type TopPosition } from '../src/model/pages.ts';
import { KINDS, type Kind, type StoredRecord } from '../src/model/record.ts';
import type { EngineHarness } from './engine-harness.ts';
import {
  EVERYTHING,
  engineMaker,
  everything,
  firstPage,
  idsOf,
  queryOf,
  testsOver,
  walk,
} from './engine-suite.ts';
import { commentArbitrary, postArbitrary } from './generators/records.ts';
import { comment, linkPost, post, START_OF_2008 } from './helpers.ts';
import { comparator } from './reference/order.ts';

export function pageConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);

  describe(`${name}: order and pages`, () => {
    const tied = [
      post({ id: 'a', created: START_OF_2008, score: 5 }),
      post({ id: 'b', created: START_OF_2008, score: 1_000_000 }),
      post({ id: '10', created: START_OF_2008, score: 5 }),
      post({ id: 'c', created: START_OF_2008 + 1, score: 7_000_000 }),
      post({ id: 'd', created: START_OF_2008 - 1, score: -9 }),
      post({ id: 'e', created: START_OF_2008 + 1, score: 5 }),
    ];
    const test = testsOver(harness, tied);
    const orders: readonly [Order, ...string[]][] = [
      ['newest', 'e', 'c', '10', 'b', 'a', 'd'],
      ['oldest', 'd', 'a', 'b', '10', 'c', 'e'],
      ['top', 'c', 'b', 'e', '10', 'a', 'd'],
    ];
    for (const [order, ...ids] of orders) {
      test(`${order}: ids compare by length then code unit, scores are held to ±1,000,000`, async (engine) => {
        const answer = await engine.ask({ kind: 'post', query: EVERYTHING, page: firstPage(order, 10) });
        assert.deepEqual(idsOf(answer), ids);
      });
    }

    test('a page says where the next one goes on: after the second, or inside it', async (engine) => {
      const next = async (order: Order, limit: number) =>
        (await engine.ask({ kind: 'post', query: EVERYTHING, page: firstPage(order, limit) })).page?.next;
      assert.deepEqual(await next('newest', 1), { second: START_OF_2008 + 1, given: 1 });
      assert.deepEqual(await next('newest', 2), { second: START_OF_2008 + 1, given: 'all' });
      assert.deepEqual(await next('newest', 4), { second: START_OF_2008, given: 2 });
      assert.deepEqual(await next('newest', 6), { second: START_OF_2008 - 1, given: 'all' });
      assert.deepEqual(await next('oldest', 3), { second: START_OF_2008, given: 2 });
      assert.deepEqual(await next('top', 1), { score: 1_000_000, second: START_OF_2008 + 1 });
      assert.deepEqual(await next('top', 4), { score: 5, second: START_OF_2008 });
    });

    test('a page says exactly whether another one comes: none behind a full last page', async (engine) => {
      const hasMore = async (page: PageRequest) =>
        (await engine.ask({ kind: 'post', query: EVERYTHING, page })).page?.hasMore;
      for (const order of ORDERS) {
        assert.equal(await hasMore(firstPage(order, 3)), true, order);
        assert.equal(await hasMore(firstPage(order, 6)), false, order);
        assert.equal(await hasMore(firstPage(order, 7)), false, order);
      }
      assert.equal(await hasMore(firstPage('top', 4)), true);
      assert.equal(await hasMore(firstPage('top', 5)), true);
      const after = { score: 1_000_000, second: START_OF_2008 + 1 };
      const behindOne: PageRequest = { order: 'top', limit: 5, after };
      assert.equal(await hasMore(behindOne), false);
      assert.equal(await hasMore({ ...behindOne, limit: 3 }), true);
      const inSecond = { second: START_OF_2008, given: 1 };
      assert.equal(await hasMore({ order: 'newest', limit: 3, after: inSecond }), false);
      assert.equal(await hasMore({ order: 'newest', limit: 2, after: inSecond }), true);
    });

    test('top never ends between records of one score and second: the page grows over its limit', async (engine) => {
      const answer = await engine.ask({ kind: 'post', query: EVERYTHING, page: firstPage('top', 4) });
      assert.deepEqual(idsOf(answer), ['c', 'b', 'e', '10', 'a']);
    });

    test('a cursor may name a second or score that no record has', async (engine) => {
      const ask = async (page: PageRequest) =>
        idsOf(await engine.ask({ kind: 'post', query: EVERYTHING, page }));
      const between = { second: START_OF_2008 + 1, given: 3 };
      assert.deepEqual(await ask({ order: 'newest', limit: 2, after: between }), ['10', 'b']);
      const later = { second: START_OF_2008 + 99, given: 'all' } as const;
      assert.deepEqual(await ask({ order: 'newest', limit: 1, after: later }), ['e']);
      assert.deepEqual(await ask({ order: 'oldest', limit: 1, after: later }), []);
      const score = { score: 6, second: 0 };
      assert.deepEqual(await ask({ order: 'top', limit: 1, after: score }), ['e']);
    });

    test('a page without records has no next', async (engine) => {
      for (const order of ORDERS) {
        const query = queryOf('nothinglikethis');
        const answer = await engine.ask({ kind: 'post', query, page: firstPage(order, 5) });
        const page = { records: [], next: null, hasMore: false, isShort: false };
        assert.deepEqual(answer, { total: 0, page, arrival: answer.arrival });
      }
    });

    it('a page that would split a second after its 999th record goes on to the end of it', () => {
      const records = Array.from({ length: 1_500 }, (_, i) => comment({ id: String(10_000 + i), body: 'x' }));
      return withEngine([...records, comment({ id: '1', created: 5 })], async (engine) => {
        const ask = async (limit: number, given: number | null) => {
          const after = given === null ? null : { second: START_OF_2008, given };
          const page: PageRequest = { order: 'newest', limit, after };
          const { page: made } = await engine.ask({ kind: 'comment', query: EVERYTHING, page });
          return [made?.records.length, made?.next];
        };
        const splitAt999 = { second: START_OF_2008, given: 999 };
        const whole = { second: START_OF_2008, given: 'all' };
        assert.deepEqual(await ask(999, null), [999, splitAt999]);
        assert.deepEqual(await ask(1_000, null), [1_500, whole]);
        assert.deepEqual(await ask(1, 998), [1, splitAt999]);
        assert.deepEqual(await ask(1, 999), [501, whole]);
        assert.deepEqual(await ask(501, 999), [501, whole]);
        assert.deepEqual(await ask(502, 999), [502, { second: 5, given: 'all' }]);
      });
    });

    it('a walk gives every match once, in order, whatever the ties, page size and byte budget', async () => {
      const records = fc.uniqueArray(postArbitrary(), { minLength: 1, maxLength: 60, selector: (r) => r.id });
      const limits = fc.record({
        limit: fc.integer({ min: 1, max: 20 }),
        maxBytes: fc.constantFrom(0, 2_000, 6_000, Infinity),
      });
      const limitsOf = fc.tuple(...ORDERS.map(() => limits));
      await fc.assert(
        fc.asyncProperty(records, limitsOf, (all, of) =>
          withEngine(all, async (engine) => {
            for (const [i, order] of ORDERS.entries()) {
              const { limit, maxBytes } = of[i]!;
              const expected = [...all].sort(comparator(order)).map((record) => record.id);
              assert.deepEqual(await walk(engine, 'post', order, limit, maxBytes), expected);
            }
          }),
        ),
        { numRuns: 10 },
      );
    });

    test('a scan gives the same records in the same order as a walk', async (engine) => {
      for (const order of ORDERS) {
        const scanned = (await Array.fromAsync(engine.scan('post', EVERYTHING, order))).flat();
        const ids = scanned.map(({ id }) => id);
        assert.deepEqual(ids, await walk(engine, 'post', order, 2));
      }
    });

    it('records come back as they were given', async () => {
      const records = fc.uniqueArray(fc.oneof(postArbitrary(), commentArbitrary()), {
        minLength: 100,
        maxLength: 200,
        selector: (record) => record.kind + record.id,
      });
      await fc.assert(
        fc.asyncProperty(records, (all) =>
          withEngine(all, async (engine) => {
            for (const kind of KINDS) {
              const given = all.filter((record) => record.kind === kind).sort(comparator('oldest'));
              assert.deepEqual(await everything(engine, kind), given);
            }
          }),
        ),
        { numRuns: 3 },
      );
    });

    it('a page of `top` says whether another one comes among many matches, where nothing worse was met', () => {
      // More than are all looked at; two of the best, then nothing but one low score.
      const many = Array.from({ length: 17_000 }, (_, i) =>
        comment({ id: String(100_000 + i), score: 9_000, created: START_OF_2008 }),
      );
      const low = comment({ id: '1', score: -500, created: 5 });
      return withEngine([...many, low], async (engine) => {
        const ask = async (limit: number, after: TopPosition | null) => {
          const page: PageRequest = { order: 'top', limit, after };
          return (await engine.ask({ kind: 'comment', query: EVERYTHING, page })).page!;
        };
        const first = await ask(10, null);
        assert.deepEqual([first.records.length, first.hasMore], [17_000, true]);
        const behindNone = { score: 9_001, second: 0 };
        assert.equal((await ask(10, behindNone)).hasMore, true);
        assert.equal((await ask(1, first.next as TopPosition)).hasMore, false);
      });
    });
  });

  describe(`${name}: the byte budget of a page`, () => {
    const text = 'x'.repeat(1_000);
    /** What each of the records below counts. */
    const size = countedBytes(comment({ id: '10', body: text }));
    const inOneSecond = Array.from({ length: 30 }, (_, i) => comment({ id: String(10 + i), body: text }));
    const inManySeconds = inOneSecond.map((record, i) => ({ ...record, created: START_OF_2008 + i }));
    const test = testsOver(harness, inManySeconds);
    const ask = async (engine: SearchEngine, page: PageRequest) =>
      (await engine.ask({ kind: 'comment', query: EVERYTHING, page })).page!;

    it('a record counts its texts as JSON in UTF-8, and 512 bytes', () => {
      const made = comment({ id: '1', permalink: '/p', body: 'a"\n\u0001é😀\u2028' });
      assert.equal(countedBytes(made), 512 + 4 + (2 + 1 + 2 + 2 + 6 + 2 + 4 + 3));
      const link = linkPost({ id: '1', permalink: '/p', domain: 'd', title: 't', selftext: 'ss' });
      assert.equal(countedBytes(link), 512 + 4 + 3 + '"https://d/"'.length + 3 + 4);
    });

    for (const order of ORDERS) {
      test(`${order}: the page ends before the record with which it would be over, and says so`, async (engine) => {
        for (const [maxBytes, expected] of [
          [10 * size, 10],
          [10 * size - 1, 9],
          [11 * size - 1, 10],
          [0, 1],
        ] as const) {
          const page = await ask(engine, { ...firstPage(order, 20), maxBytes });
          assert.deepEqual([page.records.length, page.isShort, page.hasMore], [expected, true, true]);
        }
        const whole = await ask(engine, { ...firstPage(order, 20), maxBytes: 20 * size });
        assert.deepEqual([whole.records.length, whole.isShort, whole.hasMore], [20, false, true]);
        const last = await ask(engine, { ...firstPage(order, 1_000), maxBytes: 30 * size });
        assert.deepEqual([last.records.length, last.isShort, last.hasMore], [30, false, false]);
      });
    }

    it('newest and oldest end inside a second', () =>
      withEngine(inOneSecond, async (engine) => {
        for (const order of ['newest', 'oldest'] as const) {
          const first = await ask(engine, { order, limit: 30, after: null, maxBytes: 7 * size });
          assert.deepEqual(first.next, { second: START_OF_2008, given: 7 });
          assert.equal((await walk(engine, 'comment', order, 30, 7 * size)).length, 30);
        }
      }));

    it('newest and oldest do not end behind the 999th record of a second: it comes whole', () => {
      const crowd = Array.from({ length: 1_010 }, (_, i) => comment({ id: String(10_000 + i), body: text }));
      const early = comment({ id: '1', created: 5, body: text });
      return withEngine([...crowd, early], async (engine) => {
        const from = (given: number): PageRequest => ({
          order: 'newest',
          limit: 1_000,
          after: { second: START_OF_2008, given },
          // Ids of five digits count a few bytes more: three records fit.
          maxBytes: 4 * size,
        });
        const at999 = await ask(engine, from(996));
        assert.deepEqual(at999.next, { second: START_OF_2008, given: 999 });
        const whole = await ask(engine, from(997));
        assert.deepEqual([whole.records.length, whole.isShort, whole.hasMore], [13, true, true]);
        assert.deepEqual(whole.next, { second: START_OF_2008, given: 'all' });
      });
    });

    it('top never ends inside a tie of score and second: it ends before it, or gives it whole', () => {
      const tie = inOneSecond.slice(0, 8).map((record) => ({ ...record, score: 5 }));
      const best = comment({ id: '1', score: 9, body: text });
      const worst = comment({ id: '2', score: 1, body: text });
      return withEngine([...tie, best, worst], async (engine) => {
        const pages: number[] = [];
        let after: TopPosition | null = null;
        for (let hasMore = true; hasMore; ) {
          const page = await ask(engine, { order: 'top', limit: 1_000, after, maxBytes: 4 * size });
          pages.push(page.records.length);
          after = page.next as TopPosition;
          hasMore = page.hasMore;
        }
        assert.deepEqual(pages, [1, 8, 1]);
      });
    });
  });
}

const POST = post({ id: 'p', title: 'a post', community: 'cats', communityId: 'c1', adult: true });
const RECORDS: readonly StoredRecord[] = [
  POST,
  post({ id: 'both', title: 'also a post' }),
  comment({ id: 'both', body: 'a comment', community: 'cats', created: 9 }),
  comment({ id: 'old', body: 'first', created: 1 }),
  comment({ id: 'new', body: 'last', created: 99, retrieved: 7 }),
];

export function namedConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);
  const idsOf = async (engine: SearchEngine, kind: Kind, ...ids: string[]) =>
    (await engine.records({ kind, ids })).records.map(({ id }) => id);

  describe(`${harness.name}: records by their ids`, () => {
    const test = testsOver(harness, RECORDS);

    test('come whole, in the order of the ids, each once; what is not there is left out', async (engine) => {
      const found = await idsOf(engine, 'comment', 'new', 'nowhere', 'old', 'new', 'both', 'p');
      assert.deepEqual(found, ['new', 'old', 'both']);
      const { records, ...rest } = await engine.records({ kind: 'post', ids: ['both', 'p'] });
      assert.deepEqual(records, [RECORDS[1], POST]);
      assert.deepEqual(Object.keys(rest), ['index']);
      assert.deepEqual((await engine.records({ kind: 'post', ids: [] })).records, []);
    });

    it('are those of the view whose fingerprint is told', () =>
      withEngine(RECORDS, async (engine) => {
        const fingerprint = async () => (await engine.fingerprints()).comment;
        const index = async () => (await engine.records({ kind: 'comment', ids: ['x'] })).index;
        const first = await fingerprint();
        assert.deepEqual(await index(), first);
        await engine.index('comment', packRecords([comment({ id: 'x' })]));
        assert.notDeepEqual(await fingerprint(), first);
        assert.deepEqual(await index(), await fingerprint());
        await engine.hide(1, 'comment', { ids: ['x'] });
        assert.deepEqual(await index(), first);
      }));

    it('what was removed is not there, what was replaced is there once', () =>
      withEngine(RECORDS, async (engine) => {
        const ids = ['old', 'new'];
        await engine.hide(1, 'comment', { ids: ['old'] });
        assert.deepEqual(await idsOf(engine, 'comment', ...ids), ['new']);
        await engine.restore(1);
        assert.deepEqual(await idsOf(engine, 'comment', ...ids), ids);
        await engine.index('comment', packRecords([comment({ id: 'new', body: 'later', retrieved: 8 })]));
        const { records } = await engine.records({ kind: 'comment', ids });
        const bodies = records.map((record) => record.kind === 'comment' && record.body);
        assert.deepEqual(bodies, ['first', 'later']);
      }));

    test('evidence and arrivals come where they are asked for, as with a page', async (engine) => {
      const ids = ['both', 'new'];
      const items = ids.map((id) => ({ kind: 'id', record: { id, of: null }, negated: false }) as const);
      const page = { order: 'oldest', limit: 9, after: null } as const;
      const asked = { kind: 'comment', evidence: true, arrived: true } as const;
      const answer = await engine.ask({ ...asked, query: { items }, page });
      const { evidence, arrived } = await engine.records({ ...asked, ids });
      assert.deepEqual(evidence, answer.evidence);
      assert.equal(evidence!.get('cats')!.adultPosts, 1);
      assert.deepEqual(arrived, answer.arrived);
      assert.ok(arrived!.every((time) => time !== null));
    });

    it(`${MAX_NAMED_RECORDS} at once come in the order of their ids, of one second too`, () => {
      const many = Array.from({ length: MAX_NAMED_RECORDS }, (_, i) => comment({ id: `m${(i * 7) % 1000}` }));
      return withEngine([...RECORDS, ...many], async (engine) => {
        const ids = many.map(({ id }) => id);
        assert.deepEqual(await idsOf(engine, 'comment', ...ids), ids);
      });
    });

    it('larger than their bytes together are an EngineLimit, in whatever order and of one second too', () => {
      const tied = [comment({ id: 't1', body: 'a \u0001 "' }), comment({ id: 't2', body: 'ä'.repeat(900) })];
      return withEngine([...RECORDS, ...tied], async (engine) => {
        const sizes = new Map([...RECORDS, ...tied].flatMap((one) => [[one.id, countedBytes(one)]] as const));
        for (const ids of [['old'], ['new', 'old', 'nowhere', 'new'], ['t2', 't1'], ['t1', 'old', 't2']]) {
          const here = new Set(ids.filter((id) => id !== 'nowhere'));
          const maxBytes = [...here].reduce((sum, id) => sum + sizes.get(id)!, 0);
          const asked = { kind: 'comment', ids, evidence: true } as const;
          const { records } = await engine.records({ ...asked, maxBytes });
          assert.deepEqual(new Set(records.map(({ id }) => id)), here);
          const over = { limit: 'named_bytes', maxBytes: maxBytes - 1 } as const;
          await assert.rejects(engine.records({ ...asked, maxBytes: maxBytes - 1 }), { reached: over });
        }
      });
    });
  });
}
