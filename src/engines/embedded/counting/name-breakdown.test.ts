import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, temporaryFolder } from '../../../../test/helpers.ts';
import type { Query } from '../../../model/query.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { openEmbeddedEngine } from '../engine.ts';

const NAMES = 3_000;

/** One comment a community, each with a link or two; every 500th says `rare`, every second `often`. */
function records() {
  return Array.from({ length: NAMES }, (_, i) => {
    const words = [i % 500 === 7 ? 'rare' : '', i % 2 === 0 ? 'often' : ''].join(' ');
    const links = `https://d${i}.example/${i % 3 === 0 ? ' https://shared.example/' : ''}`;
    return comment({ id: `c${i}`, community: `community${i}`, created: i, body: `${words} ${links}` });
  });
}

function term(token: string): Query {
  return { items: [{ kind: 'words', words: [{ kind: 'term', token, typed: token }], negated: false }] };
}

describe('breakdowns over many names', () => {
  const cases: readonly [string, number, number][] = [
    ['rare', 6, 2],
    ['often', 1_500, 500],
  ];
  for (const [word, matches, withShared] of cases) {
    it(`${matches} matches among ${NAMES} names count as they should, each domain of a comment once`, async () => {
      using folder = temporaryFolder();
      await using engine = await openEmbeddedEngine(folder.path, {
        rules: { keepOriginals: false },
        workers: 0,
      });
      const all = records();
      await engine.index('comment', packRecords(all.slice(0, 1_700)));
      await engine.index('comment', packRecords(all.slice(1_700)));
      const breakdowns = [
        { field: 'community', size: 10_000, distinct: true },
        { field: 'domain', size: 3, distinct: true },
      ] as const;
      const answer = await engine.ask({ kind: 'comment', query: term(word), breakdowns });
      const [communities, domains] = answer.breakdowns!;
      const expected = all.filter(({ body }) => body.includes(word));
      assert.equal(answer.total, matches);
      assert.deepEqual(
        communities!.rows,
        expected
          .map(({ community }) => ({ name: community, count: 1 }))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
      );
      assert.equal(communities!.distinct, matches);
      assert.deepEqual(domains!.rows[0], { name: 'shared.example', count: withShared });
      assert.equal(domains!.distinct, matches + 1);
    });
  }

  it('what all records count to follows removals and new records, under either kind of question', async () => {
    using folder = temporaryFolder();
    await using engine = await openEmbeddedEngine(folder.path, {
      rules: { keepOriginals: false },
      workers: 0,
    });
    const breakdowns = [
      { field: 'community', size: 3, distinct: true },
      { field: 'domain', size: 3, distinct: true },
    ] as const;
    const counts = async (query: Query) => {
      const { total, breakdowns: found } = await engine.ask({ kind: 'comment', query, breakdowns });
      return [total, ...found!.map(({ rows, distinct }) => [distinct, rows[0]])];
    };
    const all = records();
    const most = { name: 'shared.example', count: 1_000 };
    await engine.index('comment', packRecords(all));
    assert.deepEqual(await counts({ items: [] }), [
      NAMES,
      [NAMES, { name: 'community0', count: 1 }],
      [NAMES + 1, most],
    ]);
    await engine.hide(1, 'comment', { community: 'community0' });
    assert.deepEqual(await counts({ items: [] }), [
      NAMES - 1,
      [NAMES - 1, { name: 'community1', count: 1 }],
      [NAMES, { ...most, count: 999 }],
    ]);
    await engine.index(
      'comment',
      packRecords([comment({ id: 'new', community: 'community7', body: 'one' })]),
    );
    assert.deepEqual(await counts({ items: [] }), [
      NAMES,
      [NAMES - 1, { name: 'community7', count: 2 }],
      [NAMES, { ...most, count: 999 }],
    ]);
    await engine.restore(1);
    assert.deepEqual((await counts({ items: [] }))[2], [NAMES + 1, most]);
  });

  it('matches of one community are all of it, and none where the community is not there', async () => {
    using folder = temporaryFolder();
    await using engine = await openEmbeddedEngine(folder.path, {
      rules: { keepOriginals: false },
      workers: 0,
    });
    await engine.index('comment', packRecords(records()));
    const more = [1, 2].map((i) => comment({ id: `m${i}`, community: 'community8', body: 'often' }));
    await engine.index('comment', packRecords(more));
    const rowsOf = async (name: string) => {
      const query: Query = { items: [...term('often').items, { kind: 'community', name, negated: false }] };
      const breakdowns = [{ field: 'community', size: 5, distinct: true }] as const;
      return (await engine.ask({ kind: 'comment', query, breakdowns })).breakdowns![0];
    };
    const found = (rows: readonly { name: string; count: number }[]) => ({
      ...{ field: 'community', rows },
      distinct: rows.length,
    });
    assert.deepEqual(await rowsOf('community8'), found([{ name: 'community8', count: 3 }]));
    assert.deepEqual(await rowsOf('community9'), found([]));
    assert.deepEqual(await rowsOf('nowhere'), found([]));
  });
});
