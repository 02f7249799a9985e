import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { feedsNotice, proxyNotice } from './start-notices.ts';

describe('what a server says of proxies at start', () => {
  const cases = [
    ['https without a proxy', 'https://search.example.org', [], '127.0.0.1', true],
    ['https with one', 'https://search.example.org', ['127.0.0.1'], '127.0.0.1', false],
    ['https at a unix socket', 'https://search.example.org', [], '/run/colloquy/socket', false],
    ['http', 'http://search.example.org', [], '127.0.0.1', false],
    ['no public address', null, [], '127.0.0.1', false],
  ] as const;
  for (const [rule, publicUrl, trustedProxies, host, isTold] of cases) {
    it(`${rule}: ${isTold ? 'a warning' : 'nothing'}`, () => {
      const notice = proxyNotice({ publicUrl, trustedProxies, host });
      if (isTold) assert.match(notice, /PROXIES names none:\n.*`\/metrics` is closed.*\n.*127\.0\.0\.1\n$/);
      else assert.equal(notice, '');
    });
  }
});

describe('what a server says of feeds for visitors at start', () => {
  const cases = [
    ['no public address, on which nothing was said', 'on', null, true],
    ['one that is a number in brackets', 'on', 'http://[2001:db8::1]:8080', true],
    ['one with a name', 'on', 'https://search.example.org', false],
    ['no feeds', 'off', null, false],
  ] as const;
  for (const [rule, publicFeeds, publicUrl, isTold] of cases) {
    it(`${rule}: ${isTold ? 'a warning' : 'nothing'}`, () => {
      const notice = feedsNotice({ publicFeeds, publicUrl });
      if (isTold) assert.match(notice, /^COLLOQUY_PUBLIC_FEEDS is on, .*COLLOQUY_PUBLIC_URL(?:.|\n)*\n$/);
      else assert.equal(notice, '');
    });
  }
});
