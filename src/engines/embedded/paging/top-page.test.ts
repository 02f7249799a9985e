import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, temporaryFolder } from '../../../../test/helpers.ts';
import type { SearchEngine } from '../../../model/engine.ts';
import { comparator, pageRequest, SCORE_BOUND, type TopPosition } from '../../../model/pages.ts';
import type { Query } from '../../../model/query.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { openEmbeddedEngine } from '../engine.ts';

const COMMENTS = 3_000;

/** Few scores and few seconds, so that many tie; some scores are beyond the bound, where all rank the same. */
const SCORES = [
  2,
  1,
  2,
  3,
  1,
  0,
  2,
  -4,
  5,
  SCORE_BOUND + 3,
  2,
  SCORE_BOUND,
  -SCORE_BOUND - 7,
  1,
  -SCORE_BOUND,
];

function records() {
  return Array.from({ length: COMMENTS }, (_, i) => {
    const body = `${i % 2 === 0 ? 'half' : ''} ${i % 30 === 4 ? 'few' : ''} all`;
    return comment({
      id: `c${i}`,
      created: 1_000 + Math.floor(i / 3),
      score: SCORES[((i * 7) % 113) % SCORES.length]!,
      body,
    });
  });
}

function partOf(i: number): number {
  return i < (COMMENTS * 2) / 3 ? i % 2 : 2;
}

async function allPages(engine: SearchEngine, query: Query, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: TopPosition | null = null; ; ) {
    const { page } = await engine.ask({ kind: 'comment', query, page: pageRequest('top', after, { limit }) });
    ids.push(...page!.records.map(({ id }) => id));
    if (!page!.hasMore) return ids;
    after = page!.next as TopPosition;
  }
}

describe('pages of `top`', () => {
  for (const [word, limit] of [
    ['all', 25],
    ['half', 7],
    ['few', 3],
    ['all', 700],
  ] as const) {
    it(`${limit} at a time, matches of \`${word}\` come once each, in their order, from several segments`, async () => {
      using folder = temporaryFolder();
      await using engine = await openEmbeddedEngine(folder.path, {
        rules: { keepOriginals: false },
        workers: 0,
      });
      const all = records();
      // Two beside one another in time, and one behind them.
      for (const part of [0, 1, 2]) {
        await engine.index('comment', packRecords(all.filter((_, i) => partOf(i) === part)));
      }
      const query: Query = {
        items: [{ kind: 'words', words: [{ kind: 'term', token: word, typed: word }], negated: false }],
      };
      const expected = all.filter(({ body }) => body.split(' ').includes(word)).sort(comparator('top'));
      assert.deepEqual(
        await allPages(engine, query, limit),
        expected.map(({ id }) => id),
      );
    });
  }
});
