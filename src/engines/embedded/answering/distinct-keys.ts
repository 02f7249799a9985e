// How many different keys the blocks of several dictionaries hold: their bytes in one table, by hash.

import { Buffer } from 'node:buffer';
import { ByteReader } from '../../../packing/bytes.ts';
import type { BlockWindow } from '../format/dictionary.ts';
import { skipEntry } from '../format/posting-codec.ts';

const MIN_SLOTS = 1 << 12;

export class DistinctKeys {
  /** Number of a key + 1 by hash, the next free slot where that one is taken; 0: free. At most half are taken. */
  #slots = new Uint32Array(MIN_SLOTS);
  /** Bytes of the keys one after the other, and where each begins, and the end of the last. */
  #bytes = Buffer.alloc(MIN_SLOTS * 8);
  #starts: number[] = [0];
  #key = Buffer.alloc(512);

  get size(): number {
    return this.#starts.length - 1;
  }

  /** The keys of a block that are meant. */
  addBlock({ bytes, at, from, to }: BlockWindow): void {
    const reader = new ByteReader(bytes, at);
    for (let i = 0; i < to; i++) {
      const shared = reader.varint();
      const length = shared + reader.varint();
      if (length > this.#key.length) this.#key = Buffer.concat([this.#key, Buffer.alloc(length)]);
      for (let j = shared; j < length; j++) this.#key[j] = bytes[reader.at++]!;
      skipEntry(reader);
      if (i >= from) this.#add(length);
    }
  }

  #add(length: number): void {
    const key = this.#key;
    // FNV-1a (Fowler, Noll, Vo), its high bits folded in: the low ones pick the slot.
    let hash = 0x811c9dc5;
    for (let i = 0; i < length; i++) hash = Math.imul(hash ^ key[i]!, 0x01000193);
    hash ^= hash >>> 15;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let found = this.#slots[slot]!; found !== 0; found = this.#slots[slot]!) {
      if (this.#isEqual(found - 1, length)) return;
      slot = (slot + 1) & mask;
    }
    const start = this.#starts.at(-1)!;
    if (start + length > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length + length)]);
    }
    key.copy(this.#bytes, start, 0, length);
    this.#starts.push(start + length);
    this.#slots[slot] = this.size;
    if (this.size * 2 > this.#slots.length) this.#grow();
  }

  #isEqual(number: number, length: number): boolean {
    const start = this.#starts[number]!;
    if (this.#starts[number + 1]! - start !== length) return false;
    for (let i = length - 1; i >= 0; i--) if (this.#bytes[start + i] !== this.#key[i]) return false;
    return true;
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (let number = 0; number < this.size; number++) {
      let hash = 0x811c9dc5;
      for (let at = this.#starts[number]!; at < this.#starts[number + 1]!; at++) {
        hash = Math.imul(hash ^ this.#bytes[at]!, 0x01000193);
      }
      hash ^= hash >>> 15;
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}
