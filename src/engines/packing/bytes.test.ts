import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteReader, ByteWriter, varintBytes } from './bytes.ts';

describe('bytes', () => {
  it('what is written is read back, in order', () => {
    const value = fc.oneof(
      fc.maxSafeNat(),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      // Short ones are read in another way.
      fc.string({
        unit: fc.constantFrom('a', 'b', '0', '9', '\0', '\x7f', '\x80', 'ü', '猫', '😀'),
        maxLength: 12,
      }),
      fc.double({ noNaN: true }).map((n) => [n]),
    );
    fc.assert(
      fc.property(fc.array(value), (values) => {
        const writer = new ByteWriter(1);
        for (const one of values) {
          if (typeof one === 'number') writer.varint(one);
          else if (typeof one === 'string') writer.text(one);
          else writer.float64(one[0]!);
        }
        const reader = new ByteReader(Uint8Array.from(writer.written()));
        const read = values.map((one) => {
          if (typeof one === 'number') return reader.varint();
          return typeof one === 'string' ? reader.text() : [reader.float64()];
        });
        assert.deepEqual(read, values);
        assert.ok(reader.atEnd);
      }),
    );
  });

  const lengths = [
    [0, 1],
    [127, 1],
    [128, 2],
    [16_383, 2],
    [16_384, 3],
    [2 ** 32, 5],
    [Number.MAX_SAFE_INTEGER, 8],
  ] as const;
  for (const [number, bytes] of lengths) {
    it(`${number} takes ${bytes} bytes`, () => {
      const writer = new ByteWriter();
      writer.varint(number);
      assert.deepEqual([writer.length, varintBytes(number)], [bytes, bytes]);
    });
  }
});
