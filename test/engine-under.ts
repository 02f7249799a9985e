// Comments of the posts that match another query: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { Question } from '../src/model/engine.ts';
import type { StoredRecord } from '../src/model/record.ts';
import type { EngineHarness } from './engine-harness.ts';
import { engineMaker, firstPage, idsOf, queryOf, rowsOf, testsOver } from './engine-suite.ts';
import { comment, post } from './helpers.ts';

const RECORDS: readonly StoredRecord[] = [
  post({ id: 'p1', title: 'solar roof', score: 100, community: 'energy', created: 100 }),
  post({ id: 'p2', title: 'wind park', score: 5, community: 'energy', created: 200 }),
  post({ id: 'p3', title: 'a cat on the roof', score: 50, community: 'cats', created: 300 }),
  comment({ id: 'c1', post: 'p1', body: 'nice', created: 101, community: 'energy' }),
  comment({ id: 'c2', post: 'p1', body: 'solar is cheap', created: 102, community: 'energy' }),
  comment({ id: 'c3', post: 'p2', body: 'nice', created: 201, community: 'energy' }),
  comment({ id: 'c4', post: 'p3', body: 'nice cat', created: 301, community: 'cats' }),
  // Its post is not here.
  comment({ id: 'c5', post: 'p9', body: 'nice', created: 302, community: 'cats' }),
  // Its source did not say.
  comment({ id: 'c6', post: '', body: 'nice', created: 303, community: 'cats' }),
];

export function underConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);
  const under = (query: string, text: string): Question => ({
    ...{ kind: 'comment', query: queryOf(query), under: queryOf(text), page: firstPage('oldest', 100) },
  });

  describe(`${name}: comments of posts that match`, () => {
    const test = testsOver(harness, RECORDS);
    const cases: readonly (readonly [query: string, text: string, ...ids: string[]])[] = [
      ['', 'roof', 'c1', 'c2', 'c4'],
      ['nice', 'roof', 'c1', 'c4'],
      ['nice -cat', 'roof', 'c1'],
      ['', 'score:50', 'c1', 'c2', 'c4'],
      ['/r/energy', 'score:..50', 'c3'],
      ['', '/r/energy -solar', 'c3'],
      ['after:1970-01-01T00:01:42', 'solar', 'c2'],
      ['', 'after:1970-01-01T00:05', 'c4'],
      ['', 'id:t3_p2', 'c3'],
      ['post:p1', 'roof', 'c1', 'c2'],
      ['post:p1', 'wind'],
      ['', 'solar cat'],
      // A word of a comment is none of its post.
      ['', 'cheap'],
      // The post of a comment must be here, whatever is asked of it.
      ['', '', 'c1', 'c2', 'c3', 'c4'],
      ['', '-nothinglikethis', 'c1', 'c2', 'c3', 'c4'],
      ['-post:p9', '', 'c1', 'c2', 'c3', 'c4'],
    ];
    for (const [query, text, ...ids] of cases) {
      test(`\`${query}\` under \`${text}\` finds ${ids.join(' ') || 'nothing'}`, async (engine) => {
        const answer = await engine.ask(under(query, text));
        assert.deepEqual(idsOf(answer), ids);
        assert.equal(answer.total, ids.length);
      });
    }

    test('count, page, breakdowns and timeline are of the same comments', async (engine) => {
      const answer = await engine.ask({
        ...under('', 'roof'),
        breakdowns: [{ field: 'community', size: 9, distinct: true }],
        timeline: { step: 'year' },
        evidence: true,
      });
      assert.equal(answer.total, 3);
      assert.deepEqual(answer.breakdowns![0]!.rows, rowsOf({ energy: 2, cats: 1 }));
      assert.deepEqual(answer.timeline!.buckets, [{ start: 0, count: 3 }]);
      assert.deepEqual([...answer.evidence!.keys()].sort(), ['cats', 'energy']);
    });

    it('follows what is hidden and taken back, of posts and of comments, and a post that is replaced', () =>
      withEngine(RECORDS, async (engine) => {
        const found = async () => idsOf(await engine.ask(under('', 'roof')));
        await engine.hide(1, 'post', { ids: ['p1'] });
        assert.deepEqual(await found(), ['c4']);
        await engine.restore(1);
        await engine.hide(2, 'comment', { ids: ['c2'] });
        assert.deepEqual(await found(), ['c1', 'c4']);
        await engine.index('post', packRecords([post({ id: 'p3', title: 'a dog', retrieved: 9 })]));
        assert.deepEqual(await found(), ['c1']);
        await engine.index('post', packRecords([post({ id: 'p9', title: 'roof' })]));
        assert.deepEqual(await found(), ['c1', 'c5']);
      }));

    it('without posts there is nothing under them', () =>
      withEngine([comment({ id: 'c1', post: 'p1' })], async (engine) => {
        assert.equal((await engine.ask(under('', ''))).total, 0);
      }));
  });
}
