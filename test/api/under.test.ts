// `under` over the whole way: its limits, and walks by `Link`.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ORDERS } from '../../src/model/pages.ts';
import { comment, post } from '../helpers.ts';
import { Api, idsOf, nextOf } from './asking.ts';
import { broadPrefixPost } from './corpus.ts';

const POSTS = [0, 1, 2].map((i) => post({ id: `p${i}`, created: i, score: i, title: 'solar' }));
const COMMENTS = Array.from({ length: 90 }, (_, i) =>
  comment({ id: `c${i}`, post: `p${i % 3}`, created: Math.floor(i / 10), score: i % 4 }),
);
const PATH = 'search/comments';

describe('comments of posts that match', () => {
  const api = new Api([...POSTS, broadPrefixPost()], COMMENTS);

  it('a prefix with 100,001 words behind it is refused, with its place in either query', async () => {
    const place = { offset: 4, length: 4 };
    for (const [path, position] of [
      ['search/posts?query=ab*+-zz*', place],
      [`${PATH}?query=solar&under=ab*+-zz*`, { parameter: 'under', ...place }],
    ] as const)
      assert.deepEqual((await api.refused(path, 400, 'prefix_too_broad')).position, position);
  });

  for (const order of ORDERS) {
    it(`${order}: following Link gives every match once, with the query for posts in each address`, async () => {
      const ids: string[] = [];
      const path = `${PATH}?query=&under=Score:1..+solar&limit=7&order_by=${order}`;
      for await (const answer of api.pages(path)) {
        const { data, total_count, under } = answer.json();
        assert.deepEqual([total_count, under], [60, 'score:1,solar']);
        ids.push(...idsOf(data));
        const next = nextOf(answer);
        if (next !== null) assert.equal(new URL(next).searchParams.get('under'), 'score:1,solar');
      }
      assert.deepEqual(ids.sort(), idsOf(COMMENTS.filter(({ post: of }) => of !== 'p0')).sort());
    });
  }
});
