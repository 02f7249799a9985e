import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { EVERYTHING, queryOf } from '../../../../test/engine-suite.ts';
import { comment } from '../../../../test/helpers.ts';
import type { Query } from '../../../model/query.ts';
import { packRecords } from '../../../packing/packed-records.ts';

const NAMES = 3_000;

/** One comment a community, each with a link or two; every 500th says `rare`, every second `often`. */
const RECORDS = Array.from({ length: NAMES }, (_, i) => {
  const words = [i % 500 === 7 ? 'rare' : '', i % 2 === 0 ? 'often' : ''].join(' ');
  const links = `https://d${i}.example/${i % 3 === 0 ? ' https://shared.example/' : ''}`;
  return comment({ id: `c${i}`, community: `community${i}`, created: i, body: `${words} ${links}` });
});

describe('breakdowns over many names', () => {
  for (const [word, matches, withShared] of [
    ['rare', 6, 2],
    ['often', 1_500, 500],
  ] as const) {
    it(`${matches} matches among ${NAMES} names count as they should, each domain of a comment once`, async () => {
      await using engine = await embeddedEngine(RECORDS.slice(0, 1_700), RECORDS.slice(1_700));
      const breakdowns = [
        { field: 'community', size: 10_000, distinct: true },
        { field: 'domain', size: 3, distinct: true },
      ] as const;
      const answer = await engine.ask({ kind: 'comment', query: queryOf(word), breakdowns });
      const [communities, domains] = answer.breakdowns!;
      const expected = RECORDS.filter(({ body }) => body.includes(word)).map(({ community }) => community);
      assert.equal(answer.total, matches);
      const rows = expected.sort().map((name) => ({ name, count: 1 }));
      assert.deepEqual(communities, { field: 'community', rows, distinct: matches });
      assert.deepEqual(domains!.rows[0], { name: 'shared.example', count: withShared });
      assert.equal(domains!.distinct, matches + 1);
    });
  }

  it('what all records count to follows removals and new records, under either kind of question', async () => {
    await using engine = await embeddedEngine(RECORDS);
    const breakdowns = [
      { field: 'community', size: 3, distinct: true },
      { field: 'domain', size: 3, distinct: true },
    ] as const;
    const expectCounts = async (total: number, communities: [number, string, number], domains: number[]) => {
      const found = await engine.ask({ kind: 'comment', query: EVERYTHING, breakdowns });
      const firsts = found.breakdowns!.map(({ rows, distinct }) => [distinct, rows[0]!.name, rows[0]!.count]);
      const [distinct, count] = domains;
      assert.deepEqual([found.total, ...firsts], [total, communities, [distinct, 'shared.example', count]]);
    };
    await expectCounts(NAMES, [NAMES, 'community0', 1], [NAMES + 1, 1_000]);
    await engine.hide(1, 'comment', { community: 'community0' });
    await expectCounts(NAMES - 1, [NAMES - 1, 'community1', 1], [NAMES, 999]);
    const fresh = comment({ id: 'new', community: 'community7', body: 'one' });
    await engine.index('comment', packRecords([fresh]));
    await expectCounts(NAMES, [NAMES - 1, 'community7', 2], [NAMES, 999]);
    await engine.restore(1);
    await expectCounts(NAMES + 1, [NAMES, 'community7', 2], [NAMES + 1, 1_000]);
  });

  it('matches of one community are all of it, and none where the community is not there', async () => {
    const more = [1, 2].map((i) => comment({ id: `m${i}`, community: 'community8', body: 'often' }));
    await using engine = await embeddedEngine(RECORDS, more);
    for (const [name, count] of [
      ['community8', 3],
      ['community9', 0],
      ['nowhere', 0],
    ] as const) {
      const items = [...queryOf('often').items, { kind: 'community', name, negated: false } as const];
      const breakdowns = [{ field: 'community', size: 5, distinct: true }] as const;
      const query: Query = { items };
      const [found] = (await engine.ask({ kind: 'comment', query, breakdowns })).breakdowns!;
      const rows = count === 0 ? [] : [{ name, count }];
      assert.deepEqual(found, { field: 'community', rows, distinct: rows.length });
    }
  });
});
