// A column whose chunks are read when they are asked for, into memory that threads share and that others may get
// afterwards (column-cache.ts).

import type { ColumnIndex, ColumnNumbers } from '../format/column-codec.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import { type ColdNumbers, Column, type ColumnChunks, isPlain } from './column.ts';
import { type ColumnCache, frameStart, type PageHolder } from './column-cache.ts';

/**
 * Reading a page costs as much as reading so many of its numbers one by one. When so many were read, over however many
 * questions, the page is: at most twice what it would have cost to know beforehand.
 */
const WORTH_A_PAGE = 32;

/** `first`: the number of its first page; there is one for each chunk. `open` is called at the first read. */
export function pagedColumn<T extends ColumnNumbers>(
  count: number,
  open: () => ColumnChunks,
  cache: ColumnCache,
  first: number,
): Column<T> {
  const chunks: (T | undefined)[] = Array.from({ length: Math.ceil(count / CHUNK_DOCS) }, () => undefined);
  return new Column(count, chunks, new PagedNumbers(chunks, open, cache, first));
}

/** A chunk, before it is narrowed: one after the other. */
const wide = new Uint32Array(CHUNK_DOCS);

class PagedNumbers<T extends ColumnNumbers> implements ColdNumbers<T>, PageHolder {
  /** Those at hand. */
  readonly #chunks: (T | undefined)[];
  readonly #open: () => ColumnChunks;
  #opened: ColumnChunks | undefined;
  readonly #cache: ColumnCache;
  readonly #first: number;
  /** By page: 1 + the frame that is pinned for this column; 0: none. */
  readonly #pinned: Int32Array;
  /** By page: 1 + the frame that these arrays are of. */
  readonly #viewed: Int32Array;
  readonly #views: (T | undefined)[];
  /** By page, how many numbers were read one by one since it was last read. */
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
          this.#read(one, this.#arrayOf(one, block, at));
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
    // Only of numbers that go up is the base the first of them: of others it may be greater than all that follow.
    return coding.isAscending ? coding.base : this.at(chunk * CHUNK_DOCS);
  }

  drop(key: number): void {
    if (key < 0) {
      // Of memory of its own, unless that of a frame has taken its place since.
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

  /** Puts the chunks of a pinned page at hand. */
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

  /** Where the frames are pinned, or another thread is reading the page: into memory of this thread alone. */
  #readOwn(chunk: number): void {
    const own = this.#arrayOf(chunk, this.#cache.ownRoom(this, ~chunk), -this.#startOf(chunk));
    this.#read(chunk, own);
    this.#chunks[chunk] = own;
  }

  #read(chunk: number, into: T): void {
    this.#column.read(chunk, wide);
    // Modulo the range of the array, outside of JavaScript.
    into.set(wide.subarray(0, into.length));
  }

  /** Where a chunk is in memory whose page begins at `at`. */
  #arrayOf(chunk: number, memory: ArrayBufferLike, at: number): T {
    const { isNarrow, isSigned, chunks } = this.#column.index;
    const { count } = chunks[chunk]!;
    const start = at + this.#startOf(chunk);
    if (isNarrow)
      return (isSigned ? new Int16Array(memory, start, count) : new Uint16Array(memory, start, count)) as T;
    return (isSigned ? new Int32Array(memory, start, count) : new Uint32Array(memory, start, count)) as T;
  }

  /** Bytes from the beginning of its page. */
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
