import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { encodeColumn } from '../format/column-codec.ts';
import { MemorySource } from '../format/segment-file.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import { ColumnReader } from './column-reader.ts';

const COUNT = 2 * CHUNK_DOCS + 77;
const columns = [
  Uint32Array.from({ length: COUNT }, () => 7),
  Uint32Array.from({ length: COUNT }, (_, i) => Math.imul(i + 1, 0x9e3779b1)),
  Uint32Array.from({ length: COUNT }, (_, i) => (i % 50 === 0 ? Math.imul(i, 0x9e3779b1) : i % 200)),
  Uint32Array.from({ length: COUNT }, (_, i) => i * 90),
  Int32Array.from({ length: COUNT }, (_, i) => ((i * 7_919) % 20_001) - 10_000),
  Int32Array.from({ length: COUNT }, (_, i) => (i % 3 === 0 ? -0x80000000 : i % 100)),
];

it('a number of a column is that which was written, whatever was asked for before', () => {
  const doc = fc.oneof(fc.integer({ min: 0, max: COUNT - 1 }), fc.constantFrom(CHUNK_DOCS - 1, CHUNK_DOCS));
  // Neighbours, so that chunks are decoded, and single docs between.
  const asked = fc.array(fc.tuple(doc, fc.constantFrom(1, 60)), { minLength: 1, maxLength: 12 });
  for (const column of columns) {
    const section = encodeColumn(column);
    // Not at the beginning of its source, as in a segment.
    const source = new MemorySource(Buffer.concat([Buffer.alloc(24), section, Buffer.alloc(8)]));
    const place = { offset: 24, length: section.length, crc: 0 };
    fc.assert(
      fc.property(asked, (runs) => {
        const reader = new ColumnReader(source, place, COUNT);
        for (const [first, length] of runs) {
          for (let at = first; at < Math.min(COUNT, first + length); at++)
            assert.equal(reader.at(at), column[at]);
        }
      }),
    );
  }
});
