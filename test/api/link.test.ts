// The header `Link`: on every page that has a next one, on no other, and a client that follows it needs no cursor.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { ORDERS } from '../../src/model/pages.ts';
import { comment } from '../helpers.ts';
import { COMMENTS, NEW_YEAR } from './corpus.ts';
import { openService, type Service } from './service.ts';

/** More than a cursor can count in a second, and a few after them. */
const CROWD = Array.from({ length: 1_100 }, (_, i) =>
  comment({
    id: `crowd${i}`,
    community: 'crowd',
    created: NEW_YEAR + 5 + Math.floor(i / 1_080),
    score: i % 3,
  }),
);

describe('Link: rel="next"', () => {
  let service: Service;
  let server: FastifyInstance;

  before(async () => {
    service = await openService([], [...COMMENTS, ...CROWD]);
    server = await service.build();
  });
  after(() => service[Symbol.asyncDispose]());

  const get = (address: string, headers: Record<string, string> = {}) =>
    server.inject({
      url: address,
      headers: { host: 'here.example:8080', authorization: `Bearer ${service.keys.good}`, ...headers },
    });

  /** The address behind `rel="next"`; null where there is none. */
  const nextOf = ({ headers }: { readonly headers: Record<string, unknown> }) =>
    headers.link === undefined ? null : /^<([^>]*)>; rel="next"$/.exec(String(headers.link))![1]!;

  for (const order of ORDERS) {
    for (const [query, limit] of [
      ['', 100],
      ['/r/many', 1],
      ['/r/many', 20],
      ['/r/many', 40],
      ['/r/many', 1000],
      ['/r/crowd', 7],
      ['nothinglikethis', 5],
    ] as const) {
      it(`${order}, limit ${limit}, \`${query}\`: following it gives every match once, with no empty page at the end`, async () => {
        const ids: string[] = [];
        let total = 0;
        let address: string | null =
          `/api/v1/search/comments?query=${encodeURIComponent(query)}&order_by=${order}&limit=${limit}`;
        let pages = 0;
        while (address !== null) {
          const answer = await get(address);
          assert.equal(answer.statusCode, 200, answer.body);
          const page = answer.json();
          total = page.total_count;
          assert.ok(page.data.length > 0 || total === 0);
          ids.push(...page.data.map(({ id }: { id: string }) => id));
          address = nextOf(answer);
          pages++;
        }
        assert.equal(ids.length, total);
        assert.equal(new Set(ids).size, total);
        assert.ok(pages <= Math.max(1, Math.ceil(total / limit)));
      });
    }
  }

  it('a cursor of `top` that Go or R turned into 5.337e+15 is not needed: the address is whole', async () => {
    const answer = await get('/api/v1/search/comments?query=/r/many&order_by=top&limit=2');
    assert.equal(
      nextOf(answer),
      `http://here.example:8080/api/v1/search/comments?query=%2Fr%2Fmany&order_by=top&limit=2&after=${answer.json().sort_key[0][0]}`,
    );
  });

  it('the window that was added stands in it, so that it is not added anew', async () => {
    const answer = await get('/api/v1/search/comments?query=before:2021-01-02,-%22a+b%22&limit=1');
    assert.equal(answer.headers['colloquy-implied'], 'after:2021-01-01');
    const next = nextOf(answer)!;
    const query = new URL(next).searchParams.get('query');
    assert.equal(query, 'before:2021-01-02,-"a b",after:2021-01-01');
    const second = await get(next);
    assert.equal(second.json().query, answer.json().query);
    assert.equal(second.json().total_count, answer.json().total_count);
  });

  it('the fields stand in it, so that the next page has them too', async () => {
    const answer = await get('/api/v1/search/comments?query=/r/many&limit=2&fields=post_id,id');
    const next = nextOf(answer)!;
    assert.equal(new URL(next).searchParams.get('fields'), 'post_id,id');
    const fields = (await get(next)).json().data.map((record: object) => Object.keys(record));
    assert.deepEqual(fields, [
      ['post_id', 'id'],
      ['post_id', 'id'],
    ]);
  });

  it('none where nothing is given, and none with an error', async () => {
    assert.equal((await get('/api/v1/search/comments?query=&limit=0')).headers.link, undefined);
    assert.equal((await get('/api/v1/search/comments?query=score:x')).headers.link, undefined);
  });

  it('HEAD and 304 have it too, and scripts of other sites may read it', async () => {
    const address = '/api/v1/search/comments?query=&limit=1';
    const answer = await get(address);
    const again = await get(address, { 'if-none-match': String(answer.headers.etag) });
    assert.equal(again.statusCode, 304);
    assert.equal(again.headers.link, answer.headers.link);
    assert.match(String(answer.headers['access-control-expose-headers']), /\bLink\b/);
  });

  it('begins with the public address, or with what a trusted proxy tells', async () => {
    const url = '/api/v1/search/comments?query=&limit=1';
    const headers = {
      authorization: `Bearer ${service.keys.good}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'search.example.org',
    };
    const linkFrom = async (options: Parameters<Service['build']>[0], remoteAddress: string) =>
      nextOf(await (await service.build(options)).inject({ url, headers, remoteAddress }))!.split('/api/')[0];
    const trusting = { trustedProxies: ['10.0.0.0/8'] };
    assert.equal(await linkFrom(trusting, '10.0.0.1'), 'https://search.example.org');
    assert.equal(await linkFrom(trusting, '192.0.2.1'), 'http://localhost:80');
    const named = { publicUrl: 'https://public.example/colloquy' };
    assert.equal(await linkFrom(named, '192.0.2.1'), 'https://public.example/colloquy');
  });
});
