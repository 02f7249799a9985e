import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hex64, Sum64 } from '../../../model/hash.ts';
import { hexOf, mixSum } from './search.ts';

describe('fingerprints', () => {
  it('from the sums of four parts are those from the whole numbers', () => {
    const half = fc.oneof(fc.integer({ min: 0, max: 0xffffffff }), fc.constant(0xffffffff));
    fc.assert(
      fc.property(fc.array(fc.record({ low: half, high: half }), { maxLength: 50 }), (mixes) => {
        const sum = new Sum64();
        for (const mix of mixes) sum.add(mix);
        const part = (of: (mix: { low: number; high: number }) => number) => ({
          value: mixes.reduce((total, mix) => total + of(mix), 0),
        });
        const parts = {
          m0: part(({ low }) => low & 0xffff),
          m1: part(({ low }) => low >>> 16),
          m2: part(({ high }) => high & 0xffff),
          m3: part(({ high }) => high >>> 16),
        };
        assert.equal(hexOf(mixSum(parts)), hex64(sum.value()));
      }),
    );
  });
});
