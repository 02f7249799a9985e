// How the memory that an index may take (`COLLOQUY_MEMORY`) is divided, in this one place: threads that answer have
// theirs, what is kept of each open segment has its own, and pages of columns get what is left.

/** In bytes. */
export interface MemoryDivision {
  /** What threads that answer keep for themselves. */
  readonly threads: number;
  /** What is in memory as long as segments are open. */
  readonly tables: number;
  /** What pages of columns may take. */
  readonly columns: number;
}

/** What there is to divide, and among what. */
export interface MemoryNeeds {
  readonly budget: number;
  /** How many may answer. */
  readonly threads: number;
  /** Bytes of all segments, shared by the threads. */
  readonly tables: number;
  /** Bytes of the names of all segments as they are written (format/segment-columns.ts). */
  readonly names: number;
  /** Records in all segments. */
  readonly docs: number;
}

const MIB = 2 ** 20;

/**
 * Of a thread that has answered questions of all classes, in MiB: code and objects 28, young objects 16
 * (thread-handle.ts), pieces of files 8, blocks of dictionaries 4, buffers for what is read 3.
 */
const FIXED = 59 * MIB;

/** Of the memory of its kernels, the more the more chunks of records a question looks at: all of it in the end. */
const LEAST_OF_KERNELS = 9 * MIB;
const MOST_OF_KERNELS = 37 * MIB;
const KERNELS_A_DOC = 0.3;

/** A thread keeps numbers and counts of names. */
const OF_NAMES = 1 / 2;

/**
 * It has room for the matches that others find for it, a bit a record and a third more; and what its kernels have no
 * room for, such as the sets of broad prefixes, stays until it is collected.
 */
const OF_DOCS = 1 / 2;

/** Columns get no less than this share, however much the others need. */
const LEAST_OF_COLUMNS = 1 / 2;

/** Where there is less than the parts need, they are more than the budget together. */
export function divideMemory({ budget, threads, tables, names, docs }: MemoryNeeds): MemoryDivision {
  const ofKernels = Math.min(LEAST_OF_KERNELS + docs * KERNELS_A_DOC, MOST_OF_KERNELS);
  const ofThreads = threads * Math.round(FIXED + ofKernels + names * OF_NAMES + docs * OF_DOCS);
  const columns = Math.max(budget - ofThreads - tables, budget * LEAST_OF_COLUMNS);
  return { threads: ofThreads, tables, columns };
}
