import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proxyNotice } from './serve.ts';

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
      if (isTold) assert.match(notice, /PROXIES names none.\n.*`\/metrics` is closed.*\n.*127\.0\.0\.1\n$/);
      else assert.equal(notice, '');
    });
  }
});
