// Blocks of dictionaries that a thread has read and may look into again: segments never change, so a block is right as
// long as it is held. They lie in a ring of slabs; where all are full, the one that was begun first is used anew.

import { Buffer } from 'node:buffer';
import { STARTS_BYTES } from './key-search.ts';

/**
 * Of a thread. A question looks into a block for each word and segment, some 1.5 KB each: these are the blocks of 140
 * words over 20 segments, or of 14 over 200.
 */
export const BLOCK_CACHE_BYTES = 1 << 22;

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
