import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ColumnChunks } from '../columns/column.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import { decodeChunk, encodeColumn, indexBytes, readColumnIndex, type WideNumbers } from './column-codec.ts';
import { MemorySource } from './segment-file.ts';

const u32 = fc.integer({ min: 0, max: 0xffffffff });
const i32 = fc.integer({ min: -0x80000000, max: 0x7fffffff });
/** Most near one place, some anywhere. */
const clustered = (any: fc.Arbitrary<number>, least: number, greatest: number) =>
  fc
    .tuple(any, fc.constantFrom(0, 1, 200, 60_000))
    .chain(([around, spread]) =>
      fc.array(
        fc.oneof(
          { weight: 8, arbitrary: fc.integer({ min: around, max: Math.min(greatest, around + spread) }) },
          { weight: 1, arbitrary: fc.integer({ min: least, max: greatest }) },
        ),
        { minLength: 1, maxLength: 600 },
      ),
    );
const unsigned = fc
  .oneof(fc.array(u32, { minLength: 1 }), clustered(u32, 0, 0xffffffff))
  .map((numbers) => Uint32Array.from(numbers));
const signed = fc
  .oneof(fc.array(i32, { minLength: 1 }), clustered(i32, -0x80000000, 0x7fffffff))
  .map((numbers) => Int32Array.from(numbers));
const ascending = unsigned.map((numbers) => numbers.sort());

/** The numbers again and again, with one that differs in each chunk: several chunks of one column. */
function repeated(numbers: WideNumbers, count: number): WideNumbers {
  const long = numbers instanceof Int32Array ? new Int32Array(count) : new Uint32Array(count);
  for (let i = 0; i < count; i++) long[i] = numbers[i % numbers.length]!;
  for (let i = 0; i < count; i += CHUNK_DOCS) long[i] = i;
  return long;
}

function chunksIn(section: Uint8Array, count: number): ColumnChunks {
  return ColumnChunks.coded(new MemorySource(section), { offset: 0, length: section.length, crc: 0 }, count);
}

function assertRoundTrip(numbers: WideNumbers): void {
  const section = encodeColumn(numbers);
  assert.ok(section.length <= indexBytes(numbers.length) + numbers.length * 4 + 4);
  assert.deepEqual([...chunksIn(section, numbers.length).whole(false)], [...numbers]);
  const index = readColumnIndex(section.subarray(0, indexBytes(numbers.length)));
  assert.equal(index.count, numbers.length);
  for (const [i, chunk] of index.chunks.entries()) {
    const into = new Uint32Array(CHUNK_DOCS);
    const data = Uint8Array.from(section.subarray(chunk.offset, chunk.offset + chunk.length));
    decodeChunk(data, chunk, into);
    const expected = Uint32Array.from(numbers.subarray(i * CHUNK_DOCS, (i + 1) * CHUNK_DOCS));
    assert.deepEqual(into.subarray(0, chunk.count), expected);
  }
}

describe('columns', () => {
  const any = fc.oneof(unsigned, signed, ascending);

  it('are read back as they were written, whole and by chunk, and take no more than four bytes each', () => {
    fc.assert(fc.property(any, assertRoundTrip));
  });

  it('of several chunks are read back as they were written', () => {
    const counts = fc.constantFrom(CHUNK_DOCS - 1, CHUNK_DOCS, CHUNK_DOCS + 1, 2 * CHUNK_DOCS + 5);
    fc.assert(
      fc.property(any, counts, (numbers, count) => assertRoundTrip(repeated(numbers, count))),
      { numRuns: 12 },
    );
  });

  it('are in memory as narrow as all numbers allow', () => {
    const narrow = (numbers: WideNumbers, isWide = false) =>
      chunksIn(encodeColumn(numbers), numbers.length).whole(isWide).constructor;
    assert.equal(narrow(Uint32Array.of(0, 65_535)), Uint16Array);
    assert.equal(narrow(Uint32Array.of(0, 65_535), true), Uint32Array);
    assert.equal(narrow(Uint32Array.of(0, 65_536)), Uint32Array);
    assert.equal(narrow(Int32Array.of(-32_768, 32_767)), Int16Array);
    assert.equal(narrow(Int32Array.of(-32_769, 32_767)), Int32Array);
  });

  const sizes: readonly [string, (i: number) => number, number][] = [
    ['one number', () => 7, 0],
    ['one number, and another at 10 places', (i) => (i < 10 ? 2 ** 32 - 1 : 7), 60],
    ['numbers far from 0 within 255 of each other', (i) => 4_000_000_000 + (i % 256), 1_000],
    ['ten of them below', (i) => (i < 10 ? i : 4_000_000_000 + (i % 256)), 1_060],
    ['up by 60', (i) => 4_000_000_000 + i * 60, 1_000],
    ['in no order', (i) => 4_000_000_000 + ((i * 7919) % 50_021), 2_000],
    ['up by up to 255', (i) => i * 255, 1_000],
    ['up by 255, ten times by more', (i) => i * 255 + (i >= 990 ? (i - 989) * 10_000_000 : 0), 1_060],
    ['anywhere', (i) => Math.imul(i, 0x9e3779b1) >>> 0, 4_000],
  ];
  for (const [name, number, bytes] of sizes) {
    it(`a thousand numbers, ${name}: ${bytes} bytes`, () => {
      const numbers = Uint32Array.from({ length: 1_000 }, (_, i) => number(i));
      const { length } = encodeColumn(numbers);
      assert.equal(length - indexBytes(1_000), bytes);
      assertRoundTrip(numbers);
    });
  }

  it('signed numbers of all 32 bits, each an exception of the other', () => {
    assertRoundTrip(Int32Array.of(-0x80000000, 0x7fffffff, 0, -1, 1));
    assertRoundTrip(Int32Array.from({ length: 500 }, (_, i) => (i % 100 === 0 ? -0x80000000 : 0x7fffffff)));
  });
});
