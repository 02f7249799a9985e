// Records by their ids over the whole way, asked of the embedded engine.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_NAMED_BYTES, MAX_NAMED_RECORDS } from '../../src/model/engine.ts';
import { countedBytes } from '../../src/model/pages.ts';
import { comment } from '../helpers.ts';
import { Api, idsOf, openEmbedded } from './asking.ts';
import { COMMENTS, NEW_YEAR, POSTS } from './corpus.ts';

const [POSTS_PATH, COMMENTS_PATH] = ['records/posts', 'records/comments'];

/** So many that an address just holds as many ids as may be asked for, with the longest ids. */
const MANY = Array.from({ length: MAX_NAMED_RECORDS }, (_, i) => comment({ id: `${i}`.padStart(64, 'x') }));

/** Just within their bytes together, and one more: a control character is six bytes of JSON. */
const LARGE = Array.from({ length: 23 }, (_, i) =>
  comment({ id: `large${i}`, body: '\u0001'.repeat(500_000) }),
);
const WITHIN = Math.floor(MAX_NAMED_BYTES / countedBytes(LARGE.at(-1)!));

describe('records by their ids', () => {
  const api = new Api(POSTS, [...COMMENTS, ...MANY, ...LARGE], openEmbedded);

  /** A comma as three characters would not leave room for the longest lists. */
  const naming = (path: string, ids: string) =>
    `${path}?ids=${encodeURIComponent(ids).replaceAll('%2C', ',')}`;

  async function found(path: string, names: string) {
    const { data, missing } = await api.answer(naming(path, names));
    return { ids: idsOf(data), missing };
  }

  it('begin with type, kind, query and index, which is that of the engine', async () => {
    const answer = await api.answer('records/posts?ids=cats1');
    const { data, ...rest } = answer;
    const index = (await api.service.engine.fingerprints()).post;
    assert.deepEqual(Object.keys(answer), ['type', 'kind', 'query', 'index', 'data', 'missing']);
    assert.deepEqual(rest, { type: 'records', kind: 'posts', query: null, index, missing: [] });
    assert.deepEqual(data, (await api.answer('search/posts?query=id:cats1')).data);
  });

  const LINKS = 'https://www.reddit.com/r/aww/comments/x/_/c1/,/comments/x/_/c3';
  const SHORT_LINKS = 'https://redd.it/cats1,reddit.com/r/music/comments/rock1/a_title/?a=1';
  const lists: [rule: string, path: string, list: string, ids: string, missing: string][] = [
    ['come in the order asked', POSTS_PATH, 'video1,cats1,rock1', 'video1 cats1 rock1', ''],
    ['come once, however they are named', POSTS_PATH, 'cats1,t3_cats1,T3_cats1,cats1', 'cats1', ''],
    ['of permalinks too', COMMENTS_PATH, LINKS, 'c1 c3', ''],
    ['and short links', POSTS_PATH, SHORT_LINKS, 'cats1 rock1', ''],
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
    const path = 'records/posts?ids=tie1,never';
    const before = await api.answer(path);
    await api.service.engine.hide(1, 'post', { ids: ['tie1'] });
    const after = await api.answer(path);
    assert.deepEqual(after.missing, ['tie1', 'never']);
    assert.notDeepEqual(after.index, before.index);
    await api.service.engine.restore(1);
    assert.deepEqual(await api.answer(path), before);
  });

  it('have the fields that are chosen, in that order', async () => {
    const asked = 'records/comments?ids=c3,c1&fields=post_id,id,created,arrived_utc';
    const [first, second] = (await api.get(asked)).json().data;
    assert.deepEqual(Object.keys(first), ['post_id', 'id', 'created', 'arrived_utc']);
    assert.deepEqual([first.post_id, second.post_id], ['rock1', null]);
    assert.equal(second.created, new Date(NEW_YEAR * 1000).toISOString().replace('.000', ''));
    assert.equal(typeof second.arrived_utc, 'number');
  });

  it(`${MAX_NAMED_RECORDS} of the longest ids in one address; of shorter ones, one more is refused`, async () => {
    // Each id and its comma: 65 bytes.
    const list = idsOf(MANY).toReversed();
    const { ids, missing } = await found(COMMENTS_PATH, list.join(','));
    assert.deepEqual([ids, missing], [list, []]);
    const shorter = Array.from({ length: MAX_NAMED_RECORDS + 1 }, (_, i) => `s${i}`);
    const { detail } = await api.refused(naming(POSTS_PATH, shorter.join(',')), 400, 'too_many_ids');
    assert.match(detail, /expected at most 1,000 different ids, found 1,001$/);
    // The same ones once more are no more of them.
    const twice = [...shorter.slice(1), ...shorter.slice(1)].join(',');
    assert.equal((await found(POSTS_PATH, twice)).missing.length, MAX_NAMED_RECORDS);
  });

  it('larger than their bytes together are refused, not held in memory', async () => {
    assert.equal(WITHIN, LARGE.length - 1);
    const ids = idsOf(LARGE);
    const { detail } = await api.refused(naming(COMMENTS_PATH, ids.join(',')), 400, 'records_too_large');
    assert.equal(detail, 'expected records of at most 64 MB together, found more; ask for fewer ids');
    const fewer = await api.get(`${naming(COMMENTS_PATH, ids.slice(1).join(','))}&fields=id`);
    assert.deepEqual(idsOf(fewer.json().data), ids.slice(1));
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
      assert.match((await api.refused(`${POSTS_PATH}?${query}`, 400, code)).detail, detail);
    });
  }

  it('need a key, have a tag and a HEAD, as a search', async () => {
    await api.expectKeyTagAndHead('records/posts?ids=cats1');
  });

  it('without any time left they are refused as too slow', async () => {
    await api.refused('records/posts?ids=cats1', 503, 'query_timeout', await api.slow());
  });
});
