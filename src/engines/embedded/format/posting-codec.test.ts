import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { randomBelow } from '../../../../test/generators/random.ts';
import { ByteWriter } from '../../packing/bytes.ts';
import { addSparse } from '../index/posting-list.ts';
import {
  isPacked,
  MAX_INLINE,
  MAX_SEGMENT_DOCS,
  MAX_SPARSE,
  readSparse,
  writeDeltas,
  writeSparse,
} from './posting-codec.ts';

/** Lists of all lengths that stand apart, in segments of all sizes. */
const anyList = fc
  .tuple(fc.integer({ min: MAX_INLINE + 1, max: MAX_SPARSE }), fc.nat(), fc.integer({ min: 1, max: 9 }))
  .map(([count, seed, bits]) => {
    const docs = Math.min(MAX_SEGMENT_DOCS, count + (seed % (count << bits)));
    return { docs, list: spread(count, docs, seed) };
  });

/** So many of the docs, up: each step leaves room for the rest, and now and then leaps far ahead. */
function spread(count: number, docs: number, seed: number): Uint32Array {
  const list = new Uint32Array(count);
  const below = randomBelow(seed);
  let next = 0;
  for (let i = 0; i < count; i++) {
    const room = docs - next - (count - i);
    const most = below(31) === 0 ? room : Math.min(room, Math.floor((2 * room) / (count - i)));
    list[i] = next + below(most + 1);
    next = list[i]! + 1;
  }
  return list;
}

/** `docs`: of the segment; null: as differences. */
function written(list: Uint32Array, docs: number | null): Buffer {
  const writer = new ByteWriter();
  if (docs === null) writeDeltas(writer, list, 0, list.length);
  else writeSparse(writer, list, 0, list.length, docs);
  return writer.written();
}

/** What is read of it in a segment of so many docs, and which bits it sets beside one that is set. */
function readBack(bytes: Buffer, at: number, length: number, count: number, docs: number) {
  const list = new Uint32Array(count);
  readSparse(bytes, at, count, length, { docs }, list);
  const words = new Uint32Array(Math.ceil(docs / 32)).fill(1, 0, 1);
  addSparse(bytes, at, count, length, { docs }, words);
  return { list, words };
}

function wordsOf(list: Uint32Array, docs: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(docs / 32)).fill(1, 0, 1);
  for (const doc of list) words[doc >>> 5]! |= 1 << (doc & 31);
  return words;
}

describe('lists of 17 to 8,192 docs', () => {
  it('are read back as they were written, whatever stands around them, and take no more than differences', () => {
    fc.assert(
      fc.property(anyList, fc.nat({ max: 9 }), fc.nat({ max: 3 }), ({ docs, list }, before, behind) => {
        const bytes = written(list, docs);
        assert.ok(bytes.length <= written(list, null).length);
        const moved = Buffer.concat([Buffer.alloc(before, 0xff), bytes, Buffer.alloc(behind, 0xff)]);
        const found = readBack(moved, before, bytes.length, list.length, docs);
        assert.deepEqual(found, { list, words: wordsOf(list, docs) });
      }),
      { numRuns: 300 },
    );
  });

  const every = (count: number, step: number, from = 0) =>
    Uint32Array.from({ length: count }, (_, i) => from + i * step);
  const far = MAX_SEGMENT_DOCS;
  const cases: readonly [rule: string, docs: number, list: Uint32Array, packed: boolean][] = [
    ['as few as there may be, all of the segment', MAX_INLINE + 1, every(MAX_INLINE + 1, 1), true],
    ['as many as there may be, all of the segment', MAX_SPARSE, every(MAX_SPARSE, 1), true],
    ['the first and the last ones', far, Uint32Array.of(...every(9, 1), ...every(9, 1, far - 9)), false],
    ['few of many', far, every(MAX_INLINE + 1, far >>> 5), true],
    ['many of many', far, every(MAX_SPARSE, 128), true],
    ['one behind the other', far, every(500, 1, 77), false],
    ['the last ones', far, every(MAX_SPARSE, 1, far - MAX_SPARSE), false],
    ['two thirds', 3_000, every(2_000, 1, 1_000), true],
  ];
  for (const [rule, docs, list, packed] of cases) {
    it(`are ${packed ? 'packed' : 'differences'}: ${rule}`, () => {
      const bytes = written(list, docs);
      assert.equal(isPacked(list.length, bytes.length, { docs }), packed);
      assert.equal(bytes.equals(written(list, null)), !packed);
      const found = readBack(bytes, 0, bytes.length, list.length, docs);
      assert.deepEqual(found, { list, words: wordsOf(list, docs) });
    });
  }
});
