import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import { ByteWriter } from '../../../packing/bytes.ts';
import { encodeChunks, writeDeltas } from '../format/posting-codec.ts';
import { CHUNK_WORDS, forEach } from '../sets/chunk.ts';
import { addChunks, addDeltas, addFew } from './posting-list.ts';

const DOCS = 200_000;

function every(step: number, from = 0): Uint32Array {
  return Uint32Array.from({ length: Math.ceil((DOCS - from) / step) }, (_, i) => from + i * step);
}

function docsOf(words: Uint32Array): number[] {
  const docs: number[] = [];
  for (let from = 0; from < words.length; from += CHUNK_WORDS) {
    const chunk = words.subarray(from, from + CHUNK_WORDS);
    forEach({ kind: 'bits', words: chunk, count: -1 }, (doc) => docs.push(from * 32 + doc));
  }
  return docs;
}

describe('written lists as bits', () => {
  const cases: readonly [string, Uint32Array][] = [
    ['first and last doc', Uint32Array.of(0, DOCS - 1)],
    ['arrays in every chunk', every(23, 7)],
    ['bits in every chunk', every(3, 1)],
    ['all docs', every(1)],
    ['nothing in the middle', Uint32Array.from([...every(2).slice(0, 9000), ...every(2, 190_000)])],
  ];
  for (const [name, docs] of cases) {
    it(`${name}: differences and chunks set the same bits, whatever stands around them, beside those that are set`, () => {
      const deltas = new ByteWriter();
      writeDeltas(deltas, docs, 0, docs.length);
      const chunks = encodeChunks(docs, 0, docs.length, DOCS);
      const expected = [...new Set([...docs, 327])].sort((a, b) => a - b);
      const marked = () => new Uint32Array(4 * CHUNK_WORDS).fill(1 << 7, 10, 11);
      for (const at of [0, 3]) {
        // Nothing behind them: a list may be the last of its bytes.
        for (const behind of [0, 5]) {
          const moved = Buffer.concat([Buffer.alloc(at, 0xff), deltas.written(), Buffer.alloc(behind, 0xff)]);
          for (const add of [addDeltas, addFew]) {
            const words = marked();
            assert.equal(add(moved, at, docs.length, words), moved.length - behind);
            assert.deepEqual(docsOf(words), expected);
          }
        }
      }
      const longer = new Uint8Array(chunks.length + 5).fill(0xff);
      longer.set(chunks);
      const words = marked();
      addChunks(longer, words, DOCS);
      assert.deepEqual(docsOf(words), expected);
    });
  }
});
