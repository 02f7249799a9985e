import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Claim, joinClaims, NO_CLAIM, sameClaims } from './claims.ts';

const claims = fc.record({
  nsfw: fc.constantFrom(true, false, null),
  time: fc.integer({ min: 0, max: 3 }),
  id: fc.constantFrom('', 'a', 'b', 'aa', '2qh1'),
});

/** A claim in the form in which it is kept. */
function kept(claim: Claim): Claim {
  return joinClaims(NO_CLAIM, claim);
}

describe('claims on a community', () => {
  const cases: readonly (readonly [string, Claim, Claim, Claim])[] = [
    [
      'the newer one counts',
      { nsfw: true, time: 1, id: '' },
      { nsfw: false, time: 2, id: '' },
      { nsfw: false, time: 2, id: '' },
    ],
    [
      'of one second true counts',
      { nsfw: true, time: 2, id: '' },
      { nsfw: false, time: 2, id: '' },
      { nsfw: true, time: 2, id: '' },
    ],
    [
      'one that does not say is passed over, however new',
      { nsfw: false, time: 1, id: '' },
      { nsfw: null, time: 9, id: '' },
      { nsfw: false, time: 1, id: '' },
    ],
    [
      'the least id stays, by length first, whichever is newer',
      { nsfw: null, time: 1, id: '2qh1' },
      { nsfw: true, time: 2, id: '2qh0z' },
      { nsfw: true, time: 2, id: '2qh1' },
    ],
    [
      'an id is taken from the one that has it',
      { nsfw: true, time: 1, id: '' },
      { nsfw: null, time: 0, id: 'x' },
      { nsfw: true, time: 1, id: 'x' },
    ],
  ];
  for (const [rule, a, b, joined] of cases) {
    it(rule, () => {
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
