import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Claim,
  communityObject,
  isCommunityName,
  joinClaims,
  NO_CLAIM,
  sameClaims,
  withoutPrefix,
} from './community.ts';

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

const NOTHING = { operator: null, record: null, dump: null, id: '' };
const adult = (judgedPosts: number, adultPosts: number) => ({ id: '', judgedPosts, adultPosts });

describe('nsfw of a community: the first that says something', () => {
  const rows = [
    ['the operator over all', { operator: false, record: true, dump: true }, adult(10, 10), false],
    ['a record over a dump', { record: true, dump: false }, adult(10, 0), true],
    ['a dump over inference', { dump: false }, adult(10, 10), false],
    ['inference: 9 of 10 posts', undefined, adult(10, 9), true],
    ['inference: less than 9 of 10', undefined, adult(100, 89), false],
    ['inference: fewer than 10 posts say nothing', undefined, adult(9, 9), false],
    ['nothing known', undefined, undefined, false],
  ] as const;
  for (const [rule, knowledge, evidence, nsfw] of rows) {
    const known = knowledge && { ...NOTHING, ...knowledge };
    it(rule, () => assert.equal(communityObject('x', known, evidence).nsfw, nsfw));
  }

  it('the id of the records comes before one that was said', () => {
    const knowledge = { ...NOTHING, id: 'said' };
    assert.equal(communityObject('x', knowledge, { id: 'seen', judgedPosts: 0, adultPosts: 0 }).id, 'seen');
    assert.equal(communityObject('x', knowledge, { id: '', judgedPosts: 0, adultPosts: 0 }).id, 'said');
    assert.equal(communityObject('x', undefined, undefined).id, '');
  });
});

const claims = fc.record({
  nsfw: fc.constantFrom(true, false, null),
  time: fc.integer({ min: 0, max: 3 }),
  id: fc.constantFrom('', 'a', 'b', 'aa', '2qh1'),
});

/** A claim in the form in which it is kept. */
const kept = (claim: Claim) => joinClaims(NO_CLAIM, claim);

describe('claims on a community', () => {
  type Row = readonly [nsfw: boolean | null, time: number, id: string];
  const cases: readonly (readonly [rule: string, one: Row, other: Row, joined: Row])[] = [
    ['the newer one counts', [true, 1, ''], [false, 2, ''], [false, 2, '']],
    ['of one second true counts', [true, 2, ''], [false, 2, ''], [true, 2, '']],
    ['one that does not say is passed over, however new', [false, 1, ''], [null, 9, ''], [false, 1, '']],
    ['the least id stays, by length first', [null, 1, '2qh1'], [true, 2, '2qh0z'], [true, 2, '2qh1']],
    ['an id is taken from the one that has it', [true, 1, ''], [null, 0, 'x'], [true, 1, 'x']],
  ];
  for (const [rule, ...rows] of cases) {
    it(rule, () => {
      const [a, b, joined] = rows.map(([nsfw, time, id]) => ({ nsfw, time, id })) as [Claim, Claim, Claim];
      assert.deepEqual(joinClaims(a, b), joined);
      assert.deepEqual(joinClaims(b, a), joined);
    });
  }

  it('joining is commutative, associative and idempotent', () => {
    fc.assert(
      fc.property(claims, claims, claims, (a, b, c) => {
        assert.deepEqual(joinClaims(a, b), joinClaims(b, a));
        assert.deepEqual(joinClaims(joinClaims(a, b), c), joinClaims(a, joinClaims(b, c)));
        assert.deepEqual(joinClaims(kept(a), a), kept(a));
        assert.ok(sameClaims(joinClaims(kept(a), a), kept(a)));
      }),
    );
  });
});
