// The greatest of many keys, compared with sorting them all.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GreatestKeys } from './top-page.ts';

const few = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom(-(2 ** 32), 2 ** 52));

describe('the greatest keys', () => {
  it('are those that come first where all are sorted, with whatever ties with the last', () => {
    fc.assert(
      fc.property(fc.array(few, { maxLength: 600 }), fc.integer({ min: 1, max: 60 }), (keys, limit) => {
        const greatest = new GreatestKeys(limit);
        let isBelow = false;
        for (const [i, key] of keys.entries()) {
          if (key < greatest.floor) isBelow = true;
          else greatest.add(key, i);
          assert.equal(greatest.length <= limit, true);
        }
        const sorted = [...keys.keys()].sort((a, b) => keys[b]! - keys[a]! || b - a);
        const last = keys[sorted[limit - 1]!] ?? -Infinity;
        const expected = sorted.filter((i) => keys[i]! >= last).map((i) => ({ key: keys[i]!, ref: i }));
        // Of equal keys the higher number comes first, as an id may.
        assert.deepEqual(
          greatest.sorted((a, b) => b - a),
          expected,
        );
        assert.equal(greatest.length, Math.min(limit, keys.length));
        assert.equal(greatest.hasDropped || isBelow, expected.length < keys.length);
      }),
    );
  });
});
