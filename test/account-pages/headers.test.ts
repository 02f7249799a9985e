// Headers of every route, hosts that are not ours, and addresses that lead elsewhere after signing in.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { listen } from '../api/export-client.ts';
import { exchange } from '../api/socket.ts';
import { ofTests } from '../of-tests.ts';
import { openSite, routesOf, type TestSite } from './site.ts';

const PUBLIC = 'https://search.example.org';
const YEAR = 'max-age=31536000';

/** One without a public address, and one with it. */
const plain = ofTests(await openSite());
const site = ofTests(await openSite({ publicUrl: PUBLIC }));

describe('headers of every route', () => {
  const answers = new Map<string, LightMyRequestResponse>();

  before(async () => {
    const signedIn = site.browser({ origin: PUBLIC });
    await signedIn.register('ann@example.net');
    for (const { method, path } of await routesOf(site)) {
      const address = path.replace(/:kind\b/, 'posts').replaceAll(/:[a-z]+/gi, 'x');
      for (const [who, browser] of [
        ['visitor', site.browser({ origin: PUBLIC })],
        ['signed in', signedIn],
      ] as const) {
        // Signing out and deleting would end the session; their answers to a form without a token are looked at.
        const answer = method === 'POST' ? await browser.post(address, {}) : await browser.get(address);
        answers.set(`${method} ${path}, ${who}`, answer);
      }
    }
    answers.set('a path that is not', await site.browser().get('/nothing/here'));
    answers.set('a method that is not', await site.browser().post('/about', {}));
  });

  /** Names of the answers whose header is missing or otherwise. */
  function without(name: string, expected: RegExp, which = (_: LightMyRequestResponse) => true): string[] {
    return [...answers]
      .filter(([, answer]) => which(answer) && !expected.test(String(answer.headers[name])))
      .map(([route, { statusCode, headers }]) => `${route} (${statusCode}): ${headers[name]}`);
  }
  const isPage = ({ headers }: LightMyRequestResponse) => /^text\/html/.test(String(headers['content-type']));

  it('there is something to look at', () => {
    assert.ok(answers.size > 60);
    assert.ok([...answers.values()].filter(isPage).length > 20);
  });

  const everywhere = {
    'x-content-type-options': /^nosniff$/,
    'content-security-policy': /default-src 'none'.*base-uri 'none'.*frame-ancestors 'none'/,
    'referrer-policy': /^(?:no-referrer|same-origin)$/,
    'strict-transport-security': new RegExp(`^${YEAR}$`),
    'x-request-id': /./,
  };
  for (const [name, expected] of Object.entries(everywhere)) {
    it(`${name} is on every answer`, () => assert.deepEqual(without(name, expected), []));
  }

  it('the character set of the icon was not told: every text says its own', () => {
    const unclear = [...answers]
      .map(([route, { headers }]) => [route, String(headers['content-type'] ?? '')] as const)
      .filter(([, type]) => /^text\/|[+/]xml/.test(type) && !/; charset=utf-8\b/.test(type));
    assert.deepEqual(unclear, []);
  });

  const onPages = {
    'x-frame-options': /^DENY$/,
    'content-security-policy': /^(?!.*unsafe).*form-action 'self'/,
    'permissions-policy': /camera=\(\).*geolocation=\(\).*microphone=\(\).*payment=\(\)/,
    'cross-origin-opener-policy': /^same-origin$/,
    'cross-origin-resource-policy': /^same-origin$/,
    'cache-control': /no-store|private/,
    vary: /Cookie/,
  };
  for (const [name, expected] of Object.entries(onPages)) {
    it(`${name} is on every page`, () => assert.deepEqual(without(name, expected, isPage), []));
  }

  it('nothing of an account may be kept', () => {
    const ofAccounts = [...answers].filter(([route]) => / \/account|sign-in|sign-out|register/.test(route));
    for (const [route, { headers }] of ofAccounts) assert.equal(headers['cache-control'], 'no-store', route);
  });

  it('the promise of https is given over https alone', async () => {
    await using own = await openSite({ publicUrl: 'http://search.example.org' });
    for (const path of ['/', '/api/v1/search/posts'])
      assert.equal((await own.browser().get(path)).headers['strict-transport-security'], undefined, path);
  });
});

it('what cannot be read as a request was answered without a policy for its content', async () => {
  const answers = await exchange(await listen(plain.server), 'nonsense\r\n\r\n');
  const [{ status, headers } = assert.fail()] = answers;
  assert.equal(status, 400);
  assert.match(headers['content-security-policy']!, /^default-src 'none';/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['referrer-policy'], 'no-referrer');
});

describe('the host that is asked for', () => {
  const ask = async (of: TestSite, host: string, headers: Record<string, string> = {}, url = '/') =>
    of.server.inject({ url, remoteAddress: '10.0.0.1', headers: { host, ...headers } });

  it('is ours, an address or localhost; any other is a 421, on pages and on the API', async () => {
    for (const host of ['search.example.org', '127.0.0.1:8080', '[::1]', 'localhost:8080']) {
      assert.equal((await ask(site, host)).statusCode, 200, host);
    }
    const page = await ask(site, 'rebound.example:8080');
    assert.equal(page.statusCode, 421);
    assert.match(page.body, /Host not answered here/);
    const api = await ask(site, 'rebound.example', {}, '/api/v1/search/posts?query=');
    assert.deepEqual([api.statusCode, api.json().code], [421, 'misdirected_request']);
    assert.match(api.json().detail, /found `rebound\.example`; its operator lists them/);
    assert.equal((await ask(site, 'rebound.example', {}, '/readyz')).statusCode, 421);
  });

  it('is what a trusted proxy says, and nobody else', async () => {
    const behind = { 'x-forwarded-host': 'search.example.org' };
    await using trusting = await openSite({ publicUrl: PUBLIC, trustedProxies: ['10.0.0.0/8'] });
    assert.equal((await ask(trusting, 'colloquy:8080', behind)).statusCode, 200);
    assert.equal((await ask(trusting, 'colloquy:8080')).statusCode, 421);
    assert.equal((await ask(site, 'colloquy:8080', behind)).statusCode, 421);
  });

  it('is that of an address in absolute form, whatever `Host` says', async () => {
    const port = await listen(site.server);
    for (const [target, host, status] of [
      ['http://rebound.example/', 'search.example.org', 421],
      ['HTTPS://search.example.org:443/', 'rebound.example', 200],
      ['http://search.example.org@rebound.example/', 'search.example.org', 400],
      ['http://rebound.example?query=', 'search.example.org', 421],
    ] as const) {
      const request = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      assert.equal((await exchange(port, request))[0]!.status, status, target);
    }
  });

  it('may be any without a public address, as on one’s own machine', async () => {
    assert.equal((await ask(plain, 'anything.example')).statusCode, 200);
  });
});

describe('where one is sent after signing in', () => {
  const words = `https://evil.example  http://evil.example  HTTPS://evil.example/  ftp://evil.example  //evil.example
    ///evil.example  ////evil.example  evil  https:evil.example
    /\\evil.example  \\/evil.example  \\\\evil.example  /\\/evil  //evil.example/%2f..  https:/evil.example
    javascript:alert(1)  JavaScript:alert(1)  data:text/html,x  vbscript:x  https:///evil.example  evil.example
    .evil.example  @evil.example  search.example.org@evil.example  :80  ?//evil.example  #//evil.example  /é`;
  const elsewhere = [
    ...words.split(/\s+/),
    ...['/\t/evil.example', '/\n/evil.example', '/\r/evil.example', '\t//evil.example', ' //evil.example'],
    ' /x',
    ...['/ /evil.example', '/\u00a0/evil.example', '/\u2028/evil.example', '/\u0000/evil', '/x\r\ny', ''],
    ...['/search\r\nSet-Cookie: a=b', '/search\nLocation: //evil.example', 'java\nscript:alert(1)'],
    ...['/\u3002evil.example', '/\uff0fevil'],
  ];

  it(`${elsewhere.length} tricks lead to no other site`, async () => {
    const browser = plain.browser();
    await browser.register('ann@example.net');
    assert.ok(elsewhere.length >= 40);
    for (const wanted of elsewhere) {
      const signIn = await browser.get(`/sign-in?return=${encodeURIComponent(wanted)}`);
      assert.deepEqual([signIn.statusCode, signIn.headers.location], [303, '/account/keys'], wanted);
      const theme = await browser.post('/theme', { theme: 'dark', return: wanted });
      assert.deepEqual([theme.statusCode, theme.headers.location], [303, '/'], wanted);
    }
  });
});
