import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { communityObject } from './community.ts';

const NOTHING = { operator: null, record: null, dump: null, id: '' };
const adult = (judgedPosts: number, adultPosts: number) => ({ id: '', judgedPosts, adultPosts });

describe('nsfw of a community: the first that says something', () => {
  const rows = [
    [
      'the operator over all',
      { ...NOTHING, operator: false, record: true, dump: true },
      adult(10, 10),
      false,
    ],
    ['a record over a dump', { ...NOTHING, record: true, dump: false }, adult(10, 0), true],
    ['a dump over inference', { ...NOTHING, dump: false }, adult(10, 10), false],
    ['inference: 9 of 10 posts', undefined, adult(10, 9), true],
    ['inference: less than 9 of 10', undefined, adult(100, 89), false],
    ['inference: fewer than 10 posts say nothing', undefined, adult(9, 9), false],
    ['nothing known', undefined, undefined, false],
  ] as const;
  for (const [rule, knowledge, evidence, nsfw] of rows) {
    it(rule, () => assert.equal(communityObject('x', knowledge, evidence).nsfw, nsfw));
  }

  it('the id of the records comes before one that was said', () => {
    const knowledge = { ...NOTHING, id: 'said' };
    assert.equal(communityObject('x', knowledge, { id: 'seen', judgedPosts: 0, adultPosts: 0 }).id, 'seen');
    assert.equal(communityObject('x', knowledge, { id: '', judgedPosts: 0, adultPosts: 0 }).id, 'said');
    assert.equal(communityObject('x', undefined, undefined).id, '');
  });
});
