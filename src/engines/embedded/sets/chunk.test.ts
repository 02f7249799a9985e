import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  addTo,
  CHUNK_WORDS,
  type Chunk,
  countOf,
  forEach,
  has,
  intersect,
  isEmpty,
  nextMember,
  previousMember,
  rank,
  subtract,
  unite,
  WordPool,
} from './chunk.ts';
import { chooseKernels } from './kernels.ts';

/** docIds near the borders of words and of the chunk, and some between. */
const doc = fc.oneof(
  fc.constantFrom(0, 1, 31, 32, 63, 64, 4095, 4096, 65_503, 65_504, 65_534, 65_535),
  fc.integer({ min: 0, max: 65_535 }),
  fc.integer({ min: 100, max: 140 }),
);

const arrayChunk = fc
  .uniqueArray(doc, { maxLength: 60 })
  .map((docs): Chunk => ({ kind: 'array', values: Uint16Array.from(docs.sort((a, b) => a - b)) }));
function bitsOf(chunk: Chunk): Chunk {
  const words = new Uint32Array(CHUNK_WORDS);
  addTo(words, chunk);
  return { kind: 'bits', words, count: -1 };
}
const runChunk = fc.tuple(doc, fc.integer({ min: 0, max: 300 })).map(([from, length]): Chunk => {
  return { kind: 'run', from, to: Math.min(65_536, from + length) };
});
const dense = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 300 }), fc.constantFrom(0, 7, 65_000))
  .map(([step, length, from]): Chunk => {
    const values = Uint16Array.from({ length }, (_, i) => from + i * step).filter((doc) => doc >= from);
    return { kind: 'array', values };
  });

const ALL: Chunk = { kind: 'run', from: 0, to: 65_536 };
const arrays = fc.oneof(arrayChunk, dense);
const chunk = fc.oneof(arrays, arrays.map(bitsOf), runChunk, fc.constant(ALL), fc.constant(bitsOf(ALL)));

function members(of: Chunk): number[] {
  const docs: number[] = [];
  forEach(of, (one) => docs.push(one));
  return docs;
}

for (const choice of ['webassembly', 'typescript'] as const) {
  describe(`chunks are sets, with kernels in ${choice}`, () => {
    const pool = new WordPool(chooseKernels(choice));

    it('intersect, subtract and unite agree with sets of numbers, and leave what they are given as it was', () => {
      fc.assert(
        fc.property(chunk, chunk, chunk, (a, b, c) => {
          const [setA, setB, setC] = [new Set(members(a)), new Set(members(b)), new Set(members(c))];
          const ordered = (set: Set<number>) => [...set].sort((x, y) => x - y);
          assert.deepEqual(members(intersect(a, b, pool)), ordered(setA.intersection(setB)));
          assert.equal(countOf(intersect(a, b, pool)), setA.intersection(setB).size);
          assert.deepEqual(members(subtract(a, b, pool)), ordered(setA.difference(setB)));
          const all = unite([a, b, c], pool);
          assert.deepEqual(members(all), ordered(setA.union(setB).union(setC)));
          assert.equal(countOf(all), members(all).length);
          const chained = subtract(unite([a, b], pool), intersect(b, c, pool), pool);
          assert.equal(countOf(chained), setA.union(setB).difference(setB.intersection(setC)).size);
          for (const [of, set] of [[a, setA] as const, [b, setB] as const])
            assert.deepEqual(members(of), [...set], 'as it was');
          pool.releaseAll();
        }),
        { numRuns: 60 },
      );
    });

    it('count, rank, has, next and previous agree with the members', () => {
      fc.assert(
        fc.property(chunk, doc, (of, at) => {
          const docs = members(of);
          assert.equal(countOf(of), docs.length);
          assert.equal(isEmpty(of), docs.length === 0);
          assert.equal(has(of, at), docs.includes(at));
          assert.equal(rank(of, at), docs.filter((one) => one < at).length);
          assert.equal(nextMember(of, at), docs.find((one) => one >= at) ?? -1);
          assert.equal(previousMember(of, at), docs.findLast((one) => one <= at) ?? -1);
        }),
        { numRuns: 100 },
      );
    });
  });
}

describe('memory lent by a pool', () => {
  it("is the caller's alone until all of it is given back, whatever is shortened in between", () => {
    const lengths = fc.array(fc.tuple(fc.nat(3000), fc.nat(3000)), { maxLength: 400 });
    fc.assert(
      fc.property(lengths, (asked) => {
        const pool = new WordPool(chooseKernels('webassembly'));
        for (let round = 0; round < 2; round++) {
          const lent = asked.map(([length, kept], i) => {
            const numbers = pool.numbers(length).fill(i);
            return pool.shorten(numbers, Math.min(length, kept));
          });
          for (const [i, numbers] of lent.entries()) assert.ok(numbers.every((number) => number === i));
          pool.releaseAll();
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is as long as was asked for, however long, and not what is lent already', () => {
    const pool = new WordPool();
    const lengths = [0, 1, 70_000, 400_000, 2 ** 19, 2 ** 19 + 1];
    const lent = lengths.map((length, i) => pool.numbers(length).fill(i));
    assert.equal(lent.map(({ length }) => length).join(), lengths.join());
    for (const [i, numbers] of lent.entries()) assert.ok(numbers.every((number) => number === i));
  });

  it('goes back to the system beyond what is kept', () => {
    const pool = new WordPool();
    const first = pool.take();
    const others = [pool.take(), pool.take()];
    const slabs = [pool.numbers(2 ** 19), pool.numbers(2 ** 19)];
    pool.releaseAll(1);
    assert.equal(pool.take(), first);
    assert.ok(!others.includes(pool.take()));
    assert.ok(!slabs.some(({ buffer }) => buffer === pool.numbers(2 ** 19).buffer));
  });
});
