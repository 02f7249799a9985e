import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { communityName } from './options.ts';

describe('name of a community', () => {
  const names = [
    ['energy', 'energy'],
    ['/r/Energy/', 'energy'],
    ['R/energy', 'energy'],
    ['/u/Ann', 'u_ann'],
    ['u_ann', 'u_ann'],
    ['r/reddit.com', 'reddit.com'],
    ['t:1337', 't:1337'],
    ['r', 'r'],
  ] as const;
  for (const [text, name] of names) it(`${text} is ${name}`, () => assert.equal(communityName(text), name));

  for (const text of ['', '/r/', '/r//', 'a b', 'a,b', 'a+b', '/r/a/b', '/x/a', '//']) {
    it(`${JSON.stringify(text)} is none`, () => {
      assert.throws(() => communityName(text), { name: 'UsageError', message: /^expected the name of one/ });
    });
  }
});
