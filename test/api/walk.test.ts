// Walks every page of an answer over HTTP as the documentation tells callers to, and finds every record once.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { ORDERS } from '../../src/model/pages.ts';
import { comment } from '../helpers.ts';
import { broadPrefixPost, COMMENTS, NEW_YEAR, POSTS } from './corpus.ts';
import { openService, type Service } from './service.ts';

/** 1,100 in one second and score: more than a cursor can count in a second. */
const CROWD = Array.from({ length: 1100 }, (_, i) =>
  comment({ id: `crowd${i}`, community: 'crowd', created: NEW_YEAR + 5, score: 1, body: 'One of many' }),
);

describe('walking the pages', () => {
  let service: Service;
  let server: FastifyInstance;

  before(async () => {
    service = await openService([...POSTS, broadPrefixPost()], [...COMMENTS, ...CROWD]);
    server = await service.build();
  });
  after(() => service[Symbol.asyncDispose]());

  for (const order of ORDERS) {
    for (const [query, limit] of [
      ['', 7],
      ['', 1000],
      ['/r/many', 1],
      ['/r/crowd', 100],
    ] as const) {
      it(`${order}, limit ${limit}, \`${query}\`: every match once, the sum is total_count`, async () => {
        const { ids, totals } = await walk(query, order, limit);
        assert.equal(totals.size, 1);
        assert.equal(ids.length, [...totals][0]);
        assert.equal(new Set(ids).size, ids.length);
      });
    }
  }

  it('a prefix with 100,001 words behind it is refused, with its place', async () => {
    const { status, body } = await get('posts', 'query=ab*+-zz*');
    assert.equal(status, 400);
    assert.equal(body.code, 'prefix_too_broad');
    assert.deepEqual(body.position, { offset: 4, length: 4 });
  });

  async function walk(
    query: string,
    order: string,
    limit: number,
  ): Promise<{ ids: string[]; totals: Set<number> }> {
    const ids: string[] = [];
    const totals = new Set<number>();
    for (let after = ''; ; ) {
      const search = new URLSearchParams({ query, order_by: order, limit: String(limit), after });
      const { body } = await get('comments', search.toString());
      totals.add(body.total_count);
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      if (body.sort_key.length === 0) return { ids, totals };
      after = String(body.sort_key[0][0]);
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the answer is looked at field by field
  async function get(kind: string, search: string): Promise<{ status: number; body: any }> {
    const headers = { authorization: `Bearer ${service.keys.good}` };
    const response = await server.inject({ url: `/api/v1/search/${kind}?${search}`, headers });
    return { status: response.statusCode, body: response.json() };
  }
});
