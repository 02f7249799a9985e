// The engine contract item by item: each kind of item keeps some records and leaves out others, alone and beside
// a word. A kind without a row does not compile, so that none is forgotten by every engine.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { QueryItem } from '../src/model/query.ts';
import type { StoredPost } from '../src/model/record.ts';
import type { EngineHarness } from './engine-harness.ts';
import { engineMaker, firstPage, idsOf, queryOf } from './engine-suite.ts';
import { linkPost, START_OF_2008 } from './helpers.ts';

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
            const answer = await engine.ask({
              kind: 'post',
              query: queryOf(text),
              page: firstPage('newest', 9),
            });
            assert.deepEqual([answer.total, idsOf(answer)], [1, [id]], text);
          }
        }));
    }
  });
}

function postOf(id: string, fields: Partial<StoredPost>): StoredPost {
  return linkPost({ id, domain: 'a.org', title: 'title', ...fields });
}
