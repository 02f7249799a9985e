// Operations on whole sets of docIds and on columns, a chunk of 65,536 docs at a time: in WebAssembly with vectors
// (kernels.wat), or in TypeScript without it. Both give the same. Data outside the memory of the WebAssembly kernels
// (workplace.ts) are copied into it, or left to TypeScript if that is cheaper.

import { Buffer } from 'node:buffer';
import {
  COLUMN,
  COUNTERS,
  COUNTERS_BYTES,
  type Combining,
  type Exports,
  FIRST_SET,
  LENT_SETS,
  LENT_SLABS,
  MAX_COUNTERS,
  newWorkplace,
  PACKED,
  SECOND_SET,
  SET_BYTES,
  SET_WORDS,
  SETS,
  SLAB_NUMBERS,
  SLABS,
  VALUES,
  type Workplace,
} from './workplace.ts';

/** Two counters for each number of a column; the count is the sum of both. */
export type Counters = readonly [counts: Uint32Array, others: Uint32Array];

/**
 * Sets have 2,048 words. Any array may be anywhere, but nothing is copied in memory that the kernels lend. Output may
 * replace input.
 */
export interface Kernels {
  /** Writes the docIds in both sets; returns their number. */
  intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): number;
  /** Writes the docIds of `a` that are not in `b`; returns their number. */
  subtract(a: Uint32Array, b: Uint32Array, into: Uint32Array): number;
  /** Writes the docIds in either set; returns their number. */
  unite(a: Uint32Array, b: Uint32Array, into: Uint32Array): number;
  /** Number of bits set in words `from` to `to`. */
  popcount(words: Uint32Array, from: number, to: number): number;
  /** Adds these docIds to the set. */
  add(values: Uint16Array, words: Uint32Array): void;
  /** Writes the docIds of the set, ascending; returns their number. `into` is large enough. */
  members(words: Uint32Array, into: Uint16Array): number;
  /** Writes the values that are in the set (`wanted` 1) or not (0), in order; returns their number. */
  keep(values: Uint16Array, words: Uint32Array, wanted: 0 | 1, into: Uint16Array): number;
  /** The same for a set given by its docIds, as `values` ascending. `into` has room for seven more. */
  keepListed(values: Uint16Array, listed: Uint16Array, wanted: 0 | 1, into: Uint16Array): number;
  /** Counters of 0; the caller's until the next call. */
  counters(length: number): Counters;
  /** Adds 1 for each member, to the counter of its number in the column. */
  tallyBits(words: Uint32Array, column: NumberColumn, counters: Counters): void;
  /** The same for docIds of the chunk. */
  tallyValues(values: Uint16Array, column: NumberColumn, counters: Counters): void;
  /** Adds the second counters to the first. */
  sumCounters(counters: Counters): void;

  /** Memory for a set, with arbitrary content; the caller's until it is given back. */
  lendSet(): Uint32Array;
  giveBackSets(sets: readonly Uint32Array[]): void;
  /** The same for SLAB_NUMBERS numbers. */
  lendSlab(): Uint16Array;
  giveBackSlabs(slabs: readonly Uint16Array[]): void;
}

type NumberColumn = Uint16Array | Uint32Array;

const numbersRead = new Uint32Array(1_024);
/** All 0 between calls. */
const marks = new Uint32Array(SET_WORDS);

class TypeScriptKernels implements Kernels {
  readonly #memory: [Uint32Array, Uint32Array] = [new Uint32Array(0), new Uint32Array(0)];

  intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    return combined(a, b, into, 0, 0);
  }

  subtract(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    return combined(a, b, into, 0, -1);
  }

  unite(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    return combined(a, b, into, -1, -1, -1);
  }

  popcount(words: Uint32Array, from: number, to: number): number {
    let count = 0;
    for (let i = from; i < to; i++) {
      let word = words[i]!;
      word -= (word >>> 1) & 0x55555555;
      word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
      count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    return count;
  }

  add(values: Uint16Array, words: Uint32Array): void {
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      words[value >>> 5] = words[value >>> 5]! | (1 << (value & 31));
    }
  }

  members(words: Uint32Array, into: Uint16Array): number {
    let count = 0;
    for (let i = 0; i < SET_WORDS; i++) {
      const base = (i << 5) + 31;
      for (let word = words[i]!; word !== 0; word &= word - 1)
        into[count++] = base - Math.clz32(word & -word);
    }
    return count;
  }

  keep(values: Uint16Array, words: Uint32Array, wanted: 0 | 1, into: Uint16Array): number {
    const unwanted = wanted ^ 1;
    let count = 0;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      // Writes always and counts only if wanted, so there is no branch to mispredict.
      into[count] = value;
      count += ((words[value >>> 5]! >>> (value & 31)) & 1) ^ unwanted;
    }
    return count;
  }

  keepListed(values: Uint16Array, listed: Uint16Array, wanted: 0 | 1, into: Uint16Array): number {
    this.add(listed, marks);
    const count = this.keep(values, marks, wanted, into);
    for (let i = 0; i < listed.length; i++) marks[listed[i]! >>> 5] = 0;
    return count;
  }

  counters(length: number): Counters {
    const [counts, others] = this.#memory;
    if (counts.length < length) {
      this.#memory[0] = new Uint32Array(length * 2);
      this.#memory[1] = new Uint32Array(length * 2);
      return this.counters(length);
    }
    return [counts.subarray(0, length).fill(0), others.subarray(0, length).fill(0)];
  }

  tallyBits(words: Uint32Array, column: NumberColumn, [counts, others]: Counters): void {
    for (let i = 0; i < SET_WORDS; i++) {
      let word = words[i]!;
      const base = (i << 5) + 31;
      while (word !== 0) {
        const lowest = word & -word;
        counts[column[base - Math.clz32(lowest)]!]!++;
        word ^= lowest;
        if (word === 0) break;
        // Neighbours often belong to one community: with two counters, the second need not wait for the first.
        const next = word & -word;
        others[column[base - Math.clz32(next)]!]!++;
        word ^= next;
      }
    }
  }

  /**
   * For few docs, the numbers are read first: a loop without other work has more cache misses under way at once (8
   * instead of 14 ns each for 90 docs, 12 instead of 15 for 700). From some 1,000 on, most lines of the column are read
   * anyway, and one loop is enough.
   */
  tallyValues(values: Uint16Array, column: NumberColumn, [counts]: Counters): void {
    const { length } = values;
    if (length < numbersRead.length) {
      for (let i = 0; i < length; i++) numbersRead[i] = column[values[i]!]!;
      for (let i = 0; i < length; i++) counts[numbersRead[i]!]!++;
    } else for (let i = 0; i < length; i++) counts[column[values[i]!]!]!++;
  }

  sumCounters([counts, others]: Counters): void {
    for (let number = 0; number < counts.length; number++) counts[number]! += others[number]!;
  }

  lendSet(): Uint32Array {
    return new Uint32Array(SET_WORDS);
  }

  /** The system takes them back. */
  giveBackSets(): void {}

  lendSlab(): Uint16Array {
    return new Uint16Array(SLAB_NUMBERS);
  }

  giveBackSlabs(): void {}
}

export const TYPESCRIPT_KERNELS: Kernels = new TypeScriptKernels();

/**
 * Both, after some were turned over (−1), and the result too: what is in either is what is not in neither. Counted in
 * the same pass: the count is needed next, and costs nothing beside the memory access.
 */
function combined(
  a: Uint32Array,
  b: Uint32Array,
  into: Uint32Array,
  turnA: 0 | -1,
  turnB: 0 | -1,
  turn: 0 | -1 = 0,
): number {
  let count = 0;
  for (let i = 0; i < SET_WORDS; i += 2) {
    const first = ((a[i]! ^ turnA) & (b[i]! ^ turnB)) ^ turn;
    const second = ((a[i + 1]! ^ turnA) & (b[i + 1]! ^ turnB)) ^ turn;
    into[i] = first;
    into[i + 1] = second;
    count += bitsOfTwo(first, second);
  }
  return count;
}

/** Like `popcount` for two words, whose sums of four bits are added first: a quarter faster for both. */
function bitsOfTwo(first: number, second: number): number {
  const one = first - ((first >>> 1) & 0x55555555);
  const two = second - ((second >>> 1) & 0x55555555);
  const fours =
    (one & 0x33333333) + ((one >>> 2) & 0x33333333) + (two & 0x33333333) + ((two >>> 2) & 0x33333333);
  return Math.imul((fours & 0x0f0f0f0f) + ((fours >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24;
}

export type KernelChoice = 'webassembly' | 'typescript';

/** WebAssembly kernels come with their own memory; if there is none, TypeScript is used. */
export function chooseKernels(choice: KernelChoice): Kernels {
  return (choice === 'webassembly' ? wasmKernels() : null) ?? TYPESCRIPT_KERNELS;
}

/** Memory of kernels that this thread gave back: 38 MB each, expensive to make and collect. */
const spare: Workplace[] = [];
const MAX_SPARE = 2;

/** null: there is no WebAssembly (`node --jitless`), or `newWorkplace` fails. */
export function wasmKernels(): Kernels | null {
  if (!('WebAssembly' in globalThis)) return null;
  const workplace = spare.pop() ?? newWorkplace();
  return workplace && new WasmKernels(workplace);
}

/** The kernels and everything they lent must not be used any more: others of this thread reuse their memory. */
export function giveBackKernels(kernels: Kernels): void {
  if (kernels instanceof WasmKernels && spare.length < MAX_SPARE) spare.push(kernels.workplace);
}

class WasmKernels implements Kernels {
  readonly workplace: Workplace;
  readonly #buffer: ArrayBuffer;
  readonly #run: Exports;
  readonly #words: readonly [Uint32Array, Uint32Array];
  readonly #values: Uint16Array;
  readonly #column: Uint8Array;
  readonly #counts: Uint32Array;
  readonly #others: Uint32Array;
  readonly #sets: Uint32Array[] = [];
  readonly #slabs: Uint16Array[] = [];
  /** Sets that were made in the room for them. */
  #setsMade = 0;
  #slabsMade = 0;

  constructor(workplace: Workplace) {
    this.workplace = workplace;
    const { buffer, run } = workplace;
    this.#run = run;
    this.#buffer = buffer;
    this.#words = [this.#set(FIRST_SET), this.#set(SECOND_SET)];
    this.#values = new Uint16Array(buffer, VALUES, MAX_COUNTERS);
    this.#column = new Uint8Array(buffer, COLUMN, MAX_COUNTERS * 2);
    this.#counts = new Uint32Array(buffer, COUNTERS, MAX_COUNTERS);
    this.#others = new Uint32Array(buffer, COUNTERS + COUNTERS_BYTES, MAX_COUNTERS);
  }

  intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    return this.#combine(this.#run.intersect, a, b, into);
  }

  subtract(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    return this.#combine(this.#run.subtract, a, b, into);
  }

  unite(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    return this.#combine(this.#run.unite, a, b, into);
  }

  popcount(words: Uint32Array, from: number, to: number): number {
    if (words.buffer === this.#buffer) {
      return this.#run.popcount(words.byteOffset + from * 4, words.byteOffset + to * 4);
    }
    if (to - from < WORTH_COPYING) return TYPESCRIPT_KERNELS.popcount(words, from, to);
    this.#words[0].set(words.subarray(from, to));
    return this.#run.popcount(FIRST_SET, FIRST_SET + (to - from) * 4);
  }

  add(values: Uint16Array, words: Uint32Array): void {
    if (words.buffer !== this.#buffer) {
      TYPESCRIPT_KERNELS.add(values, words);
      return;
    }
    const from = this.#valuesAt(values);
    this.#run.mark(from, from + values.length * 2, words.byteOffset);
  }

  members(words: Uint32Array, into: Uint16Array): number {
    const at = this.#setAt(words, 0);
    if (into.buffer === this.#buffer) return this.#run.members(at, into.byteOffset);
    const count = this.#run.members(at, VALUES);
    into.set(this.#values.subarray(0, count));
    return count;
  }

  keep(values: Uint16Array, words: Uint32Array, wanted: 0 | 1, into: Uint16Array): number {
    const isOwn = words.buffer === this.#buffer || values.length > WORTH_A_SET;
    if (!isOwn || into.buffer !== this.#buffer) return TYPESCRIPT_KERNELS.keep(values, words, wanted, into);
    const from = this.#valuesAt(values);
    const unwanted = wanted === 1 ? 0 : 1;
    const at = this.#setAt(words, 0);
    return this.#run.keep(from, from + values.length * 2, at, unwanted, into.byteOffset);
  }

  keepListed(values: Uint16Array, listed: Uint16Array, wanted: 0 | 1, into: Uint16Array): number {
    const isOwn = listed.buffer === this.#buffer && into.buffer === this.#buffer;
    if (!isOwn) return TYPESCRIPT_KERNELS.keepListed(values, listed, wanted, into);
    const at = this.#valuesAt(values);
    const [from, end] = [listed.byteOffset, listed.byteOffset + listed.length * 2];
    const unwanted = wanted === 1 ? 0 : 1;
    return this.#run.keepListed(at, at + values.length * 2, from, end, unwanted, into.byteOffset);
  }

  counters(length: number): Counters {
    if (length > MAX_COUNTERS) return TYPESCRIPT_KERNELS.counters(length);
    return [this.#counts.subarray(0, length).fill(0), this.#others.subarray(0, length).fill(0)];
  }

  tallyBits(words: Uint32Array, column: NumberColumn, counters: Counters): void {
    if (!this.#isOwn(column, counters)) TYPESCRIPT_KERNELS.tallyBits(words, column, counters);
    else this.#run.tallyBits(this.#setAt(words, 0), this.#columnAt(column), COUNTERS, PACKED);
  }

  tallyValues(values: Uint16Array, column: NumberColumn, counters: Counters): void {
    if (values.length < WORTH_A_COLUMN || !this.#isOwn(column, counters)) {
      TYPESCRIPT_KERNELS.tallyValues(values, column, counters);
      return;
    }
    const from = this.#valuesAt(values);
    this.#run.tallyValues(from, from + values.length * 2, this.#columnAt(column), COUNTERS);
  }

  sumCounters(counters: Counters): void {
    const [{ buffer, byteLength }] = counters;
    if (buffer === this.#buffer) this.#run.sumCounters(COUNTERS, COUNTERS + byteLength);
    else TYPESCRIPT_KERNELS.sumCounters(counters);
  }

  lendSet(): Uint32Array {
    const free = this.#sets.pop();
    if (free !== undefined) return free;
    if (this.#setsMade === LENT_SETS) return new Uint32Array(SET_WORDS);
    return this.#set(SETS + this.#setsMade++ * SET_BYTES);
  }

  giveBackSets(sets: readonly Uint32Array[]): void {
    for (const words of sets) if (words.buffer === this.#buffer) this.#sets.push(words);
  }

  lendSlab(): Uint16Array {
    const free = this.#slabs.pop();
    if (free !== undefined) return free;
    if (this.#slabsMade === LENT_SLABS) return new Uint16Array(SLAB_NUMBERS);
    const at = SLABS + this.#slabsMade++ * SLAB_NUMBERS * 2;
    return new Uint16Array(this.#buffer, at, SLAB_NUMBERS);
  }

  giveBackSlabs(slabs: readonly Uint16Array[]): void {
    for (const slab of slabs) if (slab.buffer === this.#buffer) this.#slabs.push(slab);
  }

  #combine(run: Combining, a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    const [first, second] = [this.#setAt(a, 0), this.#setAt(b, 1)];
    if (into.buffer === this.#buffer) return run(first, second, into.byteOffset);
    const count = run(first, second, FIRST_SET);
    into.set(this.#words[0]);
    return count;
  }

  #set(at: number): Uint32Array {
    return new Uint32Array(this.#buffer, at, SET_WORDS);
  }

  /** Copies the set into place 0 or 1 unless it is in this memory. */
  #setAt(words: Uint32Array, place: 0 | 1): number {
    if (words.buffer === this.#buffer) return words.byteOffset;
    this.#words[place].set(words);
    return place === 0 ? FIRST_SET : SECOND_SET;
  }

  #valuesAt(values: Uint16Array): number {
    if (values.buffer === this.#buffer) return values.byteOffset;
    this.#values.set(values);
    return VALUES;
  }

  #columnAt(column: Uint16Array): number {
    const { buffer, byteOffset, byteLength } = column;
    if (buffer === this.#buffer) return byteOffset;
    // From shared memory, Buffer copies twice as fast as `set`.
    Buffer.from(buffer, byteOffset, byteLength).copy(this.#column);
    return COLUMN;
  }

  #isOwn(column: NumberColumn, [counts]: Counters): column is Uint16Array {
    return column instanceof Uint16Array && counts.buffer === this.#buffer;
  }
}

/**
 * From this many docIds on, copying the column or a set costs less than reading single numbers. With columns that are
 * in no cache: for 2,500 docs in each of 155 chunks, 2.4 ms with copying and 1.7 without.
 */
const WORTH_A_COLUMN = 8_192;
const WORTH_A_SET = 256;
/** From this many words on, copying first counts them faster. */
const WORTH_COPYING = 128;
