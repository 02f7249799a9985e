import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { queryOf } from '../../../../test/engine-suite.ts';
import { comment } from '../../../../test/helpers.ts';
import type { SearchEngine } from '../../../model/engine.ts';
import { comparator, pageRequest, SCORE_BOUND, type TopPosition } from '../../../model/pages.ts';
import type { Query } from '../../../model/query.ts';

const COMMENTS = 3_000;

/** Few scores and few seconds, so that many tie; some scores are beyond the bound, where all rank the same. */
const [MOST, LEAST] = [SCORE_BOUND, -SCORE_BOUND];
const SCORES = [...[2, 1, 2, 3, 1, 0, 2, -4, 5, MOST + 3, 2, MOST], ...[LEAST - 7, 1, LEAST]];

const RECORDS = Array.from({ length: COMMENTS }, (_, i) => {
  const body = `${i % 2 === 0 ? 'half' : ''} ${i % 30 === 4 ? 'few' : ''} all`;
  const score = SCORES[((i * 7) % 113) % SCORES.length]!;
  return comment({ id: `c${i}`, created: 1_000 + Math.floor(i / 3), score, body });
});

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
      // Two beside one another in time, and one behind them.
      const parts = [0, 1, 2].map((part) => RECORDS.filter((_, i) => partOf(i) === part));
      await using engine = await embeddedEngine(...parts);
      const expected = RECORDS.filter(({ body }) => body.split(' ').includes(word)).sort(comparator('top'));
      const ids = await allPages(engine, queryOf(word), limit);
      assert.equal(ids.join(), expected.map(({ id }) => id).join());
    });
  }
});
