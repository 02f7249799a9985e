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
    const names = BANDS.map(({ name }) => name);
    assert.deepEqual(names, names.toSorted());
  });
});

describe('pairs', () => {
  const pairs = 'the cat, cat the, the of, don t, 日 本, 日 x, ไ ท, ที่ นี่, 😀 👍, 𠀀 日';
  const none = 'the photovoltaics, cat dog, 日 the, 한국 어';
  for (const [texts, expected] of [
    [pairs, true],
    [none, false],
  ] as const) {
    for (const text of texts.split(', ')) {
      it(`${text}: ${expected ? 'a pair' : 'none'}`, () => {
        const [first, second] = text.split(' ').map(tokenClass);
        assert.equal(isPair(first!, second!), expected);
      });
    }
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
