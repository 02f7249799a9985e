// `under` over the whole way: its limits, and walks by `Link` and by cursor.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { ORDERS } from '../../src/model/pages.ts';
import { MAX_POSTS_UNDER } from '../../src/model/query.ts';
import { comment, post } from '../helpers.ts';
import { broadPrefixPost } from './corpus.ts';
import { openService, type Service } from './service.ts';

/** One more than may match. */
const POSTS = Array.from({ length: MAX_POSTS_UNDER + 1 }, (_, i) =>
  post({ id: `p${i}`, created: i, score: i, title: 'solar' }),
);

const COMMENTS = Array.from({ length: 90 }, (_, i) =>
  comment({ id: `c${i}`, post: `p${i % 3}`, created: Math.floor(i / 10), score: i % 4 }),
);

const PATH = '/api/v1/search/comments';

describe('comments of posts that match', () => {
  let service: Service;
  let server: FastifyInstance;

  before(async () => {
    service = await openService([...POSTS, broadPrefixPost()], COMMENTS);
    server = await service.build();
  });
  after(() => service[Symbol.asyncDispose]());

  const get = (address: string) =>
    server.inject({ url: address, headers: { authorization: `Bearer ${service.keys.good}` } });

  it('more than 100,000 posts are refused, 100,000 are not', async () => {
    const over = await get(`${PATH}?query=&under=solar`);
    assert.equal(over.statusCode, 400);
    assert.equal(over.json().code, 'too_many_posts');
    assert.match(over.json().detail, /at most 100,000 posts that match `under`, found 100,001/);
    const most = await get(`${PATH}?query=&under=solar+score:1`);
    assert.deepEqual([most.statusCode, most.json().total_count], [200, 60]);
  });

  it('a prefix of under that is too broad has its place there', async () => {
    const answer = await get(`${PATH}?query=solar&under=ab*+-zz*`);
    assert.equal(answer.json().code, 'prefix_too_broad');
    assert.deepEqual(answer.json().position, { parameter: 'under', offset: 4, length: 4 });
  });

  for (const order of ORDERS) {
    it(`${order}: following Link gives every match once, with the query for posts in each address`, async () => {
      const ids: string[] = [];
      let address: string | undefined = `${PATH}?query=&under=Score:1..+solar&limit=7&order_by=${order}`;
      while (address !== undefined) {
        const answer = await get(address);
        const { data, total_count, under } = answer.json();
        assert.deepEqual([answer.statusCode, total_count, under], [200, 60, 'score:1,solar']);
        ids.push(...data.map(({ id }: { id: string }) => id));
        address = /^<([^>]*)>; rel="next"$/.exec(String(answer.headers.link))?.[1];
        if (address !== undefined) assert.equal(new URL(address).searchParams.get('under'), 'score:1,solar');
      }
      assert.deepEqual([ids.length, new Set(ids).size], [60, 60]);
      const meant = COMMENTS.filter((record) => record.post !== 'p0').map(({ id }) => id);
      assert.deepEqual(ids.sort(), meant.sort());
    });
  }
});
