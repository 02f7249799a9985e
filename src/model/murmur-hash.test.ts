import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HashInput } from './hash-input.ts';
import { murmurHash } from './murmur-hash.ts';
import { hex64, parseHex64, Sum64 } from './sum64.ts';

describe('murmurHash', () => {
  // As the reference gives them (MurmurHash3_x86_128, its first two numbers), and as other ports print them:
  // https://github.com/karanlyons/murmurHash3.js, https://github.com/pid/murmurHash3js.
  const rows: readonly [of: string, bytes: Uint8Array, first: number, second: number][] = [
    ['nothing', new Uint8Array(0), 0, 0],
    ['one byte', utf8('0'), 0x0ab2409e, 0xa5eb34f8],
    ['five bytes', utf8('01234'), 0x35c5b3ee, 0x7b3b2116],
    ['a rest', utf8('The quick brown fox jumps over the lazy dog'), 0x2f1583c3, 0xecee2c67],
    ['three blocks', utf8("I will not buy this tobacconist's, it is scratched."), 0x9b5b7ba2, 0xef3f7866],
    ['whole blocks', Uint8Array.from({ length: 256 }, (_, i) => i), 0x2c56c88f, 0xdb4503df],
  ];
  for (const [of, bytes, low, high] of rows) {
    it(`of ${of}`, () => {
      const padded = new Uint8Array(Math.ceil(bytes.length / 16) * 16 + 16);
      padded.set(bytes);
      assert.deepEqual(murmurHash(new Int32Array(padded.buffer), bytes.length), { high, low });
      const input = new HashInput();
      input.raw(bytes, 0, bytes.length);
      assert.deepEqual(input.hash(), { high, low });
    });
  }
});

describe('what a hash is made of', () => {
  const hashOf = (fill: (input: HashInput) => void) => {
    const input = new HashInput();
    fill(input);
    return hex64(input.hash());
  };

  it('a text counts alike as a string and as UTF-8, short or long, and is kept apart from the next', () => {
    for (const text of ['', 'a', 'a'.repeat(48), 'a'.repeat(49), 'é', '日本'.repeat(5_000), '👩‍🔬']) {
      const bytes = utf8(text);
      const fromString = hashOf((input) => input.text(text));
      const fromBytes = hashOf((input) => input.utf8(bytes, 0, bytes.length));
      assert.equal(fromString, fromBytes, text);
    }
    const pair = (first: string | null, second: string | null) =>
      hashOf((input) => {
        input.text(first);
        input.text(second);
      });
    const pairs = [pair('ab', ''), pair('a', 'b'), pair('', 'ab'), pair(null, 'ab'), pair('ab', null)];
    assert.equal(new Set([...pairs, pair('', ''), pair(null, null)]).size, 7);
  });

  it('a lone surrogate counts as U+FFFD, and 0 as −0', () => {
    assert.equal(
      hashOf((input) => input.text('\ud800')),
      hashOf((input) => input.text('\ufffd')),
    );
    assert.equal(
      hashOf((input) => input.float64(0)),
      hashOf((input) => input.float64(-0)),
    );
  });

  it('nothing of what was there before is left after a clear', () => {
    const input = new HashInput();
    input.text('x'.repeat(100_000));
    input.clear();
    input.text('y');
    assert.equal(
      hex64(input.hash()),
      hashOf((fresh) => fresh.text('y')),
    );
  });
});

describe('Sum64', () => {
  const big = ({ high, low }: { high: number; low: number }) => (BigInt(high) << 32n) | BigInt(low);

  it('adds and subtracts modulo 2^64', () => {
    const sum = new Sum64();
    let expected = 0n;
    for (let i = 0; i < 1_000; i++) {
      const value = { high: Math.imul(i, 0x9e3779b1) >>> 0, low: Math.imul(i, 0x85ebca6b) >>> 0 };
      if (i % 3 === 2) sum.subtract(value);
      else sum.add(value);
      expected = BigInt.asUintN(64, expected + (i % 3 === 2 ? -big(value) : big(value)));
      assert.equal(big(sum.value()), expected);
    }
  });

  it('is written as 16 hex digits and read back', () => {
    for (const value of [
      { high: 0, low: 0 },
      { high: 1, low: 0xffffffff },
      { high: 0xfedcba98, low: 0x76543210 },
    ]) {
      assert.equal(hex64(value).length, 16);
      assert.deepEqual(parseHex64(hex64(value)), value);
    }
    for (const text of ['', '0', 'g'.repeat(16), 'A'.repeat(16), '0'.repeat(17)])
      assert.equal(parseHex64(text), null);
  });
});

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
