import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { feedsNotice, tagHost } from './addresses.ts';

it('the host of a tag is in lower case, without a port; an address of IPv6 is none', () => {
  const cases: readonly [string | null, string | null][] = [
    ['https://Search.Example.org:8443/colloquy', 'search.example.org'],
    ['http://192.0.2.1:8080', '192.0.2.1'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
    ['http://[2001:db8::1]:8080', null],
    [null, null],
  ];
  for (const [url, host] of cases) assert.equal(tagHost(url), host, `${url}`);
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
      const notice = feedsNotice({ ofFeatures: { COLLOQUY_PUBLIC_FEEDS: publicFeeds }, publicUrl });
      if (isTold) assert.match(notice, /^COLLOQUY_PUBLIC_FEEDS is on, .*COLLOQUY_PUBLIC_URL(?:.|\n)*\n$/);
      else assert.equal(notice, '');
    });
  }
});
