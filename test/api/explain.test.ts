// What a query means, over the whole way, asked of the embedded engine.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { MAX_ITEMS } from '../../src/search/language/limits.ts';
import { queryVocabulary } from '../engine-agreement.ts';
import { spelledQueryArbitrary } from '../generators/queries.ts';
import { AnswerSchemas } from './answer-schemas.ts';
import { broadPrefixPost, COMMENTS, POSTS } from './corpus.ts';
import { openService, type Service } from './service.ts';

const [POSTS_PATH, COMMENTS_PATH] = ['/api/v1/explain/posts', '/api/v1/explain/comments'];
const RANDOM_QUERIES = 8;

describe('what a query means', () => {
  let service: Service;
  let server: FastifyInstance;
  let schemas: AnswerSchemas;

  before(async () => {
    service = await openService([...POSTS, broadPrefixPost()], COMMENTS, (folder) =>
      openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 }),
    );
    server = await service.build();
    schemas = new AnswerSchemas((await server.inject('/api/v1/openapi.json')).json());
  });
  after(() => service[Symbol.asyncDispose]());

  const ask = (path: string, query: string, on = server) =>
    on.inject({
      url: `${path}?${new URLSearchParams({ query })}`,
      headers: { authorization: `Bearer ${service.keys.good}` },
    });

  async function explained(query: string, path = POSTS_PATH) {
    const answer = await ask(path, query);
    assert.equal(answer.statusCode, 200, answer.body);
    assert.deepEqual(schemas.faults(path, 200, 'application/json', answer.json()), []);
    return answer.json();
  }

  async function countOf(query: string, path = '/api/v1/search/posts'): Promise<number> {
    return (await ask(path, query)).json().total_count;
  }

  it('every item has its place, its meaning and its three counts', async () => {
    const text = 'Cats, -/r/aww+music score:>0';
    const answer = await explained(text);
    const index = (await service.engine.fingerprints()).post;
    assert.deepEqual(answer, {
      ...{ type: 'explain', kind: 'posts', query: 'Cats,-/r/aww,-/r/music,score:1', index, total_count: 1 },
      items: [
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
    assert.deepEqual(Object.keys(answer), ['type', 'kind', 'query', 'index', 'total_count', 'items']);
  });

  it('of comments `post:` means something else', async () => {
    const { kind, items, total_count } = await explained('post:rock1', COMMENTS_PATH);
    assert.deepEqual([kind, total_count, items[0].means], ['comments', 1, 'belongs to the post `rock1`']);
  });

  it('a query without items has none, and finds every record', async () => {
    const { query, total_count, items } = await explained(' , ');
    assert.deepEqual([query, total_count, items], ['', POSTS.length + 1, []]);
  });

  it('the window is told, not added', async () => {
    const written = 'before:2021-01-03 cats';
    const { query, total_count, items, implied } = await explained(written);
    assert.equal(query, 'before:2021-01-03,cats');
    assert.deepEqual([total_count, items.at(-1).so_far], [1, 1]);
    assert.deepEqual(implied, {
      item: 'after:2021-01-02',
      means: 'is from 2021-01-02 (UTC) or later',
      so_far: await countOf(written),
    });
    assert.equal('implied' in (await explained(`${written} after:1970-01-01`)), false);
    const windowless = await service.build({ searchSettings: { impliedWindow: 'off' } });
    assert.equal('implied' in (await ask(POSTS_PATH, written, windowless)).json(), false);
  });

  it('what is dropped is no item', async () => {
    const answer = await ask(POSTS_PATH, 'cats & C++');
    assert.deepEqual(
      answer.json().items.map(({ means }: { means: string }) => means),
      ['contains the word `cats`', 'contains the word `c`'],
    );
    assert.equal(answer.headers['colloquy-dropped'], '%"&", %"C++"');
  });

  it(`64 items are explained, 65 are refused`, async () => {
    const words = Array.from({ length: MAX_ITEMS }, (_, i) => `-w${i}`);
    const { items, total_count } = await explained(words.join(' '));
    assert.deepEqual([items.length, total_count], [MAX_ITEMS, POSTS.length + 1]);
    const over = await ask(POSTS_PATH, [...words, 'x'].join(' '));
    assert.deepEqual([over.statusCode, over.json().code], [400, 'too_many_items']);
  });

  it('faults have their place, also that of a prefix that only the index refuses', async () => {
    for (const [query, code, position] of [
      ['cats score:x', 'bad_score', { offset: 5, length: 7 }],
      ['cats -zz*', 'prefix_too_broad', { offset: 5, length: 4 }],
    ] as const) {
      const answer = await ask(POSTS_PATH, query);
      assert.deepEqual([answer.statusCode, answer.json().code], [400, code]);
      assert.deepEqual(answer.json().position, position);
    }
    const missing = await server.inject({
      url: POSTS_PATH,
      headers: { authorization: `Bearer ${service.keys.good}` },
    });
    assert.equal(missing.json().code, 'missing_query');
  });

  it('without any time left it is refused as too slow', async () => {
    const slow = await service.build({ searchSettings: { queryTimeoutMs: 0 } });
    assert.equal((await ask(POSTS_PATH, 'cats dogs', slow)).json().code, 'query_timeout');
  });

  it('counts of random queries are those of searches', async () => {
    const windowless = await service.build({ searchSettings: { impliedWindow: 'off' } });
    const vocabulary = { ...queryVocabulary, words: ['cats', 'box', 'two', 'tied', 'rock and'] };
    const count = async (query: string) =>
      (await ask('/api/v1/search/posts', query, windowless)).json().total_count;
    const queries = fc.sample(spelledQueryArbitrary(vocabulary, 4), { numRuns: RANDOM_QUERIES, seed: 7 });
    for (const { text } of queries) {
      const { items, query, total_count } = await explained(text);
      assert.equal(total_count, await count(query), text);
      const names: string[] = items.map(({ item }: { item: string }) => item);
      for (const [i, { item, alone, without, so_far }] of items.entries()) {
        assert.equal(alone, await count(item), `${text}: ${item} alone`);
        assert.equal(without, await count(names.toSpliced(i, 1).join(',')), `${text}: without ${item}`);
        assert.equal(so_far, await count(names.slice(0, i + 1).join(',')), `${text}: up to ${item}`);
      }
    }
  });
});
