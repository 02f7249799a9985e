import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { randomOf } from '../../../../test/generators/random.ts';
import { kernelModule } from './build-module.ts';
import { chooseKernels, giveBackKernels, type Kernels, TYPESCRIPT_KERNELS, wasmKernels } from './kernels.ts';
import { MAX_COUNTERS, SET_WORDS } from './workplace.ts';

const wasm = wasmKernels()!;
const DOCS = 65_536;

const random = randomOf(7);

/** What bits a set has, by docId. */
const SETS: readonly (readonly [name: string, has: (doc: number) => boolean])[] = [
  ['none', () => false],
  ['all', () => true],
  ['every other', (doc) => doc % 2 === 1],
  ['the first', (doc) => doc === 0],
  ['the last', (doc) => doc === DOCS - 1],
  ['all but the last', (doc) => doc < DOCS - 1],
  ['one in a hundred', () => random() < 0.01],
  ['a third', () => random() < 0.3],
  ['most', () => random() < 0.97],
];

function setOf(has: (doc: number) => boolean): Uint32Array {
  const words = new Uint32Array(SET_WORDS);
  for (let doc = 0; doc < DOCS; doc++) if (has(doc)) words[doc >>> 5]! |= 1 << (doc & 31);
  return words;
}

const sets = SETS.map(([name, has]) => [name, setOf(has)] as const);

/** As it is, in the kernels' memory, and in memory that threads share at an address that is no multiple of 16. */
function wherever(words: Uint32Array): Uint32Array[] {
  const own = wasm.lendSet();
  own.set(words);
  const shared = new Uint32Array(new SharedArrayBuffer(words.byteLength + 4), 4, words.length);
  shared.set(words);
  return [words, own, shared];
}

/** Lengths 0, 1 and all are among them. */
function valuesOf(words: Uint32Array): Uint16Array {
  const docs = new Uint16Array(DOCS);
  let count = 0;
  for (let doc = 0; doc < DOCS; doc++) if ((words[doc >>> 5]! >>> (doc & 31)) & 1) docs[count++] = doc;
  return docs.slice(0, count);
}

const COLUMNS: readonly (readonly [name: string, column: Uint16Array | Uint32Array])[] = [
  ['few numbers', Uint16Array.from({ length: DOCS }, () => Math.floor(random() ** 3 * 40))],
  ['all one number', new Uint16Array(DOCS).fill(5)],
  ['all that 16 bits can say', Uint16Array.from({ length: DOCS }, (_, doc) => (doc * 31) & 0xffff)],
  ['a chunk that is not whole', Uint16Array.from({ length: 1_001 }, () => Math.floor(random() * 40))],
  ['one doc', Uint16Array.from([39])],
  ['numbers of 32 bits', Uint32Array.from({ length: DOCS }, () => Math.floor(random() * 80_000))],
];

it('the module of kernels is what its text assembles to (`npm run kernels` writes it)', async () => {
  const stored = readFileSync(new URL('kernels.wasm', import.meta.url));
  assert.deepEqual(Buffer.from(await kernelModule()), stored);
});

/** Those of sets are held against sets of numbers in sets/chunk.test.ts. */
describe('each kernel that counts gives what its twin in TypeScript gives', () => {
  it('sumCounters', () => {
    for (const length of [0, 1, 3, 4, 5, 40, 4_999, MAX_COUNTERS, MAX_COUNTERS + 1]) {
      for (const kernels of [TYPESCRIPT_KERNELS, wasm]) {
        const counters = kernels.counters(length);
        for (const row of counters) for (let i = 0; i < length; i++) row[i] = Math.floor(random() * 2 ** 31);
        const expected = counters[0].map((count, number) => count + counters[1][number]!);
        kernels.sumCounters(counters);
        assert.deepEqual(counters[0], expected);
      }
    }
  });

  for (const [name, column] of COLUMNS) {
    it(`tallyBits and tallyValues of a column: ${name}`, () => {
      const memory = new SharedArrayBuffer(column.byteLength);
      const shared = column instanceof Uint16Array ? new Uint16Array(memory) : new Uint32Array(memory);
      shared.set(column);
      for (const [, docs] of sets) {
        const words = setOf((doc) => doc < column.length && ((docs[doc >>> 5]! >>> (doc & 31)) & 1) === 1);
        const values = valuesOf(words);
        const expected = tallied(TYPESCRIPT_KERNELS, 'bits', words, values, column);
        assert.deepEqual(tallied(TYPESCRIPT_KERNELS, 'values', words, values, column), expected);
        const sum = expected.reduce((all, count) => all + count, 0);
        assert.equal(sum, values.length);
        for (const from of [column, shared]) {
          for (const place of wherever(words))
            assert.deepEqual(tallied(wasm, 'bits', place, values, from), expected);
          assert.deepEqual(tallied(wasm, 'values', words, values, from), expected);
        }
      }
    });
  }
});

it('docIds that are listed too, or are not, are those that sets of numbers give', () => {
  const slab = wasm.lendSlab();
  const own = (at: number, docs: readonly number[]) => {
    slab.set(docs, at);
    return slab.subarray(at, at + docs.length);
  };
  const lengths = [0, 1, 7, 8, 9, 16, 31, 200, 3_000];
  for (const range of [40, 300, 5_000, DOCS]) {
    for (const [one, other] of lengths.flatMap((length) => lengths.map((more) => [length, more] as const))) {
      const picked = (length: number) => {
        const docs = new Set(Array.from({ length }, () => DOCS - 1 - Math.floor(random() * range)));
        return [...docs].sort((a, b) => a - b);
      };
      const [docs, listed] = [picked(one), picked(other)];
      const [values, list] = [own(0, docs), own(10_001, listed)];
      for (const wanted of [1, 0] as const) {
        const expected = docs.filter((doc) => listed.includes(doc) === (wanted === 1));
        const into = slab.fill(7, 20_000, 30_000).subarray(20_001, 20_001 + docs.length);
        assert.equal(wasm.keepListed(values, list, wanted, into), expected.length);
        assert.deepEqual([...into.subarray(0, expected.length)], expected);
        assert.equal(slab[20_001 + docs.length + 7], 7);
        assert.deepEqual([...values, ...list], [...docs, ...listed]);
      }
    }
  }
  wasm.giveBackSlabs([slab]);
});

describe('without WebAssembly, or without address space for its memory', () => {
  const { WebAssembly: real } = globalThis as unknown as { WebAssembly: Record<string, unknown> };
  class Memory {
    constructor() {
      throw new RangeError('no address space');
    }
  }
  const absences: readonly (readonly [name: string, there: object | null])[] = [
    ['none at all (`node --jitless`)', null],
    ['no memory', { ...properties(real), Memory }],
  ];
  for (const [name, there] of absences) {
    it(`the kernels are those in TypeScript: ${name}`, () => {
      try {
        if (there === null) Reflect.deleteProperty(globalThis, 'WebAssembly');
        else Object.assign(globalThis, { WebAssembly: there });
        assert.equal(chooseKernels('webassembly'), TYPESCRIPT_KERNELS);
      } finally {
        Object.assign(globalThis, { WebAssembly: real });
      }
      assert.notEqual(chooseKernels('webassembly'), TYPESCRIPT_KERNELS);
    });
  }
});

describe('the memory that kernels lend', () => {
  it('is that of kernels that were given back, if there are some', () => {
    const first = wasmKernels()!;
    const { buffer } = first.lendSet().fill(7);
    assert.notEqual(wasmKernels()!.lendSet().buffer, buffer);
    giveBackKernels(first);
    const next = wasmKernels()!;
    assert.equal(next.lendSet().buffer, buffer);
    assert.notEqual(wasmKernels()!.lendSet().buffer, buffer);
    giveBackKernels(TYPESCRIPT_KERNELS);
    assert.notEqual(wasmKernels()!.lendSet().buffer, buffer);
  });

  it('is lent to one at a time, and beyond its room the system lends', () => {
    const kernels = wasmKernels()!;
    const lent = Array.from({ length: 2_000 }, (_, i) => kernels.lendSet().fill(i));
    const slabs = Array.from({ length: 30 }, (_, i) => kernels.lendSlab().fill(i));
    assert.ok(lent.every((words, i) => words.length === SET_WORDS && words.every((word) => word === i)));
    assert.ok(slabs.every((slab, i) => slab[0] === i && slab.at(-1) === i));
    kernels.giveBackSets(lent);
    kernels.giveBackSlabs(slabs);
    const again = Array.from({ length: 2_000 }, () => kernels.lendSet());
    const places = again.map(({ buffer, byteOffset }) => (buffer === lent[0]!.buffer ? byteOffset : {}));
    assert.equal(new Set(places).size, 2_000);
  });

  it('counters for more numbers than it has are counted beside it', () => {
    const lengths = wasm.counters(MAX_COUNTERS + 1).map(({ length }) => length);
    assert.deepEqual(lengths, [MAX_COUNTERS + 1, MAX_COUNTERS + 1]);
  });
});

function tallied(
  kernels: Kernels,
  of: 'bits' | 'values',
  words: Uint32Array,
  values: Uint16Array,
  column: Uint16Array | Uint32Array,
): Uint32Array {
  const counters = kernels.counters(column instanceof Uint16Array ? DOCS : 80_000);
  if (of === 'bits') kernels.tallyBits(words, column, counters);
  else kernels.tallyValues(values, column, counters);
  const [counts, others] = counters;
  return counts.map((count, number) => count + others[number]!);
}

/** They are not enumerable. */
function properties(of: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.getOwnPropertyNames(of).map((name) => [name, of[name]]));
}
