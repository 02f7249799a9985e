// A segment of more than 65,536 docs: what stands in its second chunk, and numbers that 16 bits do not hold.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddedEngine } from '../../../test/embedded-index.ts';
import { EVERYTHING, firstPage, idsOf, queryOf } from '../../../test/engine-suite.ts';
import { linkPost, START_OF_2008 } from '../../../test/helpers.ts';
import type { Question } from '../../model/engine.ts';
import { checkIndex } from './check.ts';

const POSTS = 70_000;

describe('a segment of two chunks', () => {
  it('with more communities than 65,536, and a dead record in the second chunk alone', async () => {
    const at = (i: number) =>
      linkPost({
        ...{ id: `p${i}`, community: `c${i}`, domain: i % 3 === 0 ? 'a.org' : 'b.org' },
        ...{ title: i % 2 === 0 ? 'solar' : 'wind', score: i % 5, created: START_OF_2008 + i },
      });
    const posts = Array.from({ length: POSTS }, (_, i) => at(i));
    await using engine = await embeddedEngine(posts, [{ ...at(69_999), title: 'solar', retrieved: 9 }]);
    const ask = (rest: Omit<Question, 'kind'>) => engine.ask({ kind: 'post', ...rest });
    const { total, timeline } = await ask({ query: queryOf('site:a.org'), timeline: { step: 'year' } });
    assert.equal(total, Math.ceil(POSTS / 3));
    assert.equal(timeline!.buckets.length, 1);
    // Counted chunk by chunk, since they have parts in common: four in a row of the second chunk, one of them solar.
    const after = { kind: 'after', time: START_OF_2008 + 69_996 } as const;
    const wind = { kind: 'words', words: [{ kind: 'term', token: 'wind', typed: 'wind' }] } as const;
    const parts = [after, { ...wind, negated: true } as const, { ...wind, negated: false } as const];
    const lists = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2], [2, 1]];
    const { answers } = await engine.askAll(
      lists.map((list) => ({ kind: 'post', query: { items: list.map((part) => parts[part]!) } })),
    );
    const totals = answers.map((answer) => answer.total);
    assert.deepEqual(totals, [4, POSTS / 2 + 1, POSTS / 2 - 1, 3, 1, 0, 0, 0]);
    const communities = { field: 'community', size: 2, distinct: true } as const;
    const { breakdowns } = await ask({ query: EVERYTHING, breakdowns: [communities] });
    assert.equal(breakdowns![0]!.distinct, POSTS);
    const top = await ask({ query: EVERYTHING, page: firstPage('top', 3) });
    assert.deepEqual(idsOf(top), ['p69999', 'p69994', 'p69989']);
    assert.deepEqual(idsOf(await ask({ query: EVERYTHING, page: firstPage('newest', 0) })), []);
    const { problems, records } = await checkIndex(engine.path);
    assert.deepEqual([problems, records], [[], POSTS]);
  });
});
