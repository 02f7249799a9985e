// The comments of a post as a thread: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { Question, SearchEngine } from '../src/model/engine.ts';
import type { ThreadRequest, TimePosition } from '../src/model/pages.ts';
import type { StoredComment, StoredRecord } from '../src/model/record.ts';
import type { EngineHarness } from './engine-harness.ts';
import { engineMaker, idsOf, queryOf, testsOver } from './engine-suite.ts';
import { THREAD_POST, threadArbitrary } from './generators/threads.ts';
import { comment, post } from './helpers.ts';
import { around, byTime, treeOf } from './thread-oracle.ts';

const ALL = { order: 'oldest', after: null, limit: 100 } as const;

const inThread = (id: string, parent: string, created: number, fields: Partial<StoredComment> = {}) =>
  comment({ id, parent, created, post: THREAD_POST, ...fields });

/** Beside the thread: what must not come into it. */
const OTHERS: readonly StoredRecord[] = [
  post({ id: THREAD_POST, title: 'solar roof' }),
  post({ id: 'p2', title: 'wind park' }),
  comment({ id: 'other', post: 'p2', parent: 'p2', created: 3 }),
  comment({ id: 'nowhere', post: '', parent: '', created: 3 }),
];

const THREAD = [
  inThread('a', 'p1', 1),
  inThread('b', 'a', 2),
  inThread('c', 'other', 3, { community: 'cats', body: 'its parent is of another post' }),
  inThread('d', 'c', 4),
  inThread('e', 'b', 5),
  inThread('f', 'g', 6),
  inThread('g', 'f', 7),
  inThread('h', '', 8),
  inThread('i', 'a', 8),
];

const ALL_RECORDS = [...OTHERS, ...THREAD];

export function threadConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);
  const question = (thread: ThreadRequest, postId = THREAD_POST): Question => {
    return { kind: 'comment', query: queryOf(`post:${postId}`), thread };
  };

  describe(`${harness.name}: threads`, () => {
    const test = testsOver(harness, ALL_RECORDS);

    test('a page has its records, and where each stands', async (engine) => {
      const answer = await engine.ask(question({ order: 'tree', from: 2, limit: 6, maxBytes: 1e6 }));
      const { total, thread } = answer;
      assert.deepEqual(idsOf(answer), ['e', 'i', 'c', 'd', 'f', 'g']);
      assert.deepEqual(answer.page!.records[3], THREAD[3]);
      assert.deepEqual([total, thread!.listed, thread!.start], [9, 9, 2]);
      assert.deepEqual(thread!.places, [
        { depth: 2, level: 2 },
        { depth: 1, level: 1 },
        { depth: null, level: 0 },
        { depth: null, level: 1 },
        { depth: null, level: 0 },
        { depth: null, level: 1 },
      ]);
      const { next, hasMore, isShort } = answer.page!;
      assert.deepEqual({ next, hasMore, isShort }, { next: null, hasMore: true, isShort: false });
    });

    test('a page tells of its communities, and when its records came in', async (engine) => {
      const asked = question({ ...ALL, limit: 2, after: { second: 2, given: 'all' } });
      const answer = await engine.ask({ ...asked, evidence: true, arrived: true });
      assert.deepEqual(idsOf(answer), ['c', 'd']);
      assert.deepEqual([...answer.evidence!.keys()].sort(), ['cats', 'energy']);
      assert.ok(answer.arrived!.every((time) => time !== null && time > 1_700_000_000));
      assert.deepEqual(answer.page!.next, { second: 4, given: 'all' });
    });

    it('what a removal hides is not there, and its answers are below a comment that is not here', () =>
      withEngine(ALL_RECORDS, async (engine) => {
        await engine.hide(1, 'comment', { ids: ['b'] });
        const answer = await engine.ask(question({ ...ALL, around: 'e' }));
        assert.deepEqual([idsOf(answer), answer.total], [['e'], 8]);
        assert.deepEqual(answer.thread!.places, [{ depth: null, level: 0 }]);
        assert.deepEqual(idsOf(await engine.ask(question({ ...ALL, around: 'b' }))), ['e']);
        await engine.restore(1);
        const back = await engine.ask(question({ ...ALL, around: 'e' }));
        assert.deepEqual(idsOf(back), ['a', 'b', 'e']);
      }));

    it('a copy that ranks higher moves its comment, and what answers it', () =>
      withEngine(ALL_RECORDS, async (engine) => {
        await engine.index('comment', packRecords([inThread('c', 'e', 3, { retrieved: 9 })]));
        const answer = await engine.ask(question({ order: 'tree', at: 'd', limit: 5 }));
        assert.deepEqual(idsOf(answer), ['a', 'b', 'e', 'c', 'd']);
        assert.deepEqual(answer.thread!.places.at(-1), { depth: 4, level: 4 });
      }));

    it('of a post that has none, or where there is no comment at all', async () => {
      const none = { listed: 0, start: 0, places: [] };
      for (const records of [OTHERS, OTHERS.slice(0, 1)]) {
        await withEngine(records, async (engine) => {
          const { total, page, thread } = await engine.ask(question(ALL, 'p9'));
          assert.deepEqual([total, page!.records, thread], [0, [], none]);
        });
      }
    });

    it('is that of brute force, in the order of time and of the tree, and around every comment', async () => {
      for (const [seed, comments] of fc.sample(threadArbitrary(30), { seed: 15, numRuns: 4 }).entries()) {
        await withEngine(OTHERS, async (engine) => {
          // In parts and out of order, so that a thread lies in several segments.
          for (let at = 0; at < 3; at++) {
            const part = comments.filter((_, i) => (i * 7 + seed) % 3 === at);
            if (part.length > 0) await engine.index('comment', packRecords(part));
          }
          assert.deepEqual(await walkByTime(engine, question, { limit: 4, maxBytes: 2_500 }), {
            ids: byTime(comments).map(({ id }) => id),
            total: comments.length,
          });
          const tree = await engine.ask(question({ order: 'tree', from: 0, limit: 100 }));
          const found = idsOf(tree).map((id, i) => ({ id, ...tree.thread!.places[i]! }));
          assert.deepEqual(found, treeOf(comments));
          for (const { id } of comments.slice(0, 8)) {
            const near = await engine.ask(question({ ...ALL, around: id }));
            assert.deepEqual(idsOf(near), around(comments, id), id);
          }
        });
      }
    });
  });
}

async function walkByTime(
  engine: SearchEngine,
  question: (thread: ThreadRequest) => Question,
  size: { readonly limit: number; readonly maxBytes: number },
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  const ids: string[] = [];
  let after: TimePosition | null = null;
  for (;;) {
    const answer = await engine.ask(question({ order: 'oldest', after, ...size }));
    assert.equal(answer.thread!.start, ids.length);
    ids.push(...idsOf(answer));
    if (!answer.page!.hasMore) return { ids, total: answer.total };
    after = answer.page!.next as TimePosition;
  }
}
