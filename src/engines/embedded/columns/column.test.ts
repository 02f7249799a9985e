import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { encodeColumn, type WideNumbers } from '../format/column-codec.ts';
import { MemorySource } from '../format/segment-file.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import { ColumnReader } from './column.ts';

const COUNT = 2 * CHUNK_DOCS + 77;
const columns = [
  Uint32Array.from({ length: COUNT }, () => 7),
  Uint32Array.from({ length: COUNT }, (_, i) => Math.imul(i + 1, 0x9e3779b1)),
  Uint32Array.from({ length: COUNT }, (_, i) => (i % 50 === 0 ? Math.imul(i, 0x9e3779b1) : i % 200)),
  Uint32Array.from({ length: COUNT }, (_, i) => i * 90),
  Int32Array.from({ length: COUNT }, (_, i) => ((i * 7_919) % 20_001) - 10_000),
  Int32Array.from({ length: COUNT }, (_, i) => (i % 3 === 0 ? -0x80000000 : i % 100)),
];

/** Readers of a column that does not stand at the beginning of its source, as in a segment. */
function opener(column: WideNumbers): () => ColumnReader {
  const section = encodeColumn(column);
  const bytes = Buffer.concat([Buffer.alloc(24), section, Buffer.alloc(8)]);
  const place = { offset: 24, length: section.length, crc: 0 };
  return () => new ColumnReader(new MemorySource(bytes), place, COUNT);
}

it('a number of a column is that which was written, whatever was asked for before', () => {
  const doc = fc.oneof(fc.integer({ min: 0, max: COUNT - 1 }), fc.constantFrom(CHUNK_DOCS - 1, CHUNK_DOCS));
  // Neighbours, so that chunks are decoded, and single docs between.
  const asked = fc.array(fc.tuple(doc, fc.constantFrom(1, 60)), { minLength: 1, maxLength: 12 });
  for (const column of columns) {
    const open = opener(column);
    fc.assert(
      fc.property(asked, (runs) => {
        const reader = open();
        for (const [first, length] of runs) {
          for (let at = first; at < Math.min(COUNT, first + length); at++)
            assert.equal(reader.at(at), column[at]);
        }
      }),
    );
  }
});

it('the numbers of a chunk within 16 bits are those that were written, in whatever coding', () => {
  const least = -0x8000;
  const signed = [
    Int32Array.from({ length: COUNT }, (_, i) => (i % 5 === 0 ? least : ((i * 7_919) % 20_001) - 10_000)),
    Int32Array.from({ length: COUNT }, (_, i) => ((i * 7_919) % 0x10000) + least),
    Int32Array.from({ length: COUNT }, (_, i) => ((i * 7_919) % 20_001) - 10_000),
    Int32Array.from({ length: COUNT }, (_, i) => (i % 900 === 0 ? i % 10_000 : least)),
    Int32Array.from({ length: COUNT }, (_, i) => (i % 200) - 100),
    Int32Array.from({ length: COUNT }, (_, i) => Math.floor(i / 9) % 10_000),
    Int32Array.from({ length: COUNT }, (_, i) => Math.floor(i / 20)),
    Int32Array.from({ length: COUNT }, () => least),
  ];
  for (const column of signed) {
    const reader = opener(column)();
    for (const chunk of [0, 2, 2, 1]) {
      const { above, base } = reader.narrowChunk(chunk, least);
      const numbers = Int32Array.from(above, (number) => number + base);
      const from = chunk * CHUNK_DOCS;
      assert.deepEqual(numbers, column.slice(from, from + CHUNK_DOCS));
      assert.equal(reader.at(from + 7), column[from + 7]);
    }
  }
});

it('more readers than may have a chunk at hand read the same, by turns', () => {
  const column = Uint32Array.from({ length: COUNT }, (_, i) => Math.imul(i + 1, 0x9e3779b1));
  const readers = Array.from({ length: 40 }, opener(column));
  for (let round = 0; round < 3; round++) {
    for (const [i, reader] of readers.entries()) {
      const from = ((i + round) % 3) * CHUNK_DOCS;
      assert.deepEqual(reader.chunk((i + round) % 3), column.slice(from, from + CHUNK_DOCS));
      assert.equal(reader.at(from + 5), column[from + 5]);
    }
  }
});
