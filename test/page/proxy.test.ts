// Behind a proxy that is trusted, without a public address being set: every part of the site agrees on where it is.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { siteOfTests } from './site.ts';

const FORWARDED = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'search.example.org',
  'x-forwarded-for': '198.51.100.1',
};
const PROXY = { remoteAddress: '10.0.0.1', headers: FORWARDED };
const STRANGER = { remoteAddress: '192.0.2.9', headers: FORWARDED };

describe('behind a trusted proxy, without a public address', () => {
  const { inject } = siteOfTests(undefined, undefined, { trustedProxies: ['10.0.0.0/8'] });

  const chooseTheme = (from: typeof PROXY) =>
    inject({
      ...from,
      method: 'POST',
      url: '/theme',
      headers: {
        ...from.headers,
        origin: 'https://search.example.org',
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'theme=dark&return=/about',
    });

  it('choosing a theme was 403, and its cookie was not Secure', async () => {
    const answer = await chooseTheme(PROXY);
    assert.equal(answer.statusCode, 303);
    assert.match(String(answer.headers['set-cookie']), /^__Host-colloquy_settings=theme:dark;.*; Secure$/);
  });

  it('a stranger that sends the same headers is refused', async () => {
    assert.equal((await chooseTheme(STRANGER)).statusCode, 403);
  });

  it('documents and pages said http:// and the inner host', async () => {
    for (const path of ['/docs', '/search?query=panel', '/opensearch.xml', '/about']) {
      const { body } = await inject({ ...PROXY, url: path });
      assert.match(body, /https:\/\/search\.example\.org/, path);
      assert.doesNotMatch(body, /http:\/\/(?:search\.example\.org|localhost)/, path);
      const { body: strange } = await inject({ ...STRANGER, url: path });
      assert.doesNotMatch(strange, /search\.example\.org/, path);
    }
  });
});
