// Tricks by which callers try to get more than their limit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InjectOptions } from 'fastify';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { listen } from '../api/export-client.ts';
import { exchange } from '../api/socket.ts';
import { openSite, type TestSite } from './site.ts';

const EMAIL = 'ann@example.net';
const SEARCH = '/search?query=cats';
const API = '/api/v1/search/posts?query=cats';

/** How many of these requests are answered, with all others refused by 429. */
async function answered(requests: Iterable<() => Promise<{ readonly statusCode: number }>>): Promise<number> {
  let count = 0;
  for (const request of requests) {
    const { statusCode } = await request();
    assert.ok(statusCode === 200 || statusCode === 429, `${statusCode}`);
    if (statusCode === 200) count++;
  }
  return count;
}

function newKey(site: TestSite): string {
  return site.accounts.createKey({ email: EMAIL, name: 'key', expiresInDays: null }).key;
}

function byKey({ server }: TestSite, key: string, method: 'GET' | 'HEAD' = 'GET') {
  return server.inject({ method, url: API, headers: { authorization: `Bearer ${key}` } });
}

describe('a limit of 60 requests a minute, 10 at once', () => {
  it('58 keys of one account made 695 requests in a minute: they have one bucket', async () => {
    await using site = await openSite({ requestsPerMinute: 60 });
    const keys = Array.from({ length: 58 }, () => newKey(site));
    let sent = 0;
    const next = () => byKey(site, keys[sent % keys.length]!, sent++ % 3 === 0 ? 'HEAD' : 'GET');
    let count = 0;
    for (let second = 0; second < 60; second += 5) {
      count += await answered(new Array(20).fill(next));
      site.clock.seconds += 5;
    }
    assert.equal(count, 10 + 55);
  });

  it('signed-in pages had no limit: they take from the bucket of the keys', async () => {
    await using site = await openSite({ requestsPerMinute: 60 });
    const browser = site.browser();
    await browser.register(EMAIL);
    const key = newKey(site);
    const pages = [
      SEARCH,
      '/breakdown?query=cats&field=domain',
      '/api/v1/timeline/posts?query=cats&format=csv-excel',
      '/api/v1/export/posts?query=cats',
    ];
    for (const path of pages) assert.equal((await browser.get(path)).statusCode, 200, path);
    assert.equal((await byKey(site, key)).headers.ratelimit, '"burst";r=5;t=5');
    assert.equal(await answered(Array.from({ length: 9 }, () => () => browser.get(SEARCH))), 5);
    assert.equal((await byKey(site, key)).statusCode, 429);
    const told =
      /Your account has made too many requests, here or with its API keys|of this account, with whichever key/;
    for (const path of pages) {
      const refused = await browser.get(path);
      assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '1'], path);
      assert.match(refused.body, told, path);
    }
    assert.equal((await browser.get('/about')).statusCode, 200);
  });

  it('another browser, another session and a new key begin with what is left', async () => {
    await using site = await openSite({ requestsPerMinute: 60 });
    await credentialsOf(site.accounts).register(EMAIL, 'correct horse battery');
    let count = 0;
    for (let i = 0; i < 2; i++) {
      const browser = site.browser();
      await browser.signIn(EMAIL, 'correct horse battery');
      count += await answered(Array.from({ length: 4 }, () => () => browser.get(SEARCH)));
      const key = newKey(site);
      count += await answered(Array.from({ length: 4 }, () => () => byKey(site, key)));
    }
    assert.equal(count, 10);
  });

  it('HTTP/1.0, HEAD and absolute addresses count; a preflight needs no key and searches nothing', async () => {
    await using site = await openSite({ requestsPerMinute: 60 });
    const port = await listen(site.server);
    const key = newKey(site);
    const lines = [
      `GET ${API} HTTP/1.0`,
      `HEAD ${API} HTTP/1.0`,
      `GET http://elsewhere.example${API} HTTP/1.1`,
      `GET ${API.replace('?', '/?')} HTTP/1.1`,
    ];
    const statuses = [];
    for (let i = 0; i < 16; i++) {
      const head = `${lines[i % 4]}\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      statuses.push(...(await exchange(port, head)).map(({ status }) => status));
      const preflight = `OPTIONS ${API} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      const [answer] = await exchange(port, preflight);
      assert.deepEqual([answer!.status, answer!.body], [204, '']);
    }
    assert.deepEqual(statuses, [...new Array(10).fill(200), ...new Array(6).fill(429)]);
  });
});

describe('a limit of 30 searches at once for visitors', () => {
  const searches = ({ server }: TestSite, times: number, of: (i: number) => InjectOptions) =>
    answered(
      Array.from({ length: times }, (_, i) => () => {
        const method = i % 2 === 0 ? 'GET' : 'HEAD';
        return server.inject({ method, url: SEARCH, ...of(i) });
      }),
    );

  it('a header of a stranger is not believed, nor what is forged behind a trusted proxy', async () => {
    await using site = await openSite({ trustedProxies: ['10.0.0.0/8'] });
    const names = 'X-Forwarded-For Forwarded X-Real-IP CF-Connecting-IP True-Client-IP X-Client-IP';
    for (const [at, name] of names.split(' ').entries()) {
      const forged = (i: number) => (name === 'Forwarded' ? `for=203.0.113.${i}` : `203.0.113.${i}`);
      const stranger = (i: number) => ({ remoteAddress: `198.51.100.${at}`, headers: { [name]: forged(i) } });
      assert.equal(await searches(site, 34, stranger), 30, name);
      const chain = (i: number) => (name === 'X-Forwarded-For' ? `${forged(i)}, 192.0.2.99` : forged(i));
      const behind = (i: number) => ({ remoteAddress: `10.1.1.${at}`, headers: { [name]: chain(i) } });
      assert.equal(await searches(site, 34, behind), 30, name);
    }
  });

  it('HTTP/1.0, HEAD and absolute addresses count; OPTIONS is none of a page', async () => {
    await using site = await openSite();
    const port = await listen(site.server);
    assert.equal(await searches(site, 28, () => ({ remoteAddress: '127.0.0.1' })), 28);
    const statuses = [];
    for (const line of [
      `OPTIONS ${SEARCH} HTTP/1.1`,
      `GET ${SEARCH} HTTP/1.0`,
      `HEAD ${SEARCH} HTTP/1.0`,
      `GET http://elsewhere.example${SEARCH} HTTP/1.1`,
      `HEAD /search/?query=dogs HTTP/1.1`,
    ]) {
      const answers = await exchange(port, `${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
      statuses.push(...answers.map(({ status }) => status));
    }
    assert.deepEqual(statuses, [405, 200, 200, 429, 429]);
  });
});
