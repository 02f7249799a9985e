// What a thread has read of segment files and may read again: blocks of dictionaries, and pieces of everything else.
// Segments never change, so it is right as long as it is held.

import { Buffer } from 'node:buffer';
import { STARTS_BYTES } from './key-search.ts';
import type { ByteSource } from './segment-file.ts';

/**
 * Of a thread. A question looks into a block for each word and segment, some 1.5 KB each: these are the blocks of 140
 * words over 20 segments, or of 14 over 200.
 */
const BLOCK_CACHE_BYTES = 1 << 22;

const SLABS = 32;

/** The bytes of a block, from `from` to before `to`: until the thread reads another block. */
export interface HeldBlock {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  /** How many places to start from stand behind it (key-search.ts); −1: they have not been made. */
  starts: number;
}

/** By number, the blocks of a dictionary that are held. */
export type HeldBlocks = Map<number, HeldBlock>;

interface Slab {
  readonly bytes: Buffer;
  /** What is held there, and where it is known by which number. */
  readonly holders: HeldBlocks[];
  readonly numbers: number[];
  length: number;
}

/** Blocks lie in a ring of slabs; where all are full, the one that was begun first is used anew. */
export class BlockCache {
  readonly #slabBytes: number;
  readonly #slabs: Slab[] = [];
  #current = -1;

  /** Takes no more than `maxBytes`, and none before a block is read. */
  constructor(maxBytes = BLOCK_CACHE_BYTES) {
    this.#slabBytes = Math.floor(maxBytes / SLABS);
  }

  /** Bytes of memory that it takes. */
  get bytes(): number {
    return this.#slabs.length * this.#slabBytes;
  }

  /**
   * Puts block `number` among the held ones of its dictionary: `length` bytes, filled in by `read`; should that throw,
   * it is not held. One that is too large for a slab is only returned.
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

  /** One that has so much room. */
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

/** Of a thread: the rows of some 80 pages, if no two stand side by side. */
export const PIECE_CACHE_BYTES = 1 << 23;

/** Reading them takes no longer than reading some bytes of them. */
export const PIECE_BYTES = 1 << 12;

const cache = new BlockCache(PIECE_CACHE_BYTES);

/**
 * Pieces of one segment file: rows of the newest records, short lists, tables of lists. A read costs more than what is
 * done with so few bytes, so they are kept, as in a process that maps its files.
 */
export class KeptPieces implements ByteSource {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #held: HeldBlocks = new Map();
  /** For what stands in several pieces. */
  #own = Buffer.alloc(0);
  /** What was read last begins at `start` of `bytes`, until anything else is read. */
  bytes: Buffer = this.#own;
  start = 0;

  constructor(source: ByteSource) {
    this.#source = source;
    this.size = source.size;
  }

  /** Throws as `readInto` of the source does; then no piece is kept of what could not be read. */
  read(offset: number, length: number): void {
    const first = Math.floor(offset / PIECE_BYTES);
    const from = offset - first * PIECE_BYTES;
    if (from + length <= PIECE_BYTES && offset + length <= this.size) {
      const piece = this.#piece(first);
      this.bytes = piece.bytes;
      this.start = piece.from + from;
      return;
    }
    if (this.#own.length < length) this.#own = Buffer.allocUnsafeSlow(length * 2);
    this.bytes = this.#own;
    this.start = 0;
    // Long ones are read at once, and would take the room of many.
    if (from + length > 2 * PIECE_BYTES || offset + length > this.size) {
      this.#source.readInto(this.#own, offset, length);
      return;
    }
    const head = this.#piece(first);
    head.bytes.copy(this.#own, 0, head.from + from, head.to);
    const tail = this.#piece(first + 1);
    tail.bytes.copy(this.#own, PIECE_BYTES - from, tail.from, tail.from + from + length - PIECE_BYTES);
  }

  /** Short ones by pieces. */
  readInto(...[target, offset, length]: Parameters<ByteSource['readInto']>): void {
    if (length > PIECE_BYTES) {
      this.#source.readInto(target, offset, length);
      return;
    }
    this.read(offset, length);
    const into = new Uint8Array(target.buffer, target.byteOffset, length);
    into.set(this.bytes.subarray(this.start, this.start + length));
  }

  readAhead(offset: number, length: number): void {
    this.#source.readAhead?.(offset, length);
  }

  #piece(number: number): HeldBlock {
    const known = this.#held.get(number);
    if (known !== undefined) return known;
    const offset = number * PIECE_BYTES;
    const length = Math.min(PIECE_BYTES, this.size - offset);
    return cache.hold(this.#held, number, length, (into) => this.#source.readInto(into, offset, length));
  }
}
