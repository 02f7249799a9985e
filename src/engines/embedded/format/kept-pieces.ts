// Pieces of segment files that a thread has read and may read again: rows of the newest records, short lists, tables of
// lists. A read costs more than what is done with so few bytes, so they are kept, as in a process that maps its files.
// Segments never change, so a piece is right as long as it is kept.

import { Buffer } from 'node:buffer';
import { BlockCache, type HeldBlock, type HeldBlocks } from './block-cache.ts';
import type { ByteSource } from './segment-file.ts';

/** Of a thread: the rows of some 80 pages, if no two stand side by side. */
export const PIECE_CACHE_BYTES = 1 << 23;

/** Reading them takes no longer than reading some bytes of them. */
export const PIECE_BYTES = 1 << 12;

const cache = new BlockCache(PIECE_CACHE_BYTES);

/** Those of one segment. */
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
