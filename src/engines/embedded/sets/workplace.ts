// The kernels in WebAssembly as they were assembled (kernels.wat, kernels.wasm), and the memory in which they work, one
// for each thread: laid out here, in bytes. Its size never changes: views of it stay valid.
//
//   shuffles   for each byte of a set, 16 bytes: how its numbers of a column are packed (i8x16.swizzle)
//   sets       two, for sets that lie elsewhere
//   values     docIds that lie elsewhere
//   column     of a chunk
//   packed     numbers of a column that are counted next, and room for a vector behind them
//   counters   two rows of 65,536, 32 bits each
//   lent sets, lent slabs

import { readFileSync } from 'node:fs';

/** Words of a set with a bit for each docId of a chunk. */
export const SET_WORDS = 2_048;
export const SET_BYTES = SET_WORDS * 4;
/** 16-bit numbers of a slab: 1 MB. */
export const SLAB_NUMBERS = 2 ** 19;

const CHUNK_NUMBERS = SET_BYTES * 8;
const COLUMN_BYTES = CHUNK_NUMBERS * 2;
/** Bytes of one row of counters. */
export const COUNTERS_BYTES = CHUNK_NUMBERS * 4;
/** Numbers of a column that can be counted. */
export const MAX_COUNTERS = CHUNK_NUMBERS;
/** As many as a pool keeps (sets/chunk.ts), and half as many for the other pools of the thread. */
export const LENT_SETS = 1_536;
export const LENT_SLABS = 24;

const SHUFFLES = 0;
export const FIRST_SET = SHUFFLES + 256 * 16;
export const SECOND_SET = FIRST_SET + SET_BYTES;
export const VALUES = SECOND_SET + SET_BYTES;
export const COLUMN = VALUES + COLUMN_BYTES;
export const PACKED = COLUMN + COLUMN_BYTES;
export const COUNTERS = PACKED + SET_BYTES;
export const SETS = COUNTERS + 2 * COUNTERS_BYTES;
export const SLABS = SETS + LENT_SETS * SET_BYTES;
const END = SLABS + LENT_SLABS * SLAB_NUMBERS * 2;
/** Of 64 KB each. */
const PAGES = Math.ceil(END / 2 ** 16);

/** Addresses in bytes; ends are exclusive. */
export interface Exports {
  readonly intersect: Combining;
  readonly subtract: Combining;
  readonly unite: Combining;
  readonly popcount: (words: number, end: number) => number;
  readonly keep: (values: number, end: number, words: number, unwanted: 0 | 1, into: number) => number;
  readonly keepListed: (
    values: number,
    end: number,
    listed: number,
    listedEnd: number,
    unwanted: 0 | 1,
    into: number,
  ) => number;
  readonly members: (words: number, into: number) => number;
  readonly mark: (values: number, end: number, words: number) => void;
  readonly tallyBits: (words: number, column: number, counters: number, packed: number) => void;
  readonly tallyValues: (values: number, end: number, column: number, counters: number) => void;
  readonly sumCounters: (counters: number, end: number) => void;
}

export type Combining = (a: number, b: number, into: number) => number;

/** The part of https://webassembly.github.io/spec/js-api/ that is used here. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
  readonly CompileError: new () => Error;
};

/** `npm run kernels` writes it. */
const MODULE = new URL('kernels.wasm', import.meta.url);

/** Compiled once for each thread. */
let compiled: object | undefined;

/** The kernels' code with its memory. */
export interface Workplace {
  readonly buffer: ArrayBuffer;
  readonly run: Exports;
}

/** null: WebAssembly has no vectors, or there is no address space for its memory. */
export function newWorkplace(): Workplace | null {
  try {
    compiled ??= new WebAssembly.Module(readFileSync(MODULE));
    const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
    const { exports } = new WebAssembly.Instance(compiled, { kernels: { memory } });
    const { buffer } = memory;
    fillShuffles(new Uint8Array(buffer, SHUFFLES, 256 * 16));
    return { buffer, run: exports as unknown as Exports };
  } catch (error) {
    // uncovered: a processor without vectors, or a process that may not reserve memory
    if (error instanceof WebAssembly.CompileError || error instanceof RangeError) return null;
    throw error;
  }
}

/** For each byte of a set: which of eight numbers have their bit set, two bytes each, then anything. */
function fillShuffles(shuffles: Uint8Array): void {
  for (let byte = 0; byte < 256; byte++) {
    let at = byte * 16;
    for (let bit = 0; bit < 8; bit++) {
      if (((byte >>> bit) & 1) === 0) continue;
      shuffles[at++] = bit * 2;
      shuffles[at++] = bit * 2 + 1;
    }
  }
}
