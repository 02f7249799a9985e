import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, post } from '../../test/helpers.ts';
import { isNews, ORDERS, pageRequest } from './pages.ts';
import type { StoredComment, StoredPost } from './record.ts';

const time = { second: 7, given: 'all' } as const;
const top = { score: 3, second: 7 };

describe('a page request', () => {
  it('has a place of the shape that its order has', () => {
    assert.deepEqual(pageRequest('oldest', time, { limit: 2 }), { order: 'oldest', limit: 2, after: time });
    assert.deepEqual(pageRequest('top', top, { limit: 2 }), { order: 'top', limit: 2, after: top });
    for (const order of ORDERS) assert.equal(pageRequest(order, null, { limit: 2 }).after, null);
  });

  it('is not made of a place of another order', () => {
    assert.throws(() => pageRequest('top', time, { limit: 2 }), TypeError);
    for (const order of ['newest', 'oldest'] as const)
      assert.throws(() => pageRequest(order, top, { limit: 2 }), TypeError);
  });
});

const aPost = post({ id: '1', title: 'a', selftext: 'b' });
const aComment = comment({ id: '1', body: 'a', post: 'p' });

const POSTS: readonly [change: Partial<StoredPost>, news: boolean][] = [
  [{}, false],
  [{ title: 'c' }, true],
  [{ selftext: '' }, true],
  [{ url: 'https://example.org/' }, true],
  [{ withdrawn: true }, true],
  [{ score: 9, retrieved: 9, adult: true, communityId: 'x', permalink: '/x', domain: 'x' }, false],
];
const COMMENTS: readonly [change: Partial<StoredComment>, news: boolean][] = [
  [{ body: 'b' }, true],
  [{ withdrawn: true }, true],
  [{ score: 9, retrieved: 9, sentiment: 0.5, parent: 'p', post: 'q' }, false],
];

it('text, title, URL and withdrawal are news; score, rating and parent alone are not', () => {
  for (const [change, news] of POSTS) {
    assert.equal(isNews(aPost, { ...aPost, ...change }), news, JSON.stringify(change));
  }
  for (const [change, news] of COMMENTS) {
    assert.equal(isNews(aComment, { ...aComment, ...change }), news, JSON.stringify(change));
  }
});
