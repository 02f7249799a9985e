import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { isFromOurPage, ownPath, publicAddress } from './origin.ts';

const request = (headers: Record<string, string>) => ({ headers }) as unknown as FastifyRequest;

describe('isFromOurPage', () => {
  const host = 'here.example:8080';
  const rows = [
    ['no word of it', {}, null, true],
    ['our origin', { origin: 'http://here.example:8080' }, null, true],
    ['another port', { origin: 'http://here.example' }, null, false],
    ['another scheme', { origin: 'https://here.example:8080' }, null, false],
    ['another host', { origin: 'http://evil.example' }, null, false],
    ['an opaque origin', { origin: 'null' }, null, false],
    ['the public address', { origin: 'https://public.example' }, 'https://public.example/search', true],
    [
      'the host where the public address is another',
      { origin: 'http://here.example:8080' },
      'https://public.example',
      false,
    ],
    ['another site by the browser’s word', { 'sec-fetch-site': 'cross-site' }, null, false],
    ['a host beside ours', { 'sec-fetch-site': 'same-site' }, null, false],
    [
      'our page by the browser’s word',
      { 'sec-fetch-site': 'same-origin', origin: 'http://here.example:8080' },
      null,
      true,
    ],
  ] as const;
  for (const [rule, headers, publicUrl, expected] of rows) {
    it(rule, () => assert.equal(isFromOurPage(request({ host, ...headers }), publicUrl), expected));
  }
});

describe('ownPath', () => {
  for (const path of ['/', '/search?query=a%20b&in=comments#x', '/account/keys']) {
    it(`${path} is kept`, () => assert.equal(ownPath(path), path));
  }
  for (const path of [null, undefined, '', 'x', '//x', '/\\x', '/x\\y', '/\tx', 'https://x/', '/é', '/x y']) {
    it(`${JSON.stringify(path)} is not`, () => assert.equal(ownPath(path), '/'));
  }
});

it('publicAddress: the setting before the host of the request', () => {
  assert.equal(publicAddress(request({ host: 'a:1' }), 'https://b'), 'https://b');
  assert.equal(publicAddress(request({ host: 'a:1' }), null), 'http://a:1');
  assert.equal(publicAddress(request({}), null), 'http://localhost');
});
