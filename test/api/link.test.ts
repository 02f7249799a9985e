// The header `Link`: on every page that has a next one, on no other, and a client that follows it needs no cursor.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ORDERS } from '../../src/model/pages.ts';
import { comment } from '../helpers.ts';
import { Api, idsOf, nextOf } from './asking.ts';
import { COMMENTS, NEW_YEAR } from './corpus.ts';
import type { BuildOptions } from './service.ts';

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
  const api = new Api([], [...COMMENTS, ...CROWD]);

  for (const order of ORDERS) {
    for (const [query, limit] of [
      ['', 100],
      ['', 1000],
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
        let pages = 0;
        const path = `search/comments?query=${query}&order_by=${order}&limit=${limit}`;
        for await (const answer of api.pages(path)) {
          const { total_count, data, sort_key } = answer.json();
          assert.ok(pages++ === 0 || total_count === total);
          total = total_count;
          assert.ok(data.length > 0 || total === 0);
          ids.push(...idsOf(data));
          const next = nextOf(answer);
          if (next !== null) assert.equal(new URL(next).searchParams.get('after'), `${sort_key[0][0]}`);
        }
        assert.equal(ids.length, total);
        assert.equal(new Set(ids).size, total);
        assert.ok(pages <= Math.max(1, Math.ceil(total / limit)));
      });
    }
  }

  it('a cursor of `top` that Go or R turned into 5.337e+15 is not needed: the address is whole', async () => {
    const path = 'search/comments?query=/r/many&order_by=top&limit=2';
    const answer = await api.get(path, { host: 'here.example:8080' });
    const query = `query=%2Fr%2Fmany&order_by=top&limit=2&after=${answer.json().sort_key[0][0]}`;
    assert.equal(nextOf(answer), `http://here.example:8080/api/v1/search/comments?${query}`);
  });

  it('the window that was added stands in it, so that it is not added anew', async () => {
    const answer = await api.get('search/comments?query=before:2021-01-02,-%22a+b%22&limit=1');
    assert.equal(answer.headers['colloquy-implied'], 'after:2021-01-01');
    const next = nextOf(answer)!;
    const query = new URL(next).searchParams.get('query');
    assert.equal(query, 'before:2021-01-02,-"a b",after:2021-01-01');
    const second = await api.get(next);
    assert.equal(second.json().query, answer.json().query);
    assert.equal(second.json().total_count, answer.json().total_count);
  });

  it('the fields stand in it, so that the next page has them too', async () => {
    const answer = await api.get('search/comments?query=/r/many&limit=2&fields=post_id,id');
    const next = nextOf(answer)!;
    assert.equal(new URL(next).searchParams.get('fields'), 'post_id,id');
    const fields = (await api.get(next)).json().data.map((record: object) => Object.keys(record).join());
    assert.deepEqual(fields, ['post_id,id', 'post_id,id']);
  });

  it('without `limit` a page has 100 records', async () => {
    assert.equal((await api.get('search/comments?query=')).json().data.length, 100);
  });

  it('none where nothing is given, and none with an error', async () => {
    for (const search of ['query=&limit=0', 'query=score:x'])
      assert.equal((await api.get(`search/comments?${search}`)).headers.link, undefined);
  });

  it('HEAD and 304 have it too, and scripts of other sites may read it', async () => {
    const path = 'search/comments?query=&limit=1';
    await api.expectUnchanged(path);
    const answer = await api.get(path);
    assert.notEqual(nextOf(answer), null);
    assert.match(String(answer.headers['access-control-expose-headers']), /\bLink\b/);
  });

  it('begins with the public address, or with what a trusted proxy tells', async () => {
    const url = '/api/v1/search/comments?query=&limit=1';
    const headers = {
      authorization: `Bearer ${api.service.keys.good}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'search.example.org',
    };
    const linkFrom = async (options: BuildOptions, remoteAddress: string) => {
      const server = await api.service.build(options);
      return nextOf(await server.inject({ url, headers, remoteAddress }))!.split('/api/')[0];
    };
    const trusting = { trustedProxies: ['10.0.0.0/8'] };
    assert.equal(await linkFrom(trusting, '10.0.0.1'), 'https://search.example.org');
    assert.equal(await linkFrom(trusting, '192.0.2.1'), 'http://localhost:80');
    const named = { publicUrl: 'https://public.example/colloquy' };
    assert.equal(await linkFrom(named, '192.0.2.1'), 'https://public.example/colloquy');
  });
});
