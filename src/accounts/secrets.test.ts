import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isKey, keyChecksum, newKey } from './secrets.ts';

describe('API key', () => {
  // Computed with Python's zlib.crc32 and a base 62 of its own.
  const known = [
    ['clq_000000000000000000000000000000002rvH0Q', 'all zeros'],
    ['clq_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz3iU82m', 'all z'],
    ['clq_7Hq2abcdefghijklmnopqrstuvwxyzAB1yKnKQ', 'mixed'],
    ['clq_210oxIkcKSPKP44wKcT7GDodnvYtiUgM00oWEV', 'a checksum padded with zeros'],
  ] as const;
  for (const [key, what] of known) {
    it(`known answer: ${what}`, () => {
      assert.equal(keyChecksum(key.slice(0, 36)), key.slice(36));
      assert.ok(isKey(key));
    });
  }

  it("the checksum of CRC-32's own check input is CBF43926 in base 62", () => {
    assert.equal(keyChecksum('123456789'), '3jZRME');
  });

  it('a new key is clq_, 32 base-62 characters and the checksum, and another each time', () => {
    const keys = Array.from({ length: 500 }, newKey);
    for (const key of keys) {
      assert.match(key, /^clq_[0-9A-Za-z]{38}$/);
      assert.ok(isKey(key));
    }
    assert.equal(new Set(keys).size, keys.length);
  });

  it('every digit comes about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 1000; i++) {
      for (const digit of newKey().slice(4, 36)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    const expected = (1000 * 32) / 62;
    assert.equal(counts.size, 62);
    // Chi-squared with 61 degrees of freedom: beyond 150 once in 10^8.
    const chiSquared = [...counts.values()].reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    assert.ok(chiSquared < 150, `chi-squared ${chiSquared}`);
  });

  const key = known[2][0];
  const noise: readonly (readonly [string, string])[] = [
    ['', 'nothing'],
    [key.slice(0, -1), 'one character short'],
    [`${key}0`, 'one character more'],
    [` ${key}`, 'a space before it'],
    [`${key}\n`, 'a line break behind it'],
    [key.replace('clq_', 'CLQ_'), 'prefix in upper case'],
    [key.toLowerCase(), 'lower case'],
    [key.replace('7Hq2', '7Hq-'), 'a character beyond base 62'],
    [key.replace('7Hq2', '7Hq3'), 'one character wrong'],
    [`${key.slice(0, -1)}R`, 'checksum wrong'],
  ];
  for (const [text, what] of noise) it(`no key: ${what}`, () => assert.equal(isKey(text), false));

  it('no random text of the right shape is a key', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^clq_[0-9A-Za-z]{38}$/), (text) => !isKey(text)),
      { numRuns: 2000 },
    );
  });
});
