// Numbers keys that are bytes, 0, 1, 2 …, in the order of their arrival. There is no object for a key: all keys are in
// one piece of memory, and found by hash with open addressing.

import { byteHash, grown } from '../../packing/bytes.ts';

/** At least one more slot than keys. Small, for tables of a few records. */
const LEAST_SLOTS = 1 << 7;

export class ByteTable {
  /** All keys, one after the other. */
  bytes = new Uint8Array(1 << 10);
  /** Where each key begins, by number; a key ends where the next begins. */
  starts = new Uint32Array(LEAST_SLOTS >>> 1);
  /** Number of keys. */
  size = 0;
  #hashes = new Int32Array(LEAST_SLOTS >>> 1);
  /** 1 + the number of a key; 0: free. */
  #slots = new Uint32Array(LEAST_SLOTS);

  /** The number of the key in `bytes` from `start` to before `end`; a new key gets the next one. */
  number(bytes: Uint8Array, start: number, end: number): number {
    const hash = byteHash(bytes, start, end);
    const slot = this.#slotOf(bytes, start, end, hash);
    const known = this.#slots[slot]!;
    return known > 0 ? known - 1 : this.#add(bytes, start, end, hash, slot);
  }

  /** −1: the key is unknown. */
  find(bytes: Uint8Array, start: number, end: number): number {
    return this.#slots[this.#slotOf(bytes, start, end, byteHash(bytes, start, end))]! - 1;
  }

  /** The slot of the key, or the free one for it. */
  #slotOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const known = this.#slots[slot]!;
      if (known === 0) return slot;
      if (this.#hashes[known - 1] === hash && this.#isKey(known - 1, bytes, start, end)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isKey(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const own = this.bytes;
    const begin = this.starts[number]!;
    if (this.starts[number + 1]! - begin !== end - start) return false;
    for (let i = 0; i < end - start; i++) if (own[begin + i] !== bytes[start + i]) return false;
    return true;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const number = this.size++;
    const used = this.starts[number]!;
    const length = end - start;
    if (used + length > this.bytes.length) this.bytes = grown(this.bytes, used + length);
    for (let i = 0; i < length; i++) this.bytes[used + i] = bytes[start + i]!;
    this.starts[number + 1] = used + length;
    this.#hashes[number] = hash;
    this.#slots[slot] = number + 1;
    // There is room for one more start than keys.
    if ((this.size + 1) * 2 > this.#slots.length - 1) this.#grow();
    return number;
  }

  /** Keeps at least half of the slots free. */
  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const hashes = grown(this.#hashes);
    const mask = slots.length - 1;
    for (let number = 0; number < this.size; number++) {
      let slot = hashes[number]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
    this.starts = grown(this.starts);
    this.#hashes = hashes;
  }
}
