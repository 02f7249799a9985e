import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { feedsNotice } from './feeds-notice.ts';

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
