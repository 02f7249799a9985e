import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCommunityName, withoutPrefix } from './community-name.ts';

describe('the name of a community', () => {
  it('stands behind a prefix or alone; a user has a community of their own', () => {
    const rows = [
      ['Energy', 'Energy'],
      ['r/Energy', 'Energy'],
      ['/R/Energy', 'Energy'],
      ['u/Ann', 'u_Ann'],
      ['/user/Ann', 'u_Ann'],
      ['/r/', ''],
      ['rust', 'rust'],
    ] as const;
    for (const [text, name] of rows) assert.equal(withoutPrefix(text), name, text);
  });

  it('holds no separator, slash, plus or control character, and at most 128 units', () => {
    for (const name of ['a', 't:1337', "o'neil", 'a"b', 'a|b', 'a'.repeat(128)])
      assert.ok(isCommunityName(name), name);
    for (const name of ['', 'a b', 'a,b', 'a/b', 'a+b', 'a\0', 'a'.repeat(129)])
      assert.ok(!isCommunityName(name), name);
  });
});
