// Where what lies in the memory of the kernels of one thread, in bytes. Its size never changes: views of it
// stay valid.
//
//   shuffles   for each byte of a set, 16 bytes: how its numbers of a column are packed (i8x16.swizzle)
//   sets       two, for sets that lie elsewhere
//   marks      a set of docIds that are given one by one; all 0 between calls
//   values     docIds that lie elsewhere
//   column     of a chunk
//   packed     numbers of a column that are counted next, and room for a vector behind them
//   counters   two rows of 65,536, 32 bits each
//   lent sets, lent slabs

import { SET_BYTES, SLAB_NUMBERS } from './kernels.ts';

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
