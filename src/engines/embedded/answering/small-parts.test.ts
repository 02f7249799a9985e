import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addToBloom, makeBloom, mayHold } from '../format/ids.ts';
import { isPair, tokenClass } from '../format/pairs.ts';

describe('pairs', () => {
  const pairs = 'the cat, cat the, cat dog, the of, don t, 日 本, 日 x, ไ ท, ที่ นี่, 😀 👍, 𠀀 日';
  const none = 'the photovoltaics, photovoltaics panel, 日 the, 한국 어';
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
