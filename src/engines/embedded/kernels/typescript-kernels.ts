// The kernels in TypeScript: where WebAssembly has no vectors, for memory that is not lent by a thread, and
// as what the others are compared with.

import { type Counters, type Kernels, type NumberColumn, SET_WORDS, SLAB_NUMBERS } from './kernels.ts';

/** Of a column, for as many docs. */
const numbersRead = new Uint32Array(1_024);
/** All 0 between calls. */
const marks = new Uint32Array(SET_WORDS);

class TypeScriptKernels implements Kernels {
  readonly #memory: [Uint32Array, Uint32Array] = [new Uint32Array(0), new Uint32Array(0)];

  /** Counted in the same pass: the count is needed next, and costs nothing beside the memory access. */
  intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    let count = 0;
    for (let i = 0; i < SET_WORDS; i += 2) {
      const first = a[i]! & b[i]!;
      const second = a[i + 1]! & b[i + 1]!;
      into[i] = first;
      into[i + 1] = second;
      count += bitsOfTwo(first, second);
    }
    return count;
  }

  subtract(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    let count = 0;
    for (let i = 0; i < SET_WORDS; i += 2) {
      const first = a[i]! & ~b[i]!;
      const second = a[i + 1]! & ~b[i + 1]!;
      into[i] = first;
      into[i + 1] = second;
      count += bitsOfTwo(first, second);
    }
    return count;
  }

  unite(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    let count = 0;
    for (let i = 0; i < SET_WORDS; i += 2) {
      const first = a[i]! | b[i]!;
      const second = a[i + 1]! | b[i + 1]!;
      into[i] = first;
      into[i + 1] = second;
      count += bitsOfTwo(first, second);
    }
    return count;
  }

  /** Warren, Hacker's Delight, 5-1. */
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
      // Always written, but counted only if wanted: there is no branch to mispredict.
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
        // Neighbours are often of one community: counted apart, the second need not wait for the first.
        const next = word & -word;
        others[column[base - Math.clz32(next)]!]!++;
        word ^= next;
      }
    }
  }

  /**
   * Of few docs, the numbers are read first: in a loop that does nothing else, more reads that miss the processor's
   * caches are under way at once (8 instead of 14 ns each for 90 docs, 12 instead of 15 for 700). From some 1,000 on
   * most lines of the column are read anyway, and one loop is enough.
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

  /** They go back to the system. */
  giveBackSets(): void {}

  lendSlab(): Uint16Array {
    return new Uint16Array(SLAB_NUMBERS);
  }

  giveBackSlabs(): void {}
}

export const TYPESCRIPT_KERNELS: Kernels = new TypeScriptKernels();

/** As in `popcount`, of two words whose sums of four bits are added up: a quarter less for both. */
function bitsOfTwo(first: number, second: number): number {
  const one = first - ((first >>> 1) & 0x55555555);
  const two = second - ((second >>> 1) & 0x55555555);
  const fours =
    (one & 0x33333333) + ((one >>> 2) & 0x33333333) + (two & 0x33333333) + ((two >>> 2) & 0x33333333);
  return Math.imul((fours & 0x0f0f0f0f) + ((fours >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24;
}
