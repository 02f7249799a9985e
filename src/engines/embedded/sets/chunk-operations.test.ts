import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { CHUNK_WORDS, type Chunk, membersOf, WordPool } from './chunk.ts';
import { addTo, eachInCommon } from './chunk-operations.ts';

const array = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 300 }), fc.constantFrom(0, 7, 65_000))
  .map(([step, length, from]): Chunk => {
    const values = Uint16Array.from({ length }, (_, i) => from + i * step).filter((doc) => doc >= from);
    return { kind: 'array', values };
  });
const bits = array.map((chunk): Chunk => {
  const words = new Uint32Array(CHUNK_WORDS);
  addTo(words, chunk);
  return { kind: 'bits', words, count: -1 };
});
const run = fc
  .tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 90 }))
  .map(([from, length]): Chunk => ({ kind: 'run', from, to: from + length }));

it('what every two sets have in common is counted, of any sorts, one chunk after the other', () => {
  const sets = fc.array(fc.oneof({ weight: 3, arbitrary: array }, bits, run), { maxLength: 7 });
  const room = new Uint16Array(65_536);
  const membersIn = (chunk: Chunk) => new Set(room.subarray(0, membersOf(chunk, room)));
  fc.assert(
    fc.property(sets, (chunks) => {
      const found: number[][] = chunks.map(() => chunks.map(() => 0));
      eachInCommon(chunks, new WordPool(), (one, other, count) => {
        found[one]![other]! += count;
      });
      const members = chunks.map(membersIn);
      const expected = members.map((one, i) =>
        members.map((other, j) => (j < i ? one.intersection(other).size : 0)),
      );
      assert.deepEqual(found, expected);
    }),
  );
});
