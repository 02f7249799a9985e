import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { etagOf, isNoneMatch } from './representation.ts';

describe('entity tags', () => {
  it('are weak, the same for the same body, others for others', async () => {
    assert.match(await etagOf('a'), /^W\/"[\w-]{22}"$/);
    assert.equal(await etagOf('a'), await etagOf('a'));
    assert.notEqual(await etagOf('a'), await etagOf('b'));
  });

  it('are the same for a body in pieces', async () => {
    assert.equal(await etagOf([Buffer.from('a'), Buffer.from('bc')]), await etagOf('abc'));
  });

  const rows: readonly [rule: string, header: string | undefined, match: boolean][] = [
    ['no header', undefined, false],
    ['the tag', 'W/"abc"', true],
    ['the tag as if strong: comparison is weak', '"abc"', true],
    ['a star', ' * ', true],
    ['a list that holds it', '"x", W/"abc" ,"y"', true],
    ['a list without it', '"x", W/"y"', false],
    ['a tag with a comma before it', '"x,y","abc"', true],
    ['a longer tag', 'W/"abcd"', false],
    ['without quotes', 'abc', false],
    ['an empty header', '', false],
  ];
  for (const [rule, header, match] of rows) {
    it(`${rule}: ${match ? '304' : '200'}`, () => assert.equal(isNoneMatch(header, 'W/"abc"'), match));
  }
});
