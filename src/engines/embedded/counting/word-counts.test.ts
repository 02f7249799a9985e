// Counts of tokens, compared with a Map.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TokenCounter } from './word-counts.ts';

describe('counts of tokens', () => {
  it('are those of a Map, once a record, over more tokens than the first table has room for', () => {
    const counter = new TokenCounter();
    const totals: [number, number] = [0, 0];
    const expected = new Map<string, [number, number]>();
    const texts = ['', 'é', '日', '😀', 'a'.repeat(128)];
    for (let i = 0; i < 60_000; i++) {
      const token = texts[i] ?? ((i * 7919) % 20_011).toString(36);
      const side = i % 3 === 0 ? 1 : 0;
      counter.add(token, side, i + 1);
      if (i % 5 === 0) counter.add(token, side, i + 1);
      totals[side]++;
      const counts = expected.get(token) ?? [0, 0];
      counts[side]++;
      expected.set(token, counts);
    }
    assert.deepEqual(counter.totals, totals);
    assert.deepEqual(totals, [40_000, 20_000]);
    for (const least of [1, 3]) {
      const found = new Map(counter.counted(least).map(({ word, count, of }) => [word, [count, of]]));
      const wanted = [...expected].filter(([, [one, other]]) => one + other >= least);
      assert.deepEqual(found, new Map(wanted));
    }
  });
});
