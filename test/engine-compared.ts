// Queries beside each other: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Compared } from '../src/model/analyses.ts';
import type { Question, SearchEngine } from '../src/model/engine.ts';
import type { Kind } from '../src/model/record.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import type { EngineHarness } from './engine-harness.ts';
import { askingMaker, engineMaker, queryOf } from './engine-suite.ts';
import { comment, post, START_OF_2008 } from './helpers.ts';

const said = (id: string, body: string, community: string, sentiment: number | null = null) =>
  comment({ id, body, community, sentiment, post: 'p1', created: START_OF_2008 + Number(id) });

const RECORDS = [
  post({ id: 'p1', title: 'solar roof', community: 'energy' }),
  post({ id: 'p2', title: 'wind', community: 'energy' }),
  said('1', 'solar is good http://a.example', 'energy', 0.4404),
  said('2', 'solar and wind http://a.example http://b.example', 'energy', -0.5),
  said('3', 'wind http://b.example', 'boats', 0.1),
  said('4', 'wind', 'boats'),
  said('5', 'wind', 'dogs'),
  said('6', 'rain', 'cats'),
];

export function comparedConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);
  const compare = async (
    engine: SearchEngine,
    kind: Kind,
    [own, ...others]: readonly string[],
    rest: Partial<Question> & { readonly communities?: number } = {},
  ): Promise<Compared> => {
    const { communities = 9, ...more } = rest;
    const compared = { with: others.map(queryOf), communities };
    const { answers } = await engine.askAll([{ kind, query: queryOf(own!), ...more, compared }]);
    return answers[0]!.compared!;
  };

  describe(`${harness.name}: queries beside each other`, () => {
    const asking = askingMaker(harness);
    it('tell how many records match each, and how many match two of them', () =>
      asking(RECORDS, async (engine) => {
        const { both } = await compare(engine, 'comment', ['solar', 'wind', 'rain', '']);
        assert.deepEqual(both, [
          [2, 1, 0, 2],
          [1, 4, 0, 4],
          [0, 0, 1, 1],
          [2, 4, 1, 6],
        ]);
      }));

    it('both means both: of communities, sites and ids too, which are any-of in one query', () =>
      asking(RECORDS, async (engine) => {
        const rows: readonly (readonly [one: string, other: string, both: number])[] = [
          ['/r/energy', '/r/boats', 0],
          ['/r/energy,/r/boats', '/r/boats,/r/dogs', 2],
          ['site:a.example', 'site:b.example', 1],
          ['site:example', 'site:b.example', 2],
          ['id:1,id:2', 'id:2,id:3', 1],
          ['-/r/energy', '-/r/boats', 2],
          ['wind', 'wind', 4],
          ['wind -solar', 'solar', 0],
        ];
        for (const [one, other, expected] of rows) {
          const { both } = await compare(engine, 'comment', [one, other]);
          assert.equal(both[0]![1], expected, `${one} and ${other}`);
          assert.equal(both[1]![0], expected);
        }
      }));

    it('have the communities that are highest for any of them, counted for all', () =>
      asking(RECORDS, async (engine) => {
        const all = await compare(engine, 'comment', ['solar', 'wind']);
        assert.deepEqual(all.communities, [
          { name: 'energy', counts: [2, 1] },
          { name: 'boats', counts: [0, 2] },
          { name: 'dogs', counts: [0, 1] },
        ]);
        const few = await compare(engine, 'comment', ['solar', 'wind'], { communities: 1 });
        assert.deepEqual(few.communities, all.communities.slice(0, 2));
        const none = await compare(engine, 'comment', ['solar', 'wind'], { communities: 0 });
        assert.deepEqual(none.communities, []);
      }));

    it('have the sum of their ratings, where the engine keeps them apart', () =>
      asking(RECORDS, async (engine) => {
        const { ratings } = await compare(engine, 'comment', ['solar', 'wind', 'rain', 'nothinglikethis']);
        const expected = [
          { sum: -596, rated: 2 },
          { sum: -4000, rated: 2 },
          { sum: 0, rated: 0 },
          { sum: 0, rated: 0 },
        ];
        assert.deepEqual(ratings, harness.knows?.sentiment === false ? undefined : expected);
        const posts = await compare(engine, 'post', ['solar', 'wind']);
        assert.deepEqual(posts.ratings, [expected[2], expected[2]]);
      }));

    it('stand beside what else is asked, and `under` holds for all', () =>
      asking(RECORDS, async (engine) => {
        const question: Question = {
          ...{ kind: 'comment', query: queryOf('solar'), of: queryOf(''), timeline: {} },
          compared: { with: [queryOf('wind')], communities: 1 },
        };
        const { compared, ...rest } = await engine.ask(question);
        const { compared: _, ...alone } = question;
        assert.deepEqual(rest, await engine.ask(alone));
        assert.equal(compared!.both[0]![1], 1);
        const under = await compare(engine, 'comment', ['solar', 'wind'], { under: queryOf('wind') });
        assert.deepEqual(
          [under.both, under.communities],
          [
            [
              [0, 0],
              [0, 0],
            ],
            [],
          ],
        );
      }));

    it('of an empty index, and of what was removed, find nothing', () =>
      withEngine([], async (engine) => {
        const nothing = {
          both: [
            [0, 0],
            [0, 0],
          ],
          communities: [],
        };
        const { ratings: _, ...empty } = await compare(engine, 'comment', ['solar', 'wind']);
        assert.deepEqual(empty, nothing);
        await engine.index('comment', packRecords(RECORDS.slice(2)));
        await engine.hide(1, 'comment', { ids: ['1', '2', '3', '4', '5'] });
        const { ratings: __, ...hidden } = await compare(engine, 'comment', ['solar', 'wind']);
        assert.deepEqual(hidden, nothing);
      }));
  });
}
