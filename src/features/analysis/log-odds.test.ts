// z-scores of words. The expected ones are of another implementation, in Python.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnsWhile } from '../../../test/helpers.ts';
import { distinctiveWords, zScore } from './words.ts';

const USES = [
  { word: 'cat', count: 90, against: 10 },
  { word: 'dog', count: 10, against: 90 },
  { word: 'the', count: 500, against: 500 },
  { word: 'roof', count: 5, against: 0 },
  { word: 'rare', count: 0, against: 7 },
];
const TOKENS = { count: 1_000, against: 2_000 };

describe('distinctive words', () => {
  it('have the z-scores of a second implementation', () => {
    const expected = [6.64482978533, -2.78991801637, 9.21467169858, 1.67565375788, -1.01759731433];
    for (const [i, uses] of USES.entries()) {
      assert.ok(Math.abs(zScore(uses, TOKENS) - expected[i]!) < 1e-9, uses.word);
    }
  });

  it('come z down for the first sample, z up for the second, each in one list, as many as asked for', async () => {
    const { first, second } = await distinctiveWords(USES, TOKENS, 10);
    const listed = [first, second].map((list) => list.map(({ word }) => word).join(' '));
    assert.deepEqual(listed, ['the cat roof', 'dog rare']);
    assert.deepEqual(await distinctiveWords(USES, TOKENS, 1), {
      first: first.slice(0, 1),
      second: second.slice(0, 1),
    });
    for (const { z } of first) assert.ok(z > 0);
    for (const { z } of second) assert.ok(z < 0);
  });

  it('that score alike come by code unit', async () => {
    const words = ['b', 'a', 'ä', 'B'].map((word) => ({ word, count: 6, against: 1 }));
    const { first, second } = await distinctiveWords(words, { count: 100, against: 100 }, 10);
    const ordered = first.map(({ word }) => word);
    assert.deepEqual(ordered, ['B', 'a', 'b', 'ä']);
    assert.deepEqual(second, []);
  });

  it('of many are not scored and sorted at one go: the best of all, and others have their turn', async () => {
    const many = 100_000;
    // Of each score there are some.
    const words = Array.from({ length: many }, (_, i) => ({
      ...{ word: `w${((i * 7_919) % many).toString(36)}`, count: (i * 31) % 97 },
      against: 5 + ((i * 17) % 89),
    }));
    const tokens = { count: 4_000_000, against: 3_900_000 };
    const turns = await turnsWhile(() => distinctiveWords(words, tokens, 50));
    assert.ok(turns >= 12, `${turns} turns`);
    const { first, second } = await distinctiveWords(words, tokens, 50);
    const scored = words.map((uses) => ({ ...uses, z: zScore(uses, tokens) }));
    const byWord = (a: { word: string }, b: { word: string }) => (a.word < b.word ? -1 : 1);
    scored.sort((a, b) => b.z - a.z || byWord(a, b));
    assert.deepEqual(first, scored.slice(0, 50));
    scored.sort((a, b) => a.z - b.z || byWord(a, b));
    assert.deepEqual(second, scored.slice(0, 50));
  });

  it('are none where a sample is empty, or both are one word', async () => {
    const none = { first: [], second: [] };
    assert.deepEqual(await distinctiveWords([], { count: 0, against: 0 }, 10), none);
    for (const uses of [0, 8].map((against) => ({ count: 9, against })))
      assert.deepEqual(await distinctiveWords([{ word: 'a', ...uses }], uses, 10), none);
  });

  it('of the two samples the other way round have the opposite scores', () => {
    const turned = USES.map(({ word, count, against }) => ({ word, count: against, against: count }));
    for (const [i, uses] of USES.entries()) {
      const other = zScore(turned[i]!, { count: TOKENS.against, against: TOKENS.count });
      assert.ok(Math.abs(other + zScore(uses, TOKENS)) < 1e-12);
    }
  });
});
