// What an engine is: the contract of `SearchEngine`, called once for each engine. Expectations are written by hand;
// agreement with the reference engine on random input is in engine-agreement.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CopyRules } from '../src/model/copies.ts';
import type { Answer, Question, SearchEngine } from '../src/model/engine.ts';
import { comparator, ORDERS, type Order, type PageRequest } from '../src/model/order.ts';
import { PrefixTooBroadError } from '../src/model/prefix-limit.ts';
import type { Kind, StoredRecord } from '../src/model/record.ts';
import type { RemovalList } from '../src/model/removals.ts';
import { interpretQuery } from '../src/search/interpret.ts';
import { type DamageWay, damageConformance } from './engine-damage.ts';
import { pageConformance } from './engine-pages.ts';
import { removalConformance } from './engine-removals.ts';
import { commentArbitrary, postArbitrary } from './generators/records.ts';
import { comment, linkPost, post, START_OF_2008, temporaryFolder } from './helpers.ts';
import { wholeStats } from './whole-stats.ts';

export type OpenEngine = (folder: string, rules: CopyRules, removals?: RemovalList) => Promise<SearchEngine>;

const RULES: CopyRules = { keepOriginals: false };
const EVERYTHING = { items: [] };

function queryOf(text: string) {
  return interpretQuery(text, { impliedWindow: 'off' }).query;
}

/** `damages`: how a kind of this engine is damaged on disk, or why it cannot be. */
export function engineConformance(
  name: string,
  open: OpenEngine,
  damages: readonly DamageWay[] | string,
): void {
  removalConformance(name, open);
  pageConformance(name, { withEngine, walk, firstPage });
  damageConformance(name, open, damages);

  /** Runs `test` with an engine over these records, in a folder of its own. */
  async function withEngine(
    records: readonly StoredRecord[],
    test: (engine: SearchEngine, folder: string) => Promise<void>,
    rules = RULES,
  ): Promise<void> {
    using folder = temporaryFolder();
    await using engine = await open(folder.path, rules);
    await fill(engine, records);
    await test(engine, folder.path);
  }

  describe(`${name}: matching`, () => {
    for (const { records, cases } of matchingTables()) {
      for (const [query, ...ids] of cases) {
        it(`${records[0]!.kind}s, \`${query}\` finds ${ids.join(' ') || 'nothing'}`, () =>
          withEngine(records, async (engine) => {
            const { kind } = records[0]!;
            const answer = await engine.ask({ kind, query: queryOf(query!), page: firstPage('oldest', 100) });
            assert.deepEqual(idsOf(answer), ids);
            assert.equal(answer.total, ids.length);
          }));
      }
    }

    it('kinds do not mix', () =>
      withEngine([post({ id: 'p', title: 'solar' }), comment({ id: 'c', body: 'solar' })], async (engine) => {
        const ask = async (kind: Kind) =>
          idsOf(await engine.ask({ kind, query: queryOf('solar'), page: firstPage('newest', 9) }));
        assert.deepEqual(await ask('post'), ['p']);
        assert.deepEqual(await ask('comment'), ['c']);
      }));

    it('a prefix with more than 100,000 words behind it is refused, 100,000 are not', () => {
      const words = Array.from({ length: 100_000 }, (_, i) => `ww${i}`);
      const records = [
        comment({ id: '1', body: `wz1 ${words.slice(0, 60_000).join(' ')}` }),
        comment({ id: '2', body: `wz2 ${words.slice(50_000).join(' ')}` }),
      ];
      return withEngine(records, async (engine) => {
        const ask = () => engine.ask({ kind: 'comment', query: queryOf('wz* Ww*') });
        assert.equal((await ask()).total, 2);
        await engine.index('comment', [comment({ id: '3', body: 'wwmore' })]);
        await assert.rejects(ask(), (error) => {
          assert.ok(error instanceof PrefixTooBroadError, 'also where another thread refused it');
          assert.deepEqual(error.word, { kind: 'prefix', prefix: 'ww', typed: 'Ww' });
          return true;
        });
      });
    });
  });

  describe(`${name}: order and pages`, () => {
    const tied = [
      post({ id: 'a', created: START_OF_2008, score: 5 }),
      post({ id: 'b', created: START_OF_2008, score: 1_000_000 }),
      post({ id: '10', created: START_OF_2008, score: 5 }),
      post({ id: 'c', created: START_OF_2008 + 1, score: 7_000_000 }),
      post({ id: 'd', created: START_OF_2008 - 1, score: -9 }),
      post({ id: 'e', created: START_OF_2008 + 1, score: 5 }),
    ];
    const orders: readonly [Order, ...string[]][] = [
      ['newest', 'e', 'c', '10', 'b', 'a', 'd'],
      ['oldest', 'd', 'a', 'b', '10', 'c', 'e'],
      ['top', 'c', 'b', 'e', '10', 'a', 'd'],
    ];
    for (const [order, ...ids] of orders) {
      it(`${order}: ids compare by length then code unit, scores are held to ±1,000,000`, () =>
        withEngine(tied, async (engine) => {
          const answer = await engine.ask({ kind: 'post', query: EVERYTHING, page: firstPage(order, 10) });
          assert.deepEqual(idsOf(answer), ids);
        }));
    }

    it('a page says where the next one goes on: after the second, or inside it', () =>
      withEngine(tied, async (engine) => {
        const next = async (order: Order, limit: number) =>
          (await engine.ask({ kind: 'post', query: EVERYTHING, page: firstPage(order, limit) })).page?.next;
        assert.deepEqual(await next('newest', 1), { second: START_OF_2008 + 1, given: 1 });
        assert.deepEqual(await next('newest', 2), { second: START_OF_2008 + 1, given: 'all' });
        assert.deepEqual(await next('newest', 4), { second: START_OF_2008, given: 2 });
        assert.deepEqual(await next('newest', 6), { second: START_OF_2008 - 1, given: 'all' });
        assert.deepEqual(await next('oldest', 3), { second: START_OF_2008, given: 2 });
        assert.deepEqual(await next('top', 1), { score: 1_000_000, second: START_OF_2008 + 1 });
        assert.deepEqual(await next('top', 4), { score: 5, second: START_OF_2008 });
      }));

    it('top never ends between records of one score and second: the page grows over its limit', () =>
      withEngine(tied, async (engine) => {
        const answer = await engine.ask({ kind: 'post', query: EVERYTHING, page: firstPage('top', 4) });
        assert.deepEqual(idsOf(answer), ['c', 'b', 'e', '10', 'a']);
      }));

    it('a cursor may name a second or score that no record has', () =>
      withEngine(tied, async (engine) => {
        const ask = async (page: PageRequest) =>
          idsOf(await engine.ask({ kind: 'post', query: EVERYTHING, page }));
        const between = { second: START_OF_2008 + 1, given: 3 };
        assert.deepEqual(await ask({ order: 'newest', limit: 2, after: between }), ['10', 'b']);
        const later = { second: START_OF_2008 + 99, given: 'all' } as const;
        assert.deepEqual(await ask({ order: 'newest', limit: 1, after: later }), ['e']);
        assert.deepEqual(await ask({ order: 'oldest', limit: 1, after: later }), []);
        const score = { score: 6, second: 0 };
        assert.deepEqual(await ask({ order: 'top', limit: 1, after: score }), ['e']);
      }));

    it('a page without records has no next', () =>
      withEngine(tied, async (engine) => {
        for (const order of ORDERS) {
          const query = queryOf('nothinglikethis');
          const answer = await engine.ask({ kind: 'post', query, page: firstPage(order, 5) });
          const page = { records: [], next: null, hasMore: false, isShort: false };
          assert.deepEqual(answer, { total: 0, page });
        }
      }));

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
      await fc.assert(
        fc.asyncProperty(
          records,
          fc.constantFrom(...ORDERS),
          fc.integer({ min: 1, max: 20 }),
          fc.constantFrom(0, 2_000, 6_000, Infinity),
          (all, order, limit, maxBytes) =>
            withEngine(all, async (engine) => {
              const expected = [...all].sort(comparator(order)).map((record) => record.id);
              assert.deepEqual(await walk(engine, 'post', order, limit, maxBytes), expected);
            }),
        ),
        { numRuns: 30 },
      );
    });

    it('a scan gives the same records in the same order as a walk', () =>
      withEngine(tied, async (engine) => {
        for (const order of ORDERS) {
          const ids: string[] = [];
          for await (const batch of engine.scan('post', EVERYTHING, order)) {
            ids.push(...batch.map((record) => record.id));
          }
          assert.deepEqual(ids, await walk(engine, 'post', order, 2));
        }
      }));

    it('records come back as they were given', async () => {
      const records = fc.uniqueArray(fc.oneof(postArbitrary(), commentArbitrary()), {
        maxLength: 20,
        selector: (record) => record.kind + record.id,
      });
      await fc.assert(
        fc.asyncProperty(records, (all) =>
          withEngine(all, async (engine) => {
            for (const kind of ['post', 'comment'] as const) {
              const given = all.filter((record) => record.kind === kind).sort(comparator('oldest'));
              assert.deepEqual(await everything(engine, kind), given);
            }
          }),
        ),
        { numRuns: 30 },
      );
    });
  });

  describe(`${name}: breakdowns and timeline`, () => {
    const records = [
      linkPost({ id: '1', domain: 'youtu.be', community: 'cats', created: START_OF_2008 }),
      linkPost({ id: '2', domain: 'youtu.be', community: 'cats', created: START_OF_2008 + 86_400 }),
      linkPost({ id: '3', domain: 'a.example', community: 'dogs', created: START_OF_2008 + 3 * 86_400 }),
      post({ id: '4', domain: 'self.AskMen', community: 'askmen', created: START_OF_2008 + 3 * 86_400 }),
      linkPost({ id: '5', domain: '', community: 'askmen', created: START_OF_2008 + 3 * 86_400 + 5 }),
    ];
    const ask = async (engine: SearchEngine, text: string, question: Partial<Question>): Promise<Answer> =>
      engine.ask({ kind: 'post', query: queryOf(text), ...question });

    it('rows come by count down, then name by code unit; `distinct` counts them all', () =>
      withEngine(records, async (engine) => {
        const breakdowns = [
          { field: 'community', size: 2 },
          { field: 'domain', size: 10 },
        ] as const;
        const answer = await ask(engine, '', { breakdowns });
        assert.deepEqual(answer.breakdowns, [
          {
            field: 'community',
            rows: [
              { name: 'askmen', count: 2 },
              { name: 'cats', count: 2 },
            ],
            distinct: 3,
          },
          {
            field: 'domain',
            rows: [
              { name: 'youtu.be', count: 2 },
              { name: 'a.example', count: 1 },
              { name: 'self.AskMen', count: 1 },
            ],
            distinct: 3,
          },
        ]);
      }));

    it('rows that are passed over are those with the highest counts', () =>
      withEngine(records, async (engine) => {
        const breakdowns = [
          { field: 'community', size: 2, skip: 1 },
          { field: 'domain', size: 2, skip: 9 },
        ] as const;
        const [communities, domains] = (await ask(engine, '', { breakdowns })).breakdowns!;
        assert.deepEqual(communities?.rows, [
          { name: 'cats', count: 2 },
          { name: 'dogs', count: 1 },
        ]);
        assert.equal(communities?.distinct, 3);
        assert.deepEqual(domains, { field: 'domain', rows: [], distinct: 3 });
      }));

    it('with a prefix only names that begin so are counted, in any case', () =>
      withEngine(records, async (engine) => {
        const breakdowns = [
          { field: 'domain', size: 5, prefix: 'self.ask' },
          { field: 'community', size: 5, prefix: 'x' },
        ] as const;
        const [domains, communities] = (await ask(engine, '', { breakdowns })).breakdowns!;
        assert.deepEqual(domains, {
          field: 'domain',
          rows: [{ name: 'self.AskMen', count: 1 }],
          distinct: 1,
        });
        assert.deepEqual(communities, { field: 'community', rows: [], distinct: 0 });
      }));

    it('a comment counts once for each domain it links to', () => {
      const body = 'https://a.example/1 https://www.a.example/2 and www.b.example';
      return withEngine([comment({ id: '1', body }), comment({ id: '2', body: 'none' })], async (engine) => {
        const breakdowns = [{ field: 'domain', size: 10 }] as const;
        const answer = await engine.ask({ kind: 'comment', query: EVERYTHING, breakdowns });
        assert.deepEqual(answer.breakdowns?.[0]?.rows, [
          { name: 'a.example', count: 1 },
          { name: 'b.example', count: 1 },
        ]);
      });
    });

    it('a timeline runs from the first match to the last, empty buckets included', () =>
      withEngine(records, async (engine) => {
        const { timeline } = await ask(engine, '', { timeline: true });
        const day = (n: number, count: number) => ({ start: START_OF_2008 + n * 86_400, count });
        assert.deepEqual(timeline, { step: 'day', buckets: [day(0, 1), day(1, 1), day(2, 0), day(3, 3)] });
      }));

    it('a timeline keeps to the bounds of the query where it has some', () =>
      withEngine(records, async (engine) => {
        const { timeline } = await ask(engine, 'after:2007-12-31,before:2008-01-03', { timeline: true });
        const day = (n: number, count: number) => ({ start: START_OF_2008 + n * 86_400, count });
        assert.deepEqual(timeline, { step: 'day', buckets: [day(-1, 0), day(0, 1), day(1, 1)] });
      }));

    it('without matches there are no rows and no buckets', () =>
      withEngine(records, async (engine) => {
        const breakdowns = [{ field: 'domain', size: 10 }] as const;
        const answer = await ask(engine, 'nothinglikethis', { breakdowns, timeline: true });
        assert.deepEqual(answer.breakdowns, [{ field: 'domain', rows: [], distinct: 0 }]);
        assert.deepEqual(answer.timeline?.buckets, []);
      }));
  });

  describe(`${name}: copies, removals, communities`, () => {
    it('the report counts each id once as added or replaced, the rest as unchanged', () =>
      withEngine([comment({ id: '1', score: 1 }), comment({ id: '2', score: 1 })], async (engine) => {
        const batch = [
          comment({ id: '1', score: 1 }),
          comment({ id: '2', score: 2 }),
          comment({ id: '2', score: 3 }),
          comment({ id: '3', score: 1 }),
          comment({ id: '3', score: 0 }),
        ];
        assert.deepEqual(await engine.index('comment', batch), {
          added: 1,
          replaced: 1,
          unchanged: 3,
          removed: 0,
        });
        assert.deepEqual(await engine.index('comment', batch), {
          added: 0,
          replaced: 0,
          unchanged: 5,
          removed: 0,
        });
        const scores = (await everything(engine, 'comment')).map((record) => record.score);
        assert.deepEqual(scores, [1, 3, 1]);
      }));

    it('a replaced record is found by its new words, time and community alone', () =>
      withEngine([post({ id: '1', title: 'old cats', created: 100, community: 'cats' })], async (engine) => {
        const newer = post({ id: '1', title: 'new dogs', created: 900, community: 'dogs', retrieved: 9 });
        await engine.index('post', [newer]);
        for (const [text, total] of [
          ['old', 0],
          ['/r/cats', 0],
          ['dogs', 1],
          ['/r/dogs', 1],
          ['', 1],
        ] as const) {
          assert.equal((await engine.ask({ kind: 'post', query: queryOf(text) })).total, total, text);
        }
      }));

    it('copies rank: withdrawn, retrieval, score; a folder may keep originals instead', async () => {
      const original = comment({ id: '1', body: 'text', retrieved: 9, score: 4 });
      const withdrawn = comment({ id: '1', body: '[deleted]', withdrawn: true, score: 2 });
      for (const keepOriginals of [false, true]) {
        for (const copies of [
          [original, withdrawn],
          [withdrawn, original],
        ]) {
          const test = async (engine: SearchEngine) => {
            const [record] = await everything(engine, 'comment');
            assert.deepEqual(record, keepOriginals ? original : withdrawn);
          };
          await withEngine(copies, test, { keepOriginals });
        }
      }
    });

    it('the index does not depend on the order, the batches or the repetition of imports', async () => {
      const arbitrary = fc.array(commentArbitrary(true), { minLength: 1, maxLength: 30 }).chain((records) =>
        fc.record({
          records: fc.constant(records),
          shuffled: fc.shuffledSubarray([...records, ...records], { minLength: records.length * 2 }),
          size: fc.integer({ min: 1, max: 9 }),
          keepOriginals: fc.boolean(),
        }),
      );
      await fc.assert(
        fc.asyncProperty(arbitrary, async ({ records, shuffled, size, keepOriginals }) => {
          const rules = { keepOriginals };
          const expected: StoredRecord[] = [];
          const inOne = async (engine: SearchEngine) => {
            expected.push(...(await everything(engine, 'comment')));
          };
          await withEngine(records, inOne, rules);
          const inBatches = async (engine: SearchEngine) => {
            for (let at = 0; at < shuffled.length; at += size) {
              await engine.index('comment', shuffled.slice(at, at + size));
            }
            assert.deepEqual(await everything(engine, 'comment'), expected);
          };
          await withEngine([], inBatches, rules);
        }),
        { numRuns: 25 },
      );
    });

    it('a removed record is in no result, count or breakdown; unknown ids are passed over', () =>
      withEngine([post({ id: '1', title: 'cats' }), post({ id: '2', title: 'cats' })], async (engine) => {
        assert.equal(await engine.hide(1, 'post', { ids: ['1', '1', 'unknown'] }), 1);
        const breakdowns = [{ field: 'community', size: 5 }] as const;
        const page = firstPage('newest', 5);
        const answer = await engine.ask({ kind: 'post', query: queryOf('cats'), page, breakdowns });
        assert.equal(answer.total, 1);
        assert.deepEqual(idsOf(answer), ['2']);
        assert.deepEqual(answer.breakdowns?.[0]?.rows, [{ name: 'energy', count: 1 }]);
        assert.equal((await wholeStats(engine)).post.records, 1);
      }));

    it('communities: the least id that any record gives, and how many posts are adult', () =>
      withEngine(
        [
          post({ id: '1', community: 'a', communityId: '10', adult: true }),
          post({ id: '2', community: 'a', communityId: 'z', adult: false }),
          post({ id: '3', community: 'a', adult: null }),
          comment({ id: '4', community: 'a', communityId: '2' }),
          comment({ id: '5', community: 'b' }),
        ],
        async (engine) => {
          const found = await engine.communities(['a', 'b', 'unknown']);
          assert.deepEqual(Object.fromEntries(found), {
            a: { id: '2', judgedPosts: 2, adultPosts: 1 },
            b: { id: '', judgedPosts: 0, adultPosts: 0 },
          });
          await engine.hide(1, 'comment', { ids: ['4', '5'] });
          const left = await engine.communities(['a', 'b']);
          assert.deepEqual(Object.fromEntries(left), { a: { id: 'z', judgedPosts: 2, adultPosts: 1 } });
        },
      ));

    it('stats: records, communities, first and last second', () =>
      withEngine(
        [post({ id: '1', created: 7 }), post({ id: '2', created: 9, community: 'b' })],
        async (engine) => {
          const stats = await wholeStats(engine);
          const { bytes, segments, ...rest } = stats.post;
          assert.deepEqual(rest, { records: 2, communities: 2, first: 7, last: 9 });
          assert.ok(segments >= 1);
          assert.ok(bytes > 0);
          assert.deepEqual(
            { ...stats.comment, bytes: 0 },
            { records: 0, communities: 0, first: null, last: null, segments: 0, bytes: 0 },
          );
        },
      ));
  });

  describe(`${name}: life of the folder`, () => {
    it('what was acknowledged is there after reopening, checkpoints too', () =>
      withEngine(
        [post({ id: '1', title: 'cats' }), comment({ id: '2', body: 'dogs' })],
        async (first, folder) => {
          await first.index('post', [post({ id: '3', title: 'cats' })], { source: 'file', state: 'line 3' });
          await first.hide(1, 'post', { ids: ['1'] });
          await first[Symbol.asyncDispose]();
          await using again = await open(folder, RULES);
          assert.equal((await again.ask({ kind: 'post', query: queryOf('cats') })).total, 1);
          assert.equal((await again.ask({ kind: 'comment', query: queryOf('dogs') })).total, 1);
          assert.equal(await again.checkpoint('post', 'file'), 'line 3');
          assert.equal(await again.checkpoint('comment', 'file'), null);
          await again.index('post', [], { source: 'file', state: 'end' });
          assert.equal(await again.checkpoint('post', 'file'), 'end');
          await again.index('post', [], { source: 'file', state: null });
          assert.equal(await again.checkpoint('post', 'file'), null);
        },
      ));

    it('a reader beside the writer sees each batch as a whole after a refresh', () =>
      withEngine([], async (writer, folder) => {
        await using reader = await open(folder, RULES);
        const total = async () => (await reader.ask({ kind: 'post', query: EVERYTHING })).total;
        assert.equal(await total(), 0);
        await writer.index('post', [post({ id: '1' }), post({ id: '2' })]);
        await reader.refresh();
        assert.equal(await total(), 2);
        await writer.hide(1, 'post', { ids: ['1'] });
        await reader.refresh();
        assert.equal(await total(), 1);
      }));

    it('a scan that was called before a change gives the view at the call, however late it is read', () =>
      withEngine([post({ id: '1' }), post({ id: '2' })], async (engine) => {
        const scan = engine.scan('post', EVERYTHING, 'oldest');
        await engine.index('post', [post({ id: '3' })]);
        await engine.hide(1, 'post', { ids: ['1'] });
        const ids: string[] = [];
        for await (const batch of scan) ids.push(...batch.map(({ id }) => id));
        assert.deepEqual(ids, ['1', '2']);
        assert.deepEqual(
          (await everything(engine, 'post')).map(({ id }) => id),
          ['2', '3'],
        );
      }));

    it('a query without any time left is refused as too slow, never cut short', () =>
      withEngine([post({ id: '1', title: 'cats' })], (engine) =>
        assert.rejects(engine.ask({ kind: 'post', query: queryOf('cats'), timeoutMs: 0 }), {
          code: 'query_timeout',
        }),
      ));
  });
}

function firstPage(order: Order, limit: number): PageRequest {
  return { order, limit, after: null };
}

function idsOf(answer: Answer): string[] {
  return (answer.page?.records ?? []).map((record) => record.id);
}

async function fill(engine: SearchEngine, records: readonly StoredRecord[]): Promise<void> {
  for (const kind of ['post', 'comment'] as const) {
    const ofKind = records.filter((record) => record.kind === kind);
    if (ofKind.length > 0) await engine.index(kind, ofKind);
  }
}

/** Every record of a kind, oldest first. */
async function everything(engine: SearchEngine, kind: Kind): Promise<readonly StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const batch of engine.scan(kind, EVERYTHING, 'oldest')) records.push(...batch);
  return records;
}

/** Ids of a walk over all pages; fails where a page's total differs or a page but the last is short. */
async function walk(
  engine: SearchEngine,
  kind: Kind,
  order: Order,
  limit: number,
  maxBytes = Infinity,
): Promise<string[]> {
  const ids: string[] = [];
  let page: PageRequest = { ...firstPage(order, limit), maxBytes };
  for (;;) {
    const answer = await engine.ask({ kind, query: EVERYTHING, page });
    const given = answer.page?.records ?? [];
    ids.push(...given.map((record) => record.id));
    const { next = null, hasMore = false, isShort } = answer.page ?? {};
    assert.ok(!hasMore || isShort || given.length >= limit, 'a page but the last is full');
    assert.equal(hasMore, ids.length < answer.total);
    if (!hasMore) return ids;
    page = { order, limit, maxBytes, after: next } as PageRequest;
  }
}

/** Query → ids in `oldest` order, over records whose ids are in that order. */
function matchingTables(): readonly {
  readonly records: readonly StoredRecord[];
  readonly cases: readonly (readonly string[])[];
}[] {
  const at = (n: number) => START_OF_2008 + n;
  return [
    {
      records: [
        linkPost({ id: '1', created: at(1), title: 'Solar panel', domain: 'm.youtube.com', score: 5 }),
        post({
          id: '2',
          created: at(2),
          title: 'The cat',
          selftext: "don't panel-beat",
          domain: 'self.Cats',
          community: 'cats',
          score: -3,
        }),
        linkPost({ id: '3', created: at(3), title: 'panel solar', domain: 'notyoutube.com', score: 0 }),
        linkPost({
          id: '4',
          created: at(86_400),
          title: '日本語 ÉTÉ',
          domain: 'youtube.com',
          community: 'reddit.com',
          score: 9,
        }),
        linkPost({ id: '5', created: at(86_401), title: 'solar', domain: 'self.com', score: 5 }),
      ],
      cases: [
        ['', '1', '2', '3', '4', '5'],
        ['solar', '1', '3', '5'],
        ['SOLAR', '1', '3', '5'],
        ['sola'],
        ['solar panel', '1', '3'],
        ['"solar panel"', '1'],
        ['panel', '1', '2', '3'],
        ["don't", '2'],
        ['don t', '2'],
        ["t don't", '2'],
        ['panel-beat', '2'],
        ['"cat don"'],
        ['-solar', '2', '4'],
        ['-"solar panel"', '2', '3', '4', '5'],
        ['cat|solar', '1', '2', '3', '5'],
        ['cat|"panel solar"', '2', '3'],
        ['-cat|"panel solar"', '1', '4', '5'],
        ['pan*', '1', '2', '3'],
        ['本', '4'],
        ['日本', '4'],
        ['本日'],
        ['été', '4'],
        ['ete', '4'],
        ['/r/cats', '2'],
        ['/r/CATS', '2'],
        ['/r/cat'],
        ['-/r/cats', '1', '3', '4', '5'],
        ['/r/cats,/r/reddit.com', '2', '4'],
        ['/r/cats+reddit.com', '2', '4'],
        ['site:youtube.com', '1', '4'],
        ['site:m.youtube.com', '1'],
        ['site:com', '1', '3', '4'],
        ['-site:youtube.com', '2', '3', '5'],
        ['site:self', '2'],
        ['site:self.cats', '2'],
        ['site:cats'],
        ['site:self.com', '5'],
        ['site:youtube.com,site:self', '1', '2', '4'],
        ['score:5', '1', '4', '5'],
        ['score:<0', '2'],
        ['score:-3..0', '2', '3'],
        ['score:>5', '4'],
        ['score:5 score:<=5', '1', '5'],
        ['score:5..3'],
        ['after:2008-01-02', '4', '5'],
        ['before:2008-01-02', '1', '2', '3'],
        ['after:2008-01-02,before:2008-01-02'],
        ['solar after:2008-01-02', '5'],
        ['after:2008-01-01T00:00:02 before:2008-01-01T00:01', '2', '3'],
        ['before:2008-01-01T00:00:02Z', '1'],
        ['after:2008-01-02T00:00:01', '5'],
        ['after:2008-01-02T00:00:02'],
        ['solar -solar'],
        ['post:3', '3'],
        ['post:3,post:t3_4', '3', '4'],
        ['-post:3', '1', '2', '4', '5'],
        ['id:3', '3'],
        ['id:t3_3 id:5 id:nowhere', '3', '5'],
        ['id:t1_3'],
        ['id:t1_3 id:4', '4'],
        ['id:nowhere'],
        ['id:3 solar', '3'],
        ['id:3 cat'],
        ['id:3 id:1 /r/energy score:5', '1'],
        ['id:3 post:3', '3'],
        ['id:3 post:4'],
        ['id:5 before:2008-01-02'],
        ['-id:3', '1', '2', '4', '5'],
        ['-id:t3_3 -id:t1_4 -id:nowhere', '1', '2', '4', '5'],
        ['id:3 id:4 -id:4', '3'],
      ],
    },
    {
      records: [
        comment({
          id: 'c1',
          created: at(1),
          body: 'see https://m.youtube.com/watch?v=1 &amp; more',
          post: 'p1',
        }),
        comment({ id: 'c2', created: at(2), body: '[here](http://example.org/youtube.com)', post: 'p2' }),
        comment({ id: 'c3', created: at(3), body: 'youtube.com without a scheme, soft\u00adhyphen' }),
        comment({ id: 'c4', created: at(4), body: 'WWW.YouTube.com:80/x 😀👍 what the cat', post: 'p1' }),
      ],
      cases: [
        ['site:youtube.com', 'c1', 'c4'],
        ['site:example.org', 'c2'],
        ['-site:youtube.com', 'c2', 'c3'],
        ['youtube.com', 'c1', 'c2', 'c3', 'c4'],
        ['softhyphen', 'c3'],
        ['amp'],
        ['more', 'c1'],
        ['"what the"', 'c4'],
        ['"the what"'],
        ['😀', 'c4'],
        ['"😀 👍"', 'c4'],
        ['post:p1', 'c1', 'c4'],
        ['post:p1 -😀', 'c1'],
        ['-post:p1', 'c2', 'c3'],
        ['id:c1', 'c1'],
        ['id:t1_c1 id:c3', 'c1', 'c3'],
        ['id:t3_c1'],
        ['id:p1'],
        ['-id:t1_c1 -id:t3_c2', 'c2', 'c3', 'c4'],
        ['id:c1 id:c2 post:p1', 'c1'],
      ],
    },
  ];
}
