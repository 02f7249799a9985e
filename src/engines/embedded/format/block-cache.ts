// Caches of a thread for segment files: blocks of dictionaries, and pieces of all else. Nothing gets stale: segments
// never change.

import { Buffer } from 'node:buffer';
import { afterEntry, restOfVarint } from './posting-codec.ts';

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
