// What a query means, over the whole way, asked of the embedded engine.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MAX_ITEMS } from '../../src/search/language/interpret.ts';
import { queryVocabulary } from '../engine-agreement.ts';
import { spelledQueryArbitrary } from '../generators/queries.ts';
import { Api, openEmbedded } from './asking.ts';
import { broadPrefixPost, COMMENTS, POSTS } from './corpus.ts';

const [POSTS_PATH, COMMENTS_PATH] = ['explain/posts', 'explain/comments'];
const RANDOM_QUERIES = 8;

describe('what a query means', () => {
  const api = new Api([...POSTS, broadPrefixPost()], COMMENTS, openEmbedded);

  const pathOf = (query: string, path = POSTS_PATH) => `${path}?${new URLSearchParams({ query })}`;
  const explained = (query: string, path?: string) => api.answer(pathOf(query, path));
  const countOf = async (query: string, on = api.server): Promise<number> =>
    (await api.get(pathOf(query, 'search/posts'), {}, on)).json().total_count;

  it('every item has its place, its meaning and its three counts', async () => {
    const text = 'Cats, -/r/aww+music score:>0';
    const answer = await explained(text);
    const index = (await api.service.engine.fingerprints()).post;
    assert.deepEqual(answer, {
      ...{ type: 'explain', kind: 'posts', query: 'Cats,-/r/aww,-/r/music,score:1', index, total_count: 1 },
      rows: [
        {
          ...{ item: 'Cats', offset: 0, length: 4, means: 'contains the word `cats`' },
          ...{ alone: 2, without: 15, so_far: 2 },
        },
        {
          ...{ item: '-/r/aww,-/r/music', offset: 6, length: 13, means: 'is not in /r/aww or /r/music' },
          ...{ alone: 15, without: 2, so_far: 1 },
        },
        {
          ...{ item: 'score:1', offset: 20, length: 8, means: 'has a score of at least 1' },
          ...{ alone: 16, without: 1, so_far: 1 },
        },
      ],
    });
    assert.deepEqual(Object.keys(answer), ['type', 'kind', 'query', 'index', 'total_count', 'rows']);
  });

  it('of comments `post:` means something else', async () => {
    const { kind, rows, total_count } = await explained('post:rock1', COMMENTS_PATH);
    assert.deepEqual([kind, total_count, rows[0].means], ['comments', 1, 'belongs to the post `rock1`']);
  });

  it('a query without rows has none, and finds every record', async () => {
    const { query, total_count, rows } = await explained(' , ');
    assert.deepEqual([query, total_count, rows], ['', POSTS.length + 1, []]);
  });

  it('the window is told, not added', async () => {
    const written = 'before:2021-01-03 cats';
    const { query, total_count, rows, implied } = await explained(written);
    assert.equal(query, 'before:2021-01-03,cats');
    assert.deepEqual([total_count, rows.at(-1).so_far], [1, 1]);
    assert.deepEqual(implied, {
      item: 'after:2021-01-02',
      means: 'is from 2021-01-02 (UTC) or later',
      so_far: await countOf(written),
    });
    assert.equal('implied' in (await explained(`${written} after:1970-01-01`)), false);
    const windowless = await api.service.build({ searchSettings: { impliedWindow: 'off' } });
    assert.equal('implied' in (await api.get(pathOf(written), {}, windowless)).json(), false);
  });

  it('what is dropped is no item', async () => {
    const answer = await api.get(pathOf('cats & C++'));
    const meanings = answer.json().rows.map(({ means }: { means: string }) => means);
    assert.deepEqual(meanings, ['contains the word `cats`', 'contains the word `c`']);
    assert.equal(answer.headers['colloquy-dropped'], '%"&", %"C++"');
  });

  it(`64 items are explained, 65 are refused`, async () => {
    const words = Array.from({ length: MAX_ITEMS }, (_, i) => `-w${i}`);
    const { rows, total_count } = await explained(words.join(' '));
    assert.deepEqual([rows.length, total_count], [MAX_ITEMS, POSTS.length + 1]);
    await api.refused(pathOf([...words, 'x'].join(' ')), 400, 'too_many_items');
  });

  it('faults have their place, also that of a prefix that only the index refuses', async () => {
    for (const [query, code, position] of [
      ['cats score:x', 'bad_score', { offset: 5, length: 7 }],
      ['cats -zz*', 'prefix_too_broad', { offset: 5, length: 4 }],
    ] as const)
      assert.deepEqual((await api.refused(pathOf(query), 400, code)).position, position);
    await api.refused(POSTS_PATH, 400, 'missing_query');
  });

  it('without any time left it is refused as too slow', async () => {
    await api.refused(pathOf('cats dogs'), 503, 'query_timeout', await api.slow());
  });

  it('counts of random queries are those of searches', async () => {
    const windowless = await api.service.build({ searchSettings: { impliedWindow: 'off' } });
    const vocabulary = { ...queryVocabulary, words: ['cats', 'box', 'two', 'tied', 'rock and'] };
    const count = (query: string) => countOf(query, windowless);
    const queries = fc.sample(spelledQueryArbitrary(vocabulary, 4), { numRuns: RANDOM_QUERIES, seed: 7 });
    for (const { text } of queries) {
      const { rows, query, total_count } = await explained(text);
      assert.equal(total_count, await count(query), text);
      const names: string[] = rows.map(({ item }: { item: string }) => item);
      for (const [i, { item, alone, without, so_far }] of rows.entries()) {
        assert.equal(alone, await count(item), `${text}: ${item} alone`);
        assert.equal(without, await count(names.toSpliced(i, 1).join(',')), `${text}: without ${item}`);
        assert.equal(so_far, await count(names.slice(0, i + 1).join(',')), `${text}: up to ${item}`);
      }
    }
  });
});
