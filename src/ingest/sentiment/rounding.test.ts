// Rounding to 4 decimals: nearest, ties to even, by the exact binary value.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { roundTo4 } from './rounding.ts';

const CASES: readonly (readonly [string, number, number])[] = [
  ['a tie goes to the even number below', 0.03125, 0.0312],
  ['a tie goes to the even number above', 0.09375, 0.0938],
  ['a negative tie goes to the even number', -0.03125, -0.0312],
  ['a negative tie goes to the even number, away from 0', -0.09375, -0.0938],
  ['what only looks like a tie goes by its binary value (below)', 0.00015, 0.0001],
  ['what only looks like a tie goes by its binary value (above)', 0.00025, 0.0003],
  ['small negative numbers come out as 0', -0.00001, 0],
  ['minus 0 comes out as 0', -0, 0],
  ['the ends stay', 1, 1],
  ['the ends stay, negative', -1, -1],
];

for (const [rule, value, expected] of CASES) {
  test(rule, () => assert.ok(Object.is(roundTo4(value), expected), `found ${roundTo4(value)}`));
}

test('away from ties the result is that of toFixed', () => {
  fc.assert(
    fc.property(fc.double({ min: -1, max: 1, noNaN: true }), (value) => {
      fc.pre((value * 32) % 1 !== 0);
      assert.equal(roundTo4(value), Number(value.toFixed(4)) + 0);
    }),
  );
});

test('next to a tie the nearer number is found', () => {
  for (let below = -10_000; below < 10_000; below++) {
    const half = (below + 0.5) / 10_000;
    if ((half * 32) % 1 === 0) continue;
    assert.equal(roundTo4(half), Number(half.toFixed(4)) + 0, String(half));
  }
});
