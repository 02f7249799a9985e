// Records by their ids over the whole way, asked of the embedded engine.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { countedBytes } from '../../src/model/pages.ts';
import { MAX_NAMED_BYTES, MAX_NAMED_RECORDS } from '../../src/model/record-link.ts';
import { comment } from '../helpers.ts';
import { AnswerSchemas } from './answer-schemas.ts';
import { COMMENTS, NEW_YEAR, POSTS } from './corpus.ts';
import { openService, type Service } from './service.ts';

const [POSTS_PATH, COMMENTS_PATH] = ['/api/v1/records/posts', '/api/v1/records/comments'];

/** So many that an address just holds as many ids as may be asked for, with the longest ids. */
const MANY = Array.from({ length: MAX_NAMED_RECORDS }, (_, i) => comment({ id: `${i}`.padStart(64, 'x') }));

/** Just within their bytes together, and one more: a control character is six bytes of JSON. */
const LARGE = Array.from({ length: 23 }, (_, i) =>
  comment({ id: `large${i}`, body: '\u0001'.repeat(500_000) }),
);
const WITHIN = Math.floor(MAX_NAMED_BYTES / countedBytes(LARGE.at(-1)!));

describe('records by their ids', () => {
  let service: Service;
  let server: FastifyInstance;
  let schemas: AnswerSchemas;

  before(async () => {
    service = await openService(POSTS, [...COMMENTS, ...MANY, ...LARGE], (folder) =>
      openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 1 }),
    );
    server = await service.build();
    schemas = new AnswerSchemas((await server.inject('/api/v1/openapi.json')).json());
  });
  after(() => service[Symbol.asyncDispose]());

  const get = (path: string, parameters: Record<string, string>, headers = {}) =>
    server.inject({
      // A comma as three characters would not leave room for the longest lists.
      url: `${path}?${new URLSearchParams(parameters)}`.replaceAll('%2C', ','),
      headers: { authorization: `Bearer ${service.keys.good}`, ...headers },
    });

  async function found(path: string, ids: string) {
    const answer = await get(path, { ids });
    assert.equal(answer.statusCode, 200, answer.body);
    assert.deepEqual(schemas.faults(path, 200, 'application/json', answer.json()), []);
    const { data, missing } = answer.json();
    return { ids: data.map(({ id }: { id: string }) => id), missing };
  }

  it('begin with type, kind, query and index, which is that of the engine', async () => {
    const answer = (await get(POSTS_PATH, { ids: 'cats1' })).json();
    const { data, ...rest } = answer;
    const index = (await service.engine.fingerprints()).post;
    assert.deepEqual(Object.keys(answer), ['type', 'kind', 'query', 'index', 'data', 'missing']);
    assert.deepEqual(rest, { type: 'records', kind: 'posts', query: null, index, missing: [] });
    const search = await get('/api/v1/search/posts', { query: 'id:cats1' });
    assert.deepEqual(data, search.json().data);
  });

  const lists: readonly (readonly [
    rule: string,
    path: string,
    list: string,
    ids: string,
    missing: string,
  ])[] = [
    ['come in the order asked', POSTS_PATH, 'video1,cats1,rock1', 'video1 cats1 rock1', ''],
    ['come once, however they are named', POSTS_PATH, 'cats1,t3_cats1,T3_cats1,cats1', 'cats1', ''],
    [
      'of permalinks too',
      COMMENTS_PATH,
      'https://www.reddit.com/r/aww/comments/x/_/c1/,/comments/x/_/c3',
      'c1 c3',
      '',
    ],
    [
      'and short links',
      POSTS_PATH,
      'https://redd.it/cats1,reddit.com/r/music/comments/rock1/a_title/?a=1',
      'cats1 rock1',
      '',
    ],
    ['blanks and empty pieces are passed over', POSTS_PATH, ' cats1 ,, video1,', 'cats1 video1', ''],
    ['what is not here is told as typed, once', POSTS_PATH, 't3_no,cats1,no,nope', 'cats1', 't3_no nope'],
    ['an id of the other kind is missing', POSTS_PATH, 't1_c1,cats1,/comments/x/_/c1', 'cats1', 't1_c1'],
    ['an id of either kind is one of this kind', COMMENTS_PATH, 'cats1,c1', 'c1', 'cats1'],
    ['none may be here', COMMENTS_PATH, 't3_cats1', '', 't3_cats1'],
  ];
  for (const [rule, path, list, ids, missing] of lists) {
    it(`${rule}: ${list}`, async () => {
      const words = (text: string) => text.split(' ').filter((word) => word !== '');
      assert.deepEqual(await found(path, list), { ids: words(ids), missing: words(missing) });
    });
  }

  it('a removed one is missing like any other, and the fingerprint is another', async () => {
    const before = await get(POSTS_PATH, { ids: 'tie1,never' });
    await service.engine.hide(1, 'post', { ids: ['tie1'] });
    const after = await get(POSTS_PATH, { ids: 'tie1,never' });
    assert.deepEqual(after.json().missing, ['tie1', 'never']);
    assert.notDeepEqual(after.json().index, before.json().index);
    await service.engine.restore(1);
    assert.deepEqual((await get(POSTS_PATH, { ids: 'tie1,never' })).json(), before.json());
  });

  it('have the fields that are chosen, in that order', async () => {
    const answer = await get(COMMENTS_PATH, { ids: 'c3,c1', fields: 'post_id,id,created,arrived_utc' });
    const [first, second] = answer.json().data;
    assert.deepEqual(Object.keys(first), ['post_id', 'id', 'created', 'arrived_utc']);
    assert.deepEqual([first.post_id, second.post_id], ['rock1', null]);
    assert.equal(second.created, new Date(NEW_YEAR * 1000).toISOString().replace('.000', ''));
    assert.equal(typeof second.arrived_utc, 'number');
  });

  it(`${MAX_NAMED_RECORDS} of the longest ids in one address; of shorter ones, one more is refused`, async () => {
    // Each id and its comma: 65 bytes.
    const list = MANY.map(({ id }) => id).toReversed();
    const { ids, missing } = await found(COMMENTS_PATH, list.join(','));
    assert.deepEqual([ids, missing], [list, []]);
    const shorter = Array.from({ length: MAX_NAMED_RECORDS + 1 }, (_, i) => `s${i}`);
    assert.equal((await get(POSTS_PATH, { ids: shorter.slice(1).join(',') })).statusCode, 200);
    const over = await get(POSTS_PATH, { ids: shorter.join(',') });
    assert.deepEqual([over.statusCode, over.json().code], [400, 'too_many_ids']);
    assert.match(over.json().detail, /expected at most 1,000 different ids, found 1,001$/);
    // The same ones once more are no more of them.
    const twice = [...shorter.slice(1), ...shorter.slice(1)].join(',');
    assert.equal((await found(POSTS_PATH, twice)).missing.length, MAX_NAMED_RECORDS);
  });

  it('larger than their bytes together are refused, not held in memory', async () => {
    assert.equal(WITHIN, LARGE.length - 1);
    const ids = LARGE.map(({ id }) => id);
    const over = await get(COMMENTS_PATH, { ids: ids.join(',') });
    assert.deepEqual([over.statusCode, over.json().code], [400, 'records_too_large']);
    assert.equal(
      over.json().detail,
      'expected records of at most 64 MB together, found more; ask for fewer ids',
    );
    const fewer = await get(COMMENTS_PATH, { ids: ids.slice(1).join(','), fields: 'id' });
    assert.deepEqual(
      fewer.json().data.map(({ id }: { id: string }) => id),
      ids.slice(1),
    );
  });

  const refused: readonly (readonly [rule: string, query: string, code: string, detail: RegExp])[] = [
    ['none at all', '', 'bad_ids', /^parameter `ids`: expected ids or permalinks of records, .* found none$/],
    ['an empty list', 'ids=', 'bad_ids', /found none$/],
    ['commas alone', 'ids=,%20,', 'bad_ids', /found none$/],
    ['what is no id', 'ids=cats1,two+words', 'bad_ids', /found `two words`$/],
    ['the id of a community', 'ids=t5_2qh1o,a,!', 'bad_ids', /found `t5_2qh1o` and 1 more that are none$/],
    ['a link to a community', 'ids=https://www.reddit.com/r/aww/', 'bad_ids', /found `https:.*`$/],
    ['a field that no post has', 'ids=cats1&fields=body', 'bad_fields', /`body`$/],
    ['ids twice', 'ids=a&ids=b', 'repeated_parameter', /`ids`/],
    ['a query', 'ids=a&query=b', 'unknown_parameter', /expected `ids`, `fields`, found parameter `query`/],
  ];
  for (const [rule, query, code, detail] of refused) {
    it(`${rule} is refused: ${query}`, async () => {
      const headers = { authorization: `Bearer ${service.keys.good}` };
      const answer = await server.inject({ url: `${POSTS_PATH}?${query}`, headers });
      assert.deepEqual([answer.statusCode, answer.json().code], [400, code]);
      assert.match(answer.json().detail, detail);
      assert.deepEqual(schemas.faults(POSTS_PATH, 400, 'application/problem+json', answer.json()), []);
    });
  }

  it('need a key, have a tag and a HEAD, as a search', async () => {
    assert.equal((await server.inject(`${POSTS_PATH}?ids=cats1`)).statusCode, 401);
    const first = await get(POSTS_PATH, { ids: 'cats1' });
    const again = await get(POSTS_PATH, { ids: 'cats1' }, { 'if-none-match': String(first.headers.etag) });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
    const head = await server.inject({
      ...{ method: 'HEAD', url: `${POSTS_PATH}?ids=cats1` },
      headers: { authorization: `Bearer ${service.keys.good}` },
    });
    assert.deepEqual([head.statusCode, head.body, head.headers.etag], [200, '', first.headers.etag]);
  });

  it('without any time left they are refused as too slow', async () => {
    const slow = await service.build({ searchSettings: { queryTimeoutMs: 0 } });
    const headers = { authorization: `Bearer ${service.keys.good}` };
    const answer = await slow.inject({ url: `${POSTS_PATH}?ids=cats1`, headers });
    assert.deepEqual([answer.statusCode, answer.json().code], [503, 'query_timeout']);
  });
});
