import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addToBloom, makeBloom, mayHold } from '../format/ids.ts';
import { isPair, tokenClass } from '../format/pairs.ts';
import { atLeast, atMost, BANDS, SLICES } from '../format/score-bands.ts';

describe('score bands', () => {
  it('slices hold every score once, from the highest down', () => {
    for (let score = -100; score <= 10_000; score++) {
      const holding = SLICES.filter(({ min, max }) => score >= min && score <= max);
      assert.equal(holding.length, 1, String(score));
      const [{ inside, outside }] = holding as [(typeof SLICES)[number]];
      assert.ok(score >= inside.min && score <= inside.max, `${score} in its band`);
      assert.ok(
        outside === null || score < outside.min || score > outside.max,
        `${score} not in the one beyond`,
      );
    }
    for (const [i, slice] of SLICES.entries()) if (i > 0) assert.ok(slice.max < SLICES[i - 1]!.min);
  });

  it('bands are found by their threshold alone, and their names are in order', () => {
    assert.equal(atLeast(7), null);
    assert.equal(atLeast(8)?.min, 8);
    assert.equal(atMost(-1)?.max, -1);
    assert.equal(atMost(1), null);
    assert.deepEqual(
      BANDS.map(({ name }) => name),
      BANDS.map(({ name }) => name).sort(),
    );
  });
});

describe('pairs', () => {
  const table: readonly [string, string, boolean][] = [
    ['the', 'cat', true],
    ['cat', 'the', true],
    ['the', 'of', true],
    ['the', 'photovoltaics', false],
    ['cat', 'dog', false],
    ['don', 't', true],
    ['日', '本', true],
    ['日', 'x', true],
    ['日', 'the', false],
    ['ไ', 'ท', true],
    ['ที่', 'นี่', true],
    ['😀', '👍', true],
    ['한국', '어', false],
    ['𠀀', '日', true],
  ];
  for (const [first, second, expected] of table) {
    it(`${first} ${second}: ${expected ? 'a pair' : 'none'}`, () => {
      assert.equal(isPair(tokenClass(first), tokenClass(second)), expected);
    });
  }
});

describe('Bloom filter', () => {
  it('holds what was added, and lets few others through', () => {
    const bloom = makeBloom(10_000);
    for (let i = 0; i < 10_000; i++) {
      const id = Buffer.from((i * 31).toString(36));
      addToBloom(bloom, id, 0, id.length);
    }
    let through = 0;
    for (let i = 0; i < 10_000; i++) {
      assert.ok(mayHold(bloom, (i * 31).toString(36)));
      if (mayHold(bloom, `x${(i * 31).toString(36)}`)) through++;
    }
    assert.ok(through < 200, `${through} of 10,000`);
  });
});
