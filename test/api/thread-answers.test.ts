// Threads over the whole way, asked of the embedded engine, held against brute force and the OpenAPI document.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_TREE } from '../../src/features/reading/threads.ts';
import type { StoredComment } from '../../src/model/record.ts';
import { comment, post } from '../helpers.ts';
import { around, byTime, treeOf } from '../thread-oracle.ts';
import { Api, idsOf, nextOf, openEmbedded } from './asking.ts';

interface TreeComment {
  readonly id: string;
  readonly depth: number | null;
  readonly replies: readonly TreeComment[];
}

let seconds = 1000;
const inThread = (id: string, parent: string, fields: Partial<StoredComment> = {}) =>
  comment({ id, parent, post: 'p1', created: seconds++, body: `"comments":[ ${id}`, ...fields });

const THREAD = [
  inThread('a', 'p1'),
  inThread('b', 'a', { sentiment: 0.5 }),
  inThread('c', 'lost'),
  inThread('d', 'c'),
  inThread('e', 'g'),
  inThread('f', 'e'),
  inThread('g', 'f'),
  inThread('h', ''),
  inThread('i', 'b'),
  inThread('j', 'x'),
  inThread('k', 'a'),
  inThread('l', 'l'),
  ...Array.from({ length: 5 }, (_, i) => inThread(`t${i}`, 'i', { created: 5000 })),
];

/** So many as a tree may have, in one chain, and one more. */
const CHAIN = Array.from({ length: MAX_TREE }, (_, i) =>
  comment({ id: `n${i}`, post: 'deep', parent: i === 0 ? 'deep' : `n${i - 1}`, created: i }),
);

const OTHERS = [
  comment({ id: 'x', post: 'p2', parent: 'p2' }),
  comment({ id: 'loose', post: '' }),
  comment({ id: 'alone', post: 'gone', parent: 'gone' }),
  ...CHAIN.map((one) => ({ ...one, id: `m${one.id}`, post: 'large', parent: 'large' })),
  comment({ id: 'one', post: 'large', parent: 'large' }),
];

const POSTS = [
  post({ id: 'p1', title: '"comments":[', selftext: 'quoted "comments":[' }),
  post({ id: 'p2' }),
  post({ id: 'quiet', title: 'nobody said anything' }),
  post({ id: 'deep' }),
];

describe('the thread endpoint', () => {
  const api = new Api(POSTS, [...THREAD, ...CHAIN, ...OTHERS], openEmbedded);

  const pathOf = (name: string, parameters: Record<string, string> = {}) =>
    `thread/${encodeURIComponent(name)}?${new URLSearchParams(parameters)}`;
  const found = (name: string, parameters?: Record<string, string>) => api.answer(pathOf(name, parameters));

  it('begins with type, kind, query and index, then the post, the count and the comments', async () => {
    const body = await found('p1');
    const { comments, post: told, ...rest } = body;
    const names = ['type', 'kind', 'query', 'index', 'post', 'total_count', 'comments', 'next'];
    assert.deepEqual(Object.keys(body), names);
    const index = (await api.service.engine.fingerprints()).comment;
    const head = { type: 'thread', kind: 'comments', query: null, index };
    assert.deepEqual(rest, { ...head, total_count: THREAD.length, next: null });
    assert.deepEqual(told, (await api.answer('search/posts?query=id:p1')).data[0]);
    const [b] = (await api.answer('search/comments?query=id:b')).data;
    assert.deepEqual(comments[1], { ...b, parent_id: 'a', depth: 1 });
  });

  it('flat: the oldest first, with what each answers; below a lost parent the depth is null, nothing is dropped', async () => {
    const { comments } = await found('p1');
    const depths = new Map(treeOf(THREAD).map(({ id, depth }) => [id, depth]));
    const told = comments.map((one: Record<string, unknown>) => [one.id, one.parent_id, one.depth]);
    const expected = byTime(THREAD).map(({ id, parent }) => [id, parent || null, depths.get(id)]);
    assert.deepEqual(told, expected);
  });

  it('pages: `next` and the header Link lead through all, the middle of a second too', async () => {
    const ids: string[] = [];
    for await (const answer of api.pages('thread/t3_p1?limit=3&fields=id')) {
      const { comments, next, total_count } = answer.json();
      ids.push(...idsOf(comments));
      assert.ok(comments.length > 0);
      assert.equal(total_count, THREAD.length);
      const link = nextOf(answer);
      const after = link === null ? null : Number(new URL(link).searchParams.get('after'));
      assert.equal(after, next);
    }
    assert.deepEqual(ids, idsOf(byTime(THREAD)));
  });

  it('tree: each comment with what answers it, all at once', async () => {
    const { comments, total_count, next } = await found('p1', { shape: 'tree' });
    assert.deepEqual([total_count, next], [THREAD.length, null]);
    const walked: object[] = [];
    const walk = (list: readonly TreeComment[], level: number) => {
      for (const { id, depth, replies } of list) {
        walked.push({ id, depth, level });
        walk(replies, level + 1);
      }
    };
    walk(comments, 0);
    assert.deepEqual(walked, treeOf(THREAD));
  });

  it('tree: 10,000 comments in one chain are written; one more of any form is refused', async () => {
    const answer = await api.get('thread/deep?shape=tree&fields=id');
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.body.split('"replies":[').length - 1, MAX_TREE);
    assert.ok(answer.body.endsWith(`${']}'.repeat(MAX_TREE)}],"next":null}`));
    const { detail } = await api.refused('thread/large?shape=tree', 400, 'thread_too_large');
    assert.match(detail, /at most 10,000 comments for a tree, found 10,001/);
    assert.equal((await found('large', { shape: 'tree', around: 'one' })).comments.length, 1);
  });

  it('around: its ancestors, itself, its direct replies', async () => {
    for (const id of ['a', 'b', 'i', 't3', 'd', 'e', 'l', 'lost', 'x']) {
      const { comments, total_count } = await found('p1', { around: id });
      assert.deepEqual([idsOf(comments), total_count], [around(THREAD, id), THREAD.length], id);
    }
    const { comments } = await found('deep', { around: 't1_n5000', shape: 'flat', limit: '2' });
    assert.deepEqual(idsOf(comments), ['n0', 'n1']);
    const link = '/r/energy/comments/p1/_/b/';
    assert.deepEqual(idsOf((await found('p1', { around: link })).comments), around(THREAD, 'b'));
  });

  it('names: an id, its prefix, a permalink of the post or of a comment of it', async () => {
    const links = ['https://www.reddit.com/r/energy/comments/p1/a_title_that_is_rather_long_for_a_link/'];
    const more = ['/r/energy/comments/p1/_/b/', 'https://redd.it/p1', 't3_p1', 'T3_p1'];
    for (const name of [...links, ...more]) assert.equal((await found(name)).post.id, 'p1', name);
  });

  it('comments whose post is not here are a thread without it, a post without comments one without them', async () => {
    const lost = await found('gone');
    assert.deepEqual([lost.post, idsOf(lost.comments), lost.total_count], [null, ['alone'], 1]);
    const quiet = await found('quiet');
    assert.deepEqual([quiet.post.id, quiet.comments, quiet.total_count], ['quiet', [], 0]);
    assert.deepEqual((await found('quiet', { shape: 'tree' })).comments, []);
  });

  it('limit 0 counts', async () => {
    const { comments, total_count, next } = await found('p1', { limit: '0' });
    assert.deepEqual([comments, total_count, next], [[], THREAD.length, null]);
  });

  it('fields are those that are chosen, in that order', async () => {
    const fields = 'depth,id,created,post_id,arrived_utc';
    const { comments } = await found('p1', { fields });
    assert.deepEqual(Object.keys(comments[0]), fields.split(','));
    assert.ok(comments[0].arrived_utc > 1_700_000_000);
    const tree = await found('p1', { fields: 'id', shape: 'tree' });
    assert.deepEqual(Object.keys(tree.comments[0]), ['id', 'replies']);
  });

  it('a removed comment is not there, and nobody learns that it was', async () => {
    const before = (await found('p1')).index;
    await api.service.engine.hide(1, 'comment', { ids: ['b', 'alone'] });
    const { comments, total_count, index } = await found('p1', { around: 'i' });
    assert.deepEqual([comments[0].id, comments[0].depth, total_count], ['i', null, THREAD.length - 1]);
    assert.notDeepEqual(index, before);
    const removed = await api.refused('thread/gone', 404, 'not_found');
    const never = await api.refused('thread/never', 404, 'not_found');
    assert.equal(removed.detail.replace('gone', 'never'), never.detail);
    await api.service.engine.restore(1);
    assert.deepEqual((await found('p1')).index, before);
  });

  const refused: readonly (readonly [string, name: string, Record<string, string>, number, code: string])[] =
    [
      ['nothing of it is here', 'nope', {}, 404, 'not_found'],
      ['a comment is no post', 'a', {}, 404, 'not_found'],
      ['a comment without a post has no thread', 'loose', {}, 404, 'not_found'],
      ['nothing around it is here', 'p1', { around: 'nope' }, 404, 'not_found'],
      ['a comment of another thread that nothing here answers', 'p2', { around: 'a' }, 404, 'not_found'],
      ['the id of a comment', 't1_a', {}, 400, 'bad_post'],
      ['no id', '<b>', {}, 400, 'bad_post'],
      ['around: the id of a post', 'p1', { around: 't3_p1' }, 400, 'bad_id'],
      ['around: no id', 'p1', { around: '???' }, 400, 'bad_id'],
      ['a shape that is none', 'p1', { shape: 'list' }, 400, 'bad_shape'],
      ['a limit beyond the largest', 'p1', { limit: '1001' }, 400, 'bad_limit'],
      ['a limit with a tree', 'p1', { shape: 'tree', limit: '5' }, 400, 'bad_limit'],
      ['a cursor with a tree', 'p1', { shape: 'tree', after: '1000' }, 400, 'bad_cursor'],
      ['a cursor that is none', 'p1', { after: 'x' }, 400, 'bad_cursor'],
      ['a cursor of scores', 'p1', { after: String(2 ** 50) }, 400, 'cursor_of_other_order'],
      ['a field of posts', 'p1', { fields: 'id,title' }, 400, 'bad_fields'],
      ['a query', 'p1', { query: 'solar' }, 400, 'unknown_parameter'],
    ];
  for (const [rule, name, parameters, status, code] of refused) {
    it(`${rule} → ${code}`, async () => {
      await api.refused(pathOf(name, parameters), status, code);
    });
  }

  it('a key, a method and the time are looked at as elsewhere', async () => {
    const url = '/api/v1/thread/p1';
    await api.expectKeyTagAndHead('thread/p1');
    const posted = await api.server.inject({ url, method: 'POST' });
    assert.deepEqual([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD, OPTIONS']);
    const late = await api.get(url, {}, await api.slow());
    assert.equal(late.statusCode, 503);
    assert.match(late.json().code, /^(?:query_timeout|busy)$/);
  });
});
