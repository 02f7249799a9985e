// A column whose chunks are read on demand into memory that threads share (column-memory.ts), as one thread uses it. It
// finds a page that any thread has read, or reads the page into a frame whose page is among the least recently used
// (the clock of Corbató, "A Paging Experiment with the Multics System", 1968). A pinned frame is never evicted. A
// thread keeps its last pages pinned, so that most questions find theirs without a look at the table.

import { isMainThread, threadId } from 'node:worker_threads';
import type { ColumnIndex, ColumnNumbers } from '../format/column-codec.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import { type ColdNumbers, Column, type ColumnChunks, isPlain, numbersAt } from './column.ts';
import {
  BUSY,
  type ColumnMemory,
  EVICTIONS,
  FRAME_BYTES,
  FRAMES_A_BLOCK,
  framesIn,
  HAND,
  LIMIT,
  LOADING,
  LOADS,
  MAX_THREADS,
  USED,
} from './column-memory.ts';

/**
 * The least pages that a thread keeps pinned, since a loop reads a few columns at once. With more memory, each thread
 * pins the same share of it.
 */
const LEAST_KEPT = 32;
const KEPT_SHARE = 8;

interface PageHolder {
  /** The page will soon be unpinned. */
  drop(key: number): void;
}

/** The caches of this thread, by name of the memory. */
const caches = new Map<string, ColumnCache>();

export function columnCache(memory: ColumnMemory): ColumnCache {
  const cache = caches.getOrInsertComputed(memory.name, () => new ColumnCache(memory));
  cache.growTo(memory.blocks);
  return cache;
}

/** To be called when the thread reads nothing of this memory any more. */
export function forgetCache({ name }: ColumnMemory): void {
  caches.get(name)?.close();
  caches.delete(name);
}

class ColumnCache {
  readonly #memory: ColumnMemory;
  /** −1: there are too many threads, and this one pins nothing. */
  readonly #number: number;
  /** For each frame, whether this thread has pinned it. */
  readonly #marks: Uint8Array;
  /** By frame, how many holders of this thread have pinned it. */
  readonly #counts: Uint16Array;
  /** The holders of kept pages in turn: the next replaces the oldest. */
  readonly #holders: (PageHolder | null)[];
  readonly #keys: Int32Array;
  readonly #kept: Int32Array;
  #next = 0;
  /** Memory of this thread alone, reused in turn: new memory would be collected too late. */
  readonly #rooms: (ArrayBuffer | undefined)[] = [];
  readonly #roomHolders: (PageHolder | null)[] = Array.from({ length: LEAST_KEPT }, () => null);
  readonly #roomKeys = new Int32Array(LEAST_KEPT);
  #nextRoom = 0;

  constructor(memory: ColumnMemory) {
    this.#memory = memory;
    this.#number = takeNumber(memory);
    const frames = memory.pins.length;
    this.#marks = memory.marks.subarray(this.#number * frames, (this.#number + 1) * frames);
    this.#counts = new Uint16Array(frames);
    const kept = Math.max(LEAST_KEPT, Math.floor(frames / KEPT_SHARE));
    this.#holders = Array.from({ length: kept }, () => null);
    this.#keys = new Int32Array(kept);
    this.#kept = new Int32Array(kept).fill(-1);
    // The owner forgets a thread that is ended from outside.
    if (!isMainThread) process.once('exit', () => this.close());
  }

  /** Takes blocks that were added: opening a segment adds those that its pages need. */
  growTo(blocks: readonly SharedArrayBuffer[]): void {
    const known = this.#memory.blocks;
    known.push(...blocks.slice(known.length));
  }

  blockOf(frame: number): SharedArrayBuffer {
    return this.#memory.blocks[Math.floor(frame / FRAMES_A_BLOCK)]!;
  }

  /** Whether some thread has read the page. */
  has(page: number): boolean {
    return Atomics.load(this.#memory.frameOf, page) > 0;
  }

  /** Pins the frame of the page; −1: the page is in none. */
  pin(page: number): number {
    const { frameOf, pins, recent } = this.#memory;
    const frame = Atomics.load(frameOf, page) - 1;
    // Another thread may have read the page into a block that this one does not know yet.
    if (frame < 0 || this.#number < 0 || frame >= framesIn(this.#memory.blocks)) return -1;
    if (this.#counts[frame]! === 0) {
      // Another thread may have taken the frame for another page meanwhile.
      if (Atomics.add(pins, frame, 1) < 0 || Atomics.load(frameOf, page) !== frame + 1) {
        Atomics.sub(pins, frame, 1);
        return -1;
      }
      this.#marks[frame] = 1;
    }
    this.#counts[frame]!++;
    recent[frame] = 1;
    return frame;
  }

  /**
   * Reads the page by `fill` into a frame and pins it; −1: another thread is reading it, or all frames are pinned.
   * Throws what `fill` throws.
   */
  load(page: number, fill: (block: SharedArrayBuffer, at: number) => void): number {
    const { frameOf, owners, pins, recent, state } = this.#memory;
    if (this.#number < 0 || Atomics.compareExchange(frameOf, page, 0, LOADING) !== 0) return -1;
    const frame = this.#takeFrame();
    if (frame < 0) {
      Atomics.store(frameOf, page, 0);
      return -1;
    }
    try {
      fill(this.blockOf(frame), frameStart(frame));
    } catch (error) {
      Atomics.store(owners, frame, 0);
      Atomics.sub(pins, frame, BUSY);
      Atomics.store(frameOf, page, 0);
      throw error;
    }
    this.#counts[frame] = 1;
    recent[frame] = 1;
    Atomics.store(owners, frame, page + 1);
    // Others may find that they came too late; until then they have added 1.
    Atomics.sub(pins, frame, BUSY - 1);
    this.#marks[frame] = 1;
    Atomics.store(frameOf, page, frame + 1);
    Atomics.add(state, LOADS, 1);
    return frame;
  }

  /**
   * Room for a page without a frame. The holder has it until 16 others came; its arrays stay valid for as many more.
   */
  ownRoom(holder: PageHolder, key: number): ArrayBuffer {
    const at = this.#nextRoom;
    const half = (at + LEAST_KEPT / 2) % LEAST_KEPT;
    this.#roomHolders[half]?.drop(this.#roomKeys[half]!);
    this.#roomHolders[half] = null;
    this.#roomHolders[at] = holder;
    this.#roomKeys[at] = key;
    this.#nextRoom = (at + 1) % LEAST_KEPT;
    const room = this.#rooms[at] ?? new ArrayBuffer(FRAME_BYTES);
    this.#rooms[at] = room;
    return room;
  }

  /**
   * Keeps a pinned frame. The holder drops it after half of the others, so its arrays stay valid for the other half.
   */
  keep(holder: PageHolder, key: number, frame: number): void {
    const at = this.#next;
    const kept = this.#holders.length;
    this.#unpin(at);
    const half = at + (kept >>> 1);
    this.#drop(half < kept ? half : half - kept);
    this.#holders[at] = holder;
    this.#keys[at] = key;
    this.#kept[at] = frame;
    this.#next = at + 1 === kept ? 0 : at + 1;
  }

  close(): void {
    for (let at = 0; at < this.#holders.length; at++) {
      this.#drop(at);
      this.#unpin(at);
    }
    for (const [i, holder] of this.#roomHolders.entries()) holder?.drop(this.#roomKeys[i]!);
    if (this.#number >= 0) Atomics.store(this.#memory.threads, this.#number, 0);
  }

  #drop(at: number): void {
    this.#holders[at]?.drop(this.#keys[at]!);
    this.#holders[at] = null;
  }

  #unpin(at: number): void {
    const frame = this.#kept[at]!;
    if (frame < 0) return;
    this.#kept[at] = -1;
    const left = this.#counts[frame]! - 1;
    this.#counts[frame] = left;
    if (left > 0) return;
    this.#marks[frame] = 0;
    Atomics.sub(this.#memory.pins, frame, 1);
  }

  /** Returns a frame marked BUSY, without a page; −1: all are pinned. */
  #takeFrame(): number {
    const { state, pins } = this.#memory;
    const limit = Math.min(Atomics.load(state, LIMIT), framesIn(this.#memory.blocks));
    for (let used = Atomics.load(state, USED); used < limit; used = Atomics.load(state, USED)) {
      if (Atomics.compareExchange(state, USED, used, used + 1) !== used) continue;
      if (Atomics.compareExchange(pins, used, 0, BUSY) === 0) return used;
    }
    const frames = Math.min(limit, Atomics.load(state, USED));
    // One round clears the marks of recent use, the second finds a frame.
    for (let tries = 2 * frames; tries > 0; tries--) {
      const frame = (Atomics.add(state, HAND, 1) >>> 0) % frames;
      if (this.#evict(frame)) return frame;
    }
    return -1;
  }

  /** False: the frame is pinned, or was used recently. */
  #evict(frame: number): boolean {
    const { pins, recent, owners, frameOf, state } = this.#memory;
    if (Atomics.load(pins, frame) !== 0) return false;
    if (recent[frame] === 1) {
      recent[frame] = 0;
      return false;
    }
    if (Atomics.compareExchange(pins, frame, 0, BUSY) !== 0) return false;
    const page = Atomics.exchange(owners, frame, 0) - 1;
    if (page >= 0) {
      Atomics.compareExchange(frameOf, page, frame + 1, 0);
      Atomics.add(state, EVICTIONS, 1);
    }
    return true;
  }
}

/** Where a frame begins in its block. */
function frameStart(frame: number): number {
  return (frame % FRAMES_A_BLOCK) * FRAME_BYTES;
}

/** −1: all numbers are taken. */
function takeNumber({ threads }: ColumnMemory): number {
  for (let number = 0; number < MAX_THREADS; number++) {
    if (Atomics.compareExchange(threads, number, 0, threadId + 1) === 0) return number;
  }
  return -1;
}

/** After this many single reads, the page is read: both cost the same. At most twice the best cost. */
const WORTH_A_PAGE = 32;

/** `first`: the number of its first page; each chunk has one. `open` is called at the first read. */
export function pagedColumn<T extends ColumnNumbers>(
  count: number,
  open: () => ColumnChunks,
  cache: ColumnCache,
  first: number,
): Column<T> {
  const chunks: (T | undefined)[] = Array.from({ length: Math.ceil(count / CHUNK_DOCS) }, () => undefined);
  return new Column(count, chunks, new PagedNumbers(chunks, open, cache, first));
}

class PagedNumbers<T extends ColumnNumbers> implements ColdNumbers<T>, PageHolder {
  readonly #chunks: (T | undefined)[];
  readonly #open: () => ColumnChunks;
  #opened: ColumnChunks | undefined;
  readonly #cache: ColumnCache;
  readonly #first: number;
  /** By page: 1 + the frame that is pinned for this column; 0: none. */
  readonly #pinned: Int32Array;
  /** By page: 1 + the frame of these arrays. */
  readonly #viewed: Int32Array;
  readonly #views: (T | undefined)[];
  /** By page: single reads since the page was last read. */
  readonly #singles: Uint8Array;

  constructor(chunks: (T | undefined)[], open: () => ColumnChunks, cache: ColumnCache, first: number) {
    this.#chunks = chunks;
    this.#open = open;
    this.#cache = cache;
    this.#first = first;
    this.#pinned = new Int32Array(chunks.length);
    this.#viewed = new Int32Array(chunks.length);
    this.#singles = new Uint8Array(chunks.length);
    this.#views = chunks.map(() => undefined);
  }

  chunk(chunk: number): T {
    const page = this.#pageOf(chunk);
    let frame = this.#cache.pin(this.#first + page);
    if (frame < 0) {
      frame = this.#cache.load(this.#first + page, (block, at) => {
        const { index } = this.#column;
        for (let one = firstOfPage(page, index); one <= lastOfPage(page, index); one++) {
          this.#column.readNarrow(one, this.#arrayOf(one, block, at));
        }
      });
    }
    if (frame < 0) this.#readOwn(chunk);
    else this.#show(page, frame);
    return this.#chunks[chunk]!;
  }

  at(doc: number): number {
    const chunk = doc >>> 16;
    const page = this.#pageOf(chunk);
    const { index } = this.#column;
    const coding = index.chunks[chunk]!;
    if (isPlain(coding) && !this.#cache.has(this.#first + page)) {
      const singles = this.#singles[page]! + 1;
      this.#singles[page] = singles < WORTH_A_PAGE ? singles : 0;
      if (singles < WORTH_A_PAGE) {
        const number = coding.width === 0 ? coding.base : this.#column.one(coding, doc & 0xffff);
        if (!index.isSigned) return number;
        return index.isNarrow ? (number << 16) >> 16 : number | 0;
      }
    }
    return this.chunk(chunk)[doc & 0xffff]!;
  }

  firstOf(chunk: number): number {
    const coding = this.#column.index.chunks[chunk]!;
    // Only in an ascending chunk is the base the first number; elsewhere it may be greater than all others.
    return coding.isAscending ? coding.base : this.at(chunk * CHUNK_DOCS);
  }

  drop(key: number): void {
    if (key < 0) {
      // The chunk was in the thread's own memory, unless a frame has replaced that.
      const chunk = ~key;
      if (this.#pinned[this.#pageOf(chunk)] === 0) this.#chunks[chunk] = undefined;
      return;
    }
    this.#pinned[key] = 0;
    const { index } = this.#column;
    const last = lastOfPage(key, index);
    for (let chunk = firstOfPage(key, index); chunk <= last; chunk++) this.#chunks[chunk] = undefined;
  }

  get #column(): ColumnChunks {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Makes the chunks of a pinned page available. */
  #show(page: number, frame: number): void {
    this.#cache.keep(this, page, frame);
    const { index } = this.#column;
    const [first, last] = [firstOfPage(page, index), lastOfPage(page, index)];
    if (this.#viewed[page] !== frame + 1) {
      const block = this.#cache.blockOf(frame);
      const at = frameStart(frame);
      for (let chunk = first; chunk <= last; chunk++) {
        this.#views[chunk] = this.#arrayOf(chunk, block, at);
      }
      this.#viewed[page] = frame + 1;
    }
    for (let chunk = first; chunk <= last; chunk++) this.#chunks[chunk] = this.#views[chunk];
    this.#pinned[page] = frame + 1;
  }

  /** If all frames are pinned, or another thread is reading the page: reads it into the thread's own memory. */
  #readOwn(chunk: number): void {
    const own = this.#arrayOf(chunk, this.#cache.ownRoom(this, ~chunk), -this.#startOf(chunk));
    this.#column.readNarrow(chunk, own);
    this.#chunks[chunk] = own;
  }

  /** Where a chunk is in memory whose page begins at `at`. */
  #arrayOf(chunk: number, memory: ArrayBufferLike, at: number): T {
    const { index } = this.#column;
    return numbersAt(index, memory, at + this.#startOf(chunk), index.chunks[chunk]!.count) as T;
  }

  /** Bytes of a chunk from the beginning of its page. */
  #startOf(chunk: number): number {
    return this.#column.index.isNarrow ? (chunk & 1) * CHUNK_DOCS * 2 : 0;
  }

  #pageOf(chunk: number): number {
    return this.#column.index.isNarrow ? chunk >>> 1 : chunk;
  }
}

function firstOfPage(page: number, { isNarrow }: ColumnIndex): number {
  return isNarrow ? page * 2 : page;
}

function lastOfPage(page: number, { isNarrow, chunks }: ColumnIndex): number {
  return isNarrow ? Math.min(page * 2 + 1, chunks.length - 1) : page;
}
