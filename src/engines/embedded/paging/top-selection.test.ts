// The lowest of many ranks, compared with sorting them all.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LowestRanks } from './sample.ts';

const half = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom(0xfffffffe, 0xffffffff));

describe('the lowest ranks', () => {
  it('are those that come first where all are sorted; equal ones by what they are of', () => {
    const ranks = fc.array(fc.tuple(half, half), { maxLength: 200 });
    fc.assert(
      fc.property(ranks, fc.integer({ min: 1, max: 60 }), (given, size) => {
        // Of equal ranks the higher number comes first, as an id may.
        const lowest = new LowestRanks(size, (a, b) => b - a);
        for (const [i, [high, low]] of given.entries()) {
          const isOffered = lowest.offer(high, low, i);
          if (!isOffered) assert.equal(lowest.length, size);
        }
        const sorted = [...given.keys()].sort(
          (a, b) => given[a]![0] - given[b]![0] || given[a]![1] - given[b]![1] || b - a,
        );
        assert.deepEqual(lowest.sorted(), sorted.slice(0, size));
        assert.equal(lowest.length, Math.min(size, given.length));
        const last = sorted[size - 1];
        assert.equal(lowest.limit, last === undefined ? 2 ** 32 : given[last]![0]);
      }),
    );
  });
});
