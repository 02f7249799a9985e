// Caches of a thread for segment files: blocks of dictionaries, pieces of everything else, and rows near the last one
// of a walk. Segments never change, so nothing gets stale.

import { Buffer } from 'node:buffer';
import { afterEntry, restOfVarint } from './posting-codec.ts';
import type { ByteSource } from './segment-file.ts';

/** For each thread: room for the blocks (1.5 KB each) of 140 words over 20 segments, or of 14 over 200. */
const BLOCK_CACHE_BYTES = 1 << 22;

const SLABS = 32;

/** The bytes `from` to before `to` of a block; valid until the thread reads another block. */
export interface HeldBlock {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  /** Number of starts after the block (dictionary.ts); −1: they have not been made. */
  starts: number;
}

/** The cached blocks of a dictionary, by number. */
export type HeldBlocks = Map<number, HeldBlock>;

interface Slab {
  readonly bytes: Buffer;
  /** The caches that hold blocks of this slab, and the block numbers there. */
  readonly holders: HeldBlocks[];
  readonly numbers: number[];
  length: number;
}

/** Blocks are in a ring of slabs; if all are full, the oldest slab is reused. */
export class BlockCache {
  readonly #slabBytes: number;
  readonly #slabs: Slab[] = [];
  #current = -1;

  /** Takes at most `maxBytes`, and nothing before the first block. */
  constructor(maxBytes = BLOCK_CACHE_BYTES) {
    this.#slabBytes = Math.floor(maxBytes / SLABS);
  }

  get bytes(): number {
    return this.#slabs.length * this.#slabBytes;
  }

  /**
   * Caches block `number`: `read` fills in its `length` bytes. It is not cached if `read` throws or the block is too
   * large for a slab.
   */
  hold(held: HeldBlocks, number: number, length: number, read: (into: Buffer) => void): HeldBlock {
    if (length + STARTS_BYTES > this.#slabBytes) {
      const bytes = Buffer.allocUnsafeSlow(length);
      read(bytes);
      return { bytes, from: 0, to: length, starts: 0 };
    }
    const slab = this.#slabFor(length + STARTS_BYTES);
    const block = { bytes: slab.bytes, from: slab.length, to: slab.length + length, starts: -1 };
    read(slab.bytes.subarray(block.from, block.to));
    slab.length = block.to + STARTS_BYTES;
    slab.holders.push(held);
    slab.numbers.push(number);
    held.set(number, block);
    return block;
  }

  /** Returns a slab with this much room. */
  #slabFor(length: number): Slab {
    const current = this.#slabs[this.#current];
    if (current !== undefined && current.length + length <= this.#slabBytes) return current;
    this.#current = (this.#current + 1) % SLABS;
    const next = this.#slabs[this.#current];
    if (next === undefined) {
      const made = { bytes: Buffer.allocUnsafeSlow(this.#slabBytes), holders: [], numbers: [], length: 0 };
      this.#slabs.push(made);
      return made;
    }
    for (const [i, held] of next.holders.entries()) held.delete(next.numbers[i]!);
    next.holders.length = next.numbers.length = next.length = 0;
    return next;
  }
}

/** Keys of every block of a dictionary but the last. */
export const BLOCK_KEYS = 128;

/**
 * Behind a block in memory there may be places from which a search can start, one after every sixteenth key:
 *
 *   u16 where the next key begins, counted from the block; u8 how many of the first bytes of the key follow, up to 13
 */
export const START_EVERY = 16;
export const START_BYTES = 16;
export const START_HEAD = 3;
export const START_KEY_BYTES = START_BYTES - START_HEAD;

/** Bytes of the starts of one block. */
const STARTS_BYTES = (BLOCK_KEYS / START_EVERY) * START_BYTES;

/** The first bytes of the last key that was passed. */
const passed = Buffer.alloc(START_KEY_BYTES);

/** Writes the starts after the block in `bytes` from `from` to before `to`; returns their number. */
export function writeStarts(bytes: Buffer, from: number, to: number): number {
  if (to - from > 0xffff) return 0;
  let starts = 0;
  let keys = 0;
  for (let at = from; at < to; ) {
    let shared = bytes[at++]!;
    if (shared >= 0x80) [shared, at] = restOfVarint(bytes, at, shared);
    let own = bytes[at++]!;
    if (own >= 0x80) [own, at] = restOfVarint(bytes, at, own);
    const length = Math.min(shared + own, START_KEY_BYTES);
    for (let i = shared; i < length; i++) passed[i] = bytes[at + i - shared]!;
    at = afterEntry(bytes, at + own);
    if (++keys % START_EVERY !== 0 || at >= to) continue;
    const start = to + starts++ * START_BYTES;
    bytes[start] = (at - from) & 0xff;
    bytes[start + 1] = (at - from) >>> 8;
    bytes[start + 2] = length;
    for (let i = 0; i < length; i++) bytes[start + START_HEAD + i] = passed[i]!;
  }
  return starts;
}

/** Rows are near if at most this many bytes lie between them: some twenty rows. */
const NEAR_BYTES = 1 << 12;
/** Bytes that are read at once: this many if a row is near the last one, four times as many if the next is near too. */
const LEAST_WINDOW = 1 << 12;
const GREATEST_WINDOW = 1 << 16;
const GROWTH = 4;

/** Where each row begins, and the end of the last. */
interface RowStarts {
  readonly length: number;
  at(doc: number): number;
}

/**
 * Reads stored rows for a walk up or down the docs of a segment. If the next row is near the last, it reads the
 * following ones too.
 */
export class NearRows {
  readonly #source: ByteSource;
  readonly #rows: RowStarts;
  readonly #offset: number;
  #buffer: Buffer = Buffer.allocUnsafeSlow(1 << 12);
  /** The rows in the buffer are the bytes from here on. */
  #from = 0;
  #to = 0;
  #window = LEAST_WINDOW;
  readonly #greatest: number;
  /** Where the last row that was read begins in `bytes`. */
  start = 0;
  end = 0;

  /**
   * `rows`: where each row begins after `offset`, and the end of the last. `greatest`: the most bytes that are read at
   * once and kept, except for a longer row.
   */
  constructor(source: ByteSource, rows: RowStarts, offset: number, greatest = GREATEST_WINDOW) {
    this.#source = source;
    this.#rows = rows;
    this.#offset = offset;
    this.#greatest = greatest;
  }

  /** Valid until the next call. */
  row(doc: number): Buffer {
    this.read(doc);
    return this.#buffer.subarray(this.start, this.end);
  }

  /** Like `row`, without making a buffer: the row is in `bytes` from `start` to before `end`. */
  read(doc: number): void {
    const from = this.#rows.at(doc);
    const to = this.#rows.at(doc + 1);
    if (from < this.#from || to > this.#to) this.#fill(from, to);
    this.start = from - this.#from;
    this.end = to - this.#from;
  }

  get bytes(): Buffer {
    return this.#buffer;
  }

  #fill(from: number, to: number): void {
    let [first, last] = [from, to];
    const isAhead = from >= this.#from && from - this.#to <= NEAR_BYTES;
    const isBehind = to <= this.#to && this.#from - to <= NEAR_BYTES;
    if (isAhead) last = Math.max(to, Math.min(this.#rows.at(this.#rows.length - 1), from + this.#window));
    else if (isBehind) first = Math.min(from, Math.max(0, to - this.#window));
    this.#window = isAhead || isBehind ? Math.min(this.#window * GROWTH, this.#greatest) : LEAST_WINDOW;
    if (this.#buffer.length < last - first) this.#buffer = Buffer.allocUnsafeSlow(last - first);
    // If reading fails, the buffer is empty.
    this.#from = this.#to = 0;
    this.#source.readInto(this.#buffer, this.#offset + first, last - first);
    this.#from = first;
    this.#to = last;
  }
}
