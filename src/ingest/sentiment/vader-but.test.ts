// The rule for "but" against a literal copy of the reference's loop.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { weighAroundBut } from './vader-but.ts';

/** As in the reference: `si = sentiments.index(sentiment)`, then the factor by `si`. */
function weighLiterally(sentiments: number[], but: number): void {
  for (let turn = 0; turn < sentiments.length; turn++) {
    const sentiment = sentiments[turn]!;
    const found = sentiments.indexOf(sentiment);
    if (found < but) sentiments[found] = sentiment * 0.5;
    else if (found > but) sentiments[found] = sentiment * 1.5;
  }
}

test('the same words change as in the reference, whatever values meet', () => {
  // Few values, some the half or the one and a half of others, so that changed ones meet unchanged ones.
  const valence = fc.constantFrom(0, 1, 0.5, 2, 1.5, 0.75, 3, -1, -0.5, -1.5, 0.25);
  fc.assert(
    fc.property(fc.array(valence, { maxLength: 60 }), fc.nat({ max: 60 }), (before, place) => {
      const but = Math.min(place, before.length);
      const expected = [...before.slice(0, but), 0, ...before.slice(but)];
      const places = expected.flatMap((value, at) => (value === 0 ? [] : [at]));
      const found = places.map((at) => expected[at]!);
      weighLiterally(expected, but);
      weighAroundBut(found, places, but);
      assert.deepEqual(
        found,
        places.map((at) => expected[at]),
      );
    }),
    { numRuns: 2000 },
  );
});
