// What is done with whole sets of docIds and with columns, a chunk of 65,536 docs at a time, by loops that run over all
// of it: in WebAssembly with vectors (wasm-kernels.ts) or in TypeScript (typescript-kernels.ts). Both give the same.
//
// The memory in which those in WebAssembly work, one for each thread, is laid out here, in bytes. Its size never
// changes: views of it stay valid.
//
//   shuffles   for each byte of a set, 16 bytes: how its numbers of a column are packed (i8x16.swizzle)
//   sets       two, for sets that lie elsewhere
//   marks      a set of docIds that are given one by one; all 0 between calls
//   values     docIds that lie elsewhere
//   column     of a chunk
//   packed     numbers of a column that are counted next, and room for a vector behind them
//   counters   two rows of 65,536, 32 bits each
//   lent sets, lent slabs

/** A set of the docIds of one chunk: a bit for each. */
export const SET_WORDS = 2_048;
export const SET_BYTES = SET_WORDS * 4;
/** 16-bit numbers of a slab: 1 MB. */
export const SLAB_NUMBERS = 2 ** 19;

/** Two counters for each number of a column; what it counts to is the sum of both. */
export type Counters = readonly [counts: Uint32Array, others: Uint32Array];

/**
 * Sets are of 2,048 words. Any array may lie anywhere; in the memory that they lend nothing is copied. What
 * is written may be what is read.
 */
export interface Kernels {
  /** Writes what is in both; returns how many. */
  intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): number;
  /** Writes what is in `a` and not in `b`; returns how many. */
  subtract(a: Uint32Array, b: Uint32Array, into: Uint32Array): number;
  /** Writes what is in either; returns how many. */
  unite(a: Uint32Array, b: Uint32Array, into: Uint32Array): number;
  /** How many members have their bits in words `from` to `to`. */
  popcount(words: Uint32Array, from: number, to: number): number;
  /** Adds these docIds to the set. */
  add(values: Uint16Array, words: Uint32Array): void;
  /** Writes the docIds of the set, ascending; returns how many. There is room for them. */
  members(words: Uint32Array, into: Uint16Array): number;
  /** Writes the values that are in the set (1) or are not (0), in their order; returns how many. */
  keep(values: Uint16Array, words: Uint32Array, wanted: 0 | 1, into: Uint16Array): number;
  /** The same for a set given by its docIds. */
  keepListed(values: Uint16Array, listed: Uint16Array, wanted: 0 | 1, into: Uint16Array): number;
  /** All 0; the caller's until the next call. */
  counters(length: number): Counters;
  /** Adds 1 for each member, by its number in the column of the chunk. */
  tallyBits(words: Uint32Array, column: NumberColumn, counters: Counters): void;
  /** The same for docIds of the chunk. */
  tallyValues(values: Uint16Array, column: NumberColumn, counters: Counters): void;
  /** Adds the others to the counts. */
  sumCounters(counters: Counters): void;

  /** Memory for a set, with whatever was there; the caller's until it is given back. */
  lendSet(): Uint32Array;
  giveBackSets(sets: readonly Uint32Array[]): void;
  /** The same of SLAB_NUMBERS numbers. */
  lendSlab(): Uint16Array;
  giveBackSlabs(slabs: readonly Uint16Array[]): void;
}

export type NumberColumn = Uint16Array | Uint32Array;

const CHUNK_NUMBERS = SET_BYTES * 8;
const COLUMN_BYTES = CHUNK_NUMBERS * 2;
/** Of one row. */
export const COUNTERS_BYTES = CHUNK_NUMBERS * 4;
/** Numbers of a column that can be counted. */
export const MAX_COUNTERS = CHUNK_NUMBERS;
/** As many as a pool keeps (sets/chunk.ts), and half of that for the other pools of the thread. */
export const LENT_SETS = 1_536;
export const LENT_SLABS = 24;

export const SHUFFLES = 0;
export const FIRST_SET = SHUFFLES + 256 * 16;
export const SECOND_SET = FIRST_SET + SET_BYTES;
export const MARKS = SECOND_SET + SET_BYTES;
export const VALUES = MARKS + SET_BYTES;
export const COLUMN = VALUES + COLUMN_BYTES;
export const PACKED = COLUMN + COLUMN_BYTES;
export const COUNTERS = PACKED + SET_BYTES;
export const SETS = COUNTERS + 2 * COUNTERS_BYTES;
export const SLABS = SETS + LENT_SETS * SET_BYTES;
const END = SLABS + LENT_SLABS * SLAB_NUMBERS * 2;
/** Of 64 KB. */
export const PAGES = Math.ceil(END / 2 ** 16);
