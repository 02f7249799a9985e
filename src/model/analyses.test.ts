// Ranks: fixed for ever, different for different hashes, and spread evenly.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareRanks, hashOfRank, rankHigh, rankKey, rankLow, rankOf } from './analyses.ts';

describe('ranks of samples', () => {
  it('are the same for ever: samples that people drew can be drawn again', () => {
    // By a second implementation, in Python.
    const cases = [
      ['1', 0, 0, '61f49837', 'd366d64c'],
      ['1', 0x12345678, 0x9abcdef0, '78e34c5f', '36121768'],
      ['2', 0x12345678, 0x9abcdef0, '6d4b2972', '95f797c7'],
      ['', 0xffffffff, 1, 'c8944e2d', '41ad32a4'],
      ['ein Körnchen 🌱', 7, 0xffffffff, '79d2e66e', '3fae4029'],
    ] as const;
    for (const [seed, high, low, rankedHigh, rankedLow] of cases) {
      const rank = rankOf(rankKey(seed), { high, low });
      assert.deepEqual([rank.high.toString(16), rank.low.toString(16)], [rankedHigh, rankedLow], seed);
      assert.deepEqual(hashOfRank(rankKey(seed), rank), { high, low });
    }
  });

  it('differ where hashes do, whatever the seed', () => {
    const half = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 0xffffffff }));
    const hash = fc.record({ high: half, low: half });
    fc.assert(
      fc.property(fc.string(), hash, hash, (seed, a, b) => {
        const key = rankKey(seed);
        const isSame = a.high === b.high && a.low === b.low;
        assert.equal(compareRanks(rankOf(key, a), rankOf(key, b)) === 0, isSame);
      }),
    );
  });

  it('are made of their halves', () => {
    const key = rankKey('seed');
    const rank = rankOf(key, { high: 3, low: 9 });
    assert.equal(rankHigh(key, 3, 9), rank.high);
    assert.equal(rankLow(key, rank.high, 9), rank.low);
  });

  it('set each bit in half of all cases, for hashes that are neighbours and for seeds that are', () => {
    const set = new Uint32Array(64);
    const times = 20_000;
    for (let i = 0; i < times; i++) {
      const { high, low } = rankOf(rankKey(String(i % 20)), { high: i >>> 10, low: i });
      for (let bit = 0; bit < 32; bit++) {
        set[bit]! += (low >>> bit) & 1;
        set[32 + bit]! += (high >>> bit) & 1;
      }
    }
    // Five standard deviations of a binomial.
    const most = 5 * Math.sqrt(times / 4);
    for (const [bit, count] of set.entries())
      assert.ok(Math.abs(count - times / 2) < most, `bit ${bit}: ${count}`);
  });
});
