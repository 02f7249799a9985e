// Which records a query finds: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { QueryItem } from '../src/model/query.ts';
import type { Kind, StoredPost, StoredRecord } from '../src/model/record.ts';
import type { EngineHarness } from './engine-harness.ts';
import { engineMaker, firstPage, idsOf, queryOf, testsOver } from './engine-suite.ts';
import { comment, linkPost, post, START_OF_2008 } from './helpers.ts';

export function matchingConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);

  describe(`${name}: matching`, () => {
    for (const { records, cases } of matchingTables()) {
      const test = testsOver(harness, records);
      for (const [query, ...ids] of cases) {
        test(`${records[0]!.kind}s, \`${query}\` finds ${ids.join(' ') || 'nothing'}`, async (engine) => {
          const { kind } = records[0]!;
          const answer = await engine.ask({ kind, query: queryOf(query!), page: firstPage('oldest', 100) });
          assert.deepEqual(idsOf(answer), ids);
          assert.equal(answer.total, ids.length);
        });
      }
    }

    it('kinds do not mix', () =>
      withEngine([post({ id: 'p', title: 'solar' }), comment({ id: 'c', body: 'solar' })], async (engine) => {
        const ask = async (kind: Kind) =>
          idsOf(await engine.ask({ kind, query: queryOf('solar'), page: firstPage('newest', 9) }));
        assert.deepEqual(await ask('post'), ['p']);
        assert.deepEqual(await ask('comment'), ['c']);
      }));
  });
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

/** An item, what the one post has that it finds, and the other that it does not find. */
type Row = readonly [item: string, found: Partial<StoredPost>, other: Partial<StoredPost>];

const ROWS: Readonly<Record<QueryItem['kind'], Row>> = {
  words: ['cats', { selftext: 'cats' }, { selftext: 'dogs' }],
  community: ['/r/cats', { community: 'cats' }, { community: 'dogs' }],
  site: ['site:b.org', { domain: 'b.org' }, { domain: 'c.org' }],
  post: ['post:found', {}, {}],
  id: ['id:found', {}, {}],
  score: ['score:7', { score: 7 }, { score: 6 }],
  before: ['before:2008-01-01', { created: START_OF_2008 - 1 }, { created: START_OF_2008 }],
  after: ['after:2008-01-01', { created: START_OF_2008 }, { created: START_OF_2008 - 1 }],
};

export function itemConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);

  describe(`${harness.name}: items`, () => {
    for (const [kind, [item, found, other]] of Object.entries(ROWS)) {
      it(`\`${kind}\`: \`${item}\` keeps one post and leaves out the other, alone and beside a word`, () =>
        withEngine([postOf('found', found), postOf('other', other)], async (engine) => {
          const items = queryOf(item).items;
          assert.deepEqual([items.length, items[0]!.kind], [1, kind]);
          const expected: [query: string, id: string][] = [
            [item, 'found'],
            [`title ${item}`, 'found'],
          ];
          if ('negated' in items[0]!) expected.push([`-${item}`, 'other'], [`title -${item}`, 'other']);
          for (const [text, id] of expected) {
            const page = firstPage('newest', 9);
            const answer = await engine.ask({ kind: 'post', query: queryOf(text), page });
            assert.deepEqual([answer.total, idsOf(answer)], [1, [id]], text);
          }
        }));
    }
  });
}

function postOf(id: string, fields: Partial<StoredPost>): StoredPost {
  return linkPost({ id, domain: 'a.org', title: 'title', ...fields });
}
