// How the memory that an index may take (`COLLOQUY_MEMORY`) is divided, in this one place: threads that answer have
// theirs, what is kept of each open segment has its own, and pages of columns get what is left.
//
// The pages lie in memory that is shared by the threads of a process: so many frames of 256 KiB, and a table that says
// which page of which column is in which. A page is what fits into a frame: 65,536 numbers of 32 bits, or 131,072 of
// 16. What a thread does with it is in paged-column.ts; here is its layout, and what its owner does, who opens and
// closes segments.
//
//   state     Int32: see the constants below
//   threads   Int32 a thread: 1 + its threadId; 0: the number is free
//   frameOf   Int32 a page: 0 not in memory; LOADING; 1 + number of its frame
//   owners    Int32 a frame: 1 + the page that is in it; 0: none
//   pins      Int32 a frame: how many threads read it; BUSY is added while its contents are changed
//   marks     byte a thread and frame: 1 the thread is among those
//   recent    byte a frame: 1 used since the hand of the clock last went by
//
// Frames are in blocks, of which there are no more than the pages of open segments need: some systems count what is
// only reserved, and start no other program then. A block that was never written to takes no memory of the machine.

import { threadId } from 'node:worker_threads';
import type { MemoryUse } from '../../../model/engine.ts';

/** The needs among which the memory is divided, in bytes. */
interface MemoryNeeds extends Omit<SegmentNeeds, 'paged'> {
  readonly budget: number;
  readonly threads: number;
}

const MIB = 2 ** 20;

/**
 * Needs of a thread that has answered questions of all classes, in MiB: code and objects 28, young objects 16
 * (threads/thread.ts), pieces of files 8, blocks of dictionaries 4, read buffers 3.
 */
const FIXED = 59 * MIB;

/**
 * The least memory of a thread's kernels. They use more, the more chunks of records a question reads: in the end all of
 * it.
 */
const LEAST_OF_KERNELS = 9 * MIB;
const MOST_OF_KERNELS = 37 * MIB;
const KERNELS_A_DOC = 0.3;

/** A thread stores numbers and counts of names, half as many bytes as their names. */
const OF_NAMES = 1 / 2;

/** Room for matches found by helpers (a bit a record and a third more), and for large sets until they are collected. */
const OF_DOCS = 1 / 2;

/** Columns get at least this share, however much the others need. */
const LEAST_OF_COLUMNS = 1 / 2;

/** If the parts need more than the budget, they exceed it together. */
export function divideMemory({ budget, threads, tables, names, docs }: MemoryNeeds) {
  const ofKernels = Math.min(LEAST_OF_KERNELS + docs * KERNELS_A_DOC, MOST_OF_KERNELS);
  const ofThreads = threads * Math.round(FIXED + ofKernels + names * OF_NAMES + docs * OF_DOCS);
  const columns = Math.max(budget - ofThreads - tables, budget * LEAST_OF_COLUMNS);
  return { threads: ofThreads, tables, columns };
}

export const FRAME_BYTES = 1 << 18;
export const FRAMES_A_BLOCK = 64;

/** How many threads may pin: twice as many as may answer questions. */
export const MAX_THREADS = 128;
/** The most pages of all columns: 2^18 are enough for three thousand million records. */
const MAX_PAGES = 2 ** 18;

/** Columns of smaller segments are smaller than a frame. */
const WHOLE_DOCS = 65_536;

export const LOADING = -1;
export const BUSY = -(2 ** 31);

/** Indexes in `state`: frames ever used, frames allowed, the hand of the clock, and two counts. */
export const USED = 0;
export const LIMIT = 1;
export const HAND = 2;
export const LOADS = 3;
export const EVICTIONS = 4;
const STATE_LENGTH = 5;

/** The shared parts, which one thread passes to another. */
export interface ColumnMemory {
  /** Unique among the memories of the process. */
  readonly name: string;
  /** Each has FRAMES_A_BLOCK frames, the last perhaps fewer. See `ColumnCache.growTo`. */
  readonly blocks: SharedArrayBuffer[];
  readonly state: Int32Array<SharedArrayBuffer>;
  readonly threads: Int32Array<SharedArrayBuffer>;
  readonly frameOf: Int32Array<SharedArrayBuffer>;
  readonly owners: Int32Array<SharedArrayBuffer>;
  readonly pins: Int32Array<SharedArrayBuffer>;
  readonly marks: Uint8Array<SharedArrayBuffer>;
  readonly recent: Uint8Array<SharedArrayBuffer>;
}

export interface PageRange {
  readonly first: number;
  readonly count: number;
}

/** Bytes that a segment needs, without its records. */
export interface SegmentNeeds {
  readonly tables: number;
  readonly paged: number;
  readonly names: number;
  readonly docs: number;
}

let made = 0;

/** Only for the thread that opens and closes segments. */
export class ColumnOwner {
  readonly memory: ColumnMemory;
  /** Columns of segments up to this many records stay in memory as a whole. */
  readonly wholeDocs: number;
  readonly #budget: number;
  readonly #threads: number;
  readonly #frames: number;
  /** Ascending, without neighbours. */
  #free: PageRange[] = [{ first: 0, count: MAX_PAGES }];
  #open: SegmentNeeds = { tables: 0, paged: 0, names: 0, docs: 0 };
  #pages = 0;

  /** `budget` in bytes; `threads`: the most threads that answer. */
  constructor(budget: number, threads = 0, wholeDocs = WHOLE_DOCS) {
    this.wholeDocs = wholeDocs;
    this.#budget = budget;
    this.#threads = threads;
    this.#frames = Math.floor(this.#division.columns / FRAME_BYTES);
    const numbers = (length: number) => new Int32Array(new SharedArrayBuffer(length * 4));
    this.memory = {
      name: `${threadId}.${made++}`,
      blocks: [],
      state: numbers(STATE_LENGTH),
      threads: numbers(MAX_THREADS),
      frameOf: numbers(MAX_PAGES),
      owners: numbers(this.#frames),
      pins: numbers(this.#frames),
      marks: new Uint8Array(new SharedArrayBuffer(MAX_THREADS * this.#frames)),
      recent: new Uint8Array(new SharedArrayBuffer(this.#frames)),
    };
    this.#setLimit();
  }

  /** `times` 1: a segment was opened; −1: closed. */
  note({ tables, paged, names, docs }: SegmentNeeds, times: 1 | -1): void {
    this.#open = {
      tables: this.#open.tables + times * tables,
      paged: this.#open.paged + times * paged,
      names: this.#open.names + times * names,
      docs: this.#open.docs + times * docs,
    };
    this.#setLimit();
  }

  /** null: there are not so many free pages in a row. */
  takePages(count: number): PageRange | null {
    const at = this.#free.findIndex((range) => range.count >= count);
    if (at < 0) return null;
    const { first, count: there } = this.#free[at]!;
    this.#free.splice(at, 1, ...(there > count ? [{ first: first + count, count: there - count }] : []));
    this.#pages += count;
    this.#grow();
    return { first, count };
  }

  /** To be called when no thread reads these pages any more. */
  freePages({ first, count }: PageRange): void {
    this.#pages -= count;
    const { frameOf, owners } = this.memory;
    for (let page = first; page < first + count; page++) {
      const frame = Atomics.exchange(frameOf, page, 0) - 1;
      if (frame >= 0) Atomics.compareExchange(owners, frame, page + 1, 0);
    }
    const free = [...this.#free, { first, count }].sort((a, b) => a.first - b.first);
    this.#free = [];
    for (const range of free) {
      const last = this.#free.at(-1);
      if (last !== undefined && last.first + last.count === range.first) {
        this.#free[this.#free.length - 1] = { first: last.first, count: last.count + range.count };
      } else this.#free.push(range);
    }
  }

  get use(): MemoryUse & { readonly loads: number } {
    const { state } = this.memory;
    const parts = this.#division;
    const kept = parts.threads + parts.tables;
    return {
      held: kept + Atomics.load(state, USED) * FRAME_BYTES,
      budget: this.#budget,
      wanted: kept + this.#open.paged,
      parts,
      loads: Atomics.load(state, LOADS),
      evictions: Atomics.load(state, EVICTIONS),
    };
  }

  /** Makes the blocks that the pages need. If the system lacks room for one, fewer frames must do. */
  #grow(): void {
    const { blocks } = this.memory;
    const wanted = Math.min(this.#frames, this.#pages);
    for (let have = framesIn(blocks); have < wanted; have = framesIn(blocks)) {
      const frames = Math.min(FRAMES_A_BLOCK, this.#frames - have);
      try {
        blocks.push(new SharedArrayBuffer(frames * FRAME_BYTES));
      } catch {
        // uncovered: a system without room for some MB of addresses
        break;
      }
    }
    this.#setLimit();
  }

  #setLimit(): void {
    const most = Math.floor(this.#division.columns / FRAME_BYTES);
    Atomics.store(this.memory.state, LIMIT, Math.min(framesIn(this.memory.blocks), most));
  }

  get #division() {
    return divideMemory({ budget: this.#budget, threads: this.#threads, ...this.#open });
  }
}

/** Frames that a thread with these blocks can use. */
export function framesIn(blocks: readonly SharedArrayBuffer[]): number {
  const last = blocks.at(-1);
  return last === undefined ? 0 : (blocks.length - 1) * FRAMES_A_BLOCK + last.byteLength / FRAME_BYTES;
}

/** Unpins everything of a thread that has ended. */
export function forgetThread({ threads, pins, marks }: ColumnMemory, ended: number): void {
  const number = threads.indexOf(ended + 1);
  if (number < 0) return;
  const ofThread = marks.subarray(number * pins.length, (number + 1) * pins.length);
  for (let frame = ofThread.indexOf(1); frame >= 0; frame = ofThread.indexOf(1, frame)) {
    ofThread[frame] = 0;
    Atomics.sub(pins, frame, 1);
  }
  Atomics.store(threads, number, 0);
}
