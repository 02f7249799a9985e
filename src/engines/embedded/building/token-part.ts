// A part of the alphabet while a segment is built: the tokens identified by their codes (key-codes.ts) that
// begin there, and the docs that contain them.

import { grown } from './growing-numbers.ts';
import { orderOfCodes } from './key-order.ts';

const FIRST_CAPACITY = 1 << 10;
/** Instead of a key's number: the doc already has the key. */
const AGAIN = 0xffffffff;

export class TokenPart {
  /** The codes of each key, in the order of first occurrence. */
  firsts: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  seconds: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  count = 0;
  /** All lists, one after the other: that of key k is `docs` from `starts[k]` to `starts[k + 1]`. */
  docs: Uint32Array = new Uint32Array(0);
  starts: Uint32Array = new Uint32Array(0);
  /** By key: how many docs, and 1 + the last of them. */
  #counts = new Uint32Array(FIRST_CAPACITY);
  #lasts = new Uint32Array(FIRST_CAPACITY);
  /** Open addressing: 1 + number of the key; 0: free. */
  #slots = new Uint32Array(FIRST_CAPACITY * 2);
  #mask = 0;

  /**
   * Replaces what was read before. Each entry has three numbers: both codes and the doc, docs ascending;
   * overwrites them.
   */
  read(entries: Uint32Array): void {
    this.#clear(entries.length / 3);
    let held = 0;
    for (let at = 0; at < entries.length; at += 3) {
      const key = this.#number(entries[at]!, entries[at + 1]!);
      const doc = entries[at + 2]!;
      if (this.#lasts[key] === doc + 1) {
        entries[at] = AGAIN;
        continue;
      }
      this.#lasts[key] = doc + 1;
      this.#counts[key]!++;
      entries[at] = key;
      held++;
    }
    this.#place(entries, held);
  }

  /** The keys in the order of their codes, which is the order of their bytes. */
  order(): Uint32Array {
    return orderOfCodes(this.firsts, this.seconds, this.count);
  }

  #clear(entries: number): void {
    let slots = FIRST_CAPACITY;
    while (slots < entries * 2) slots *= 2;
    if (slots > this.#slots.length) this.#slots = new Uint32Array(slots);
    else this.#slots.fill(0, 0, slots);
    this.#mask = slots - 1;
    this.#counts.fill(0, 0, this.count);
    this.#lasts.fill(0, 0, this.count);
    this.count = 0;
  }

  #number(first: number, second: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae3d);
    let slot = (mixed ^ (mixed >>> 13)) & mask;
    for (;;) {
      const found = slots[slot]!;
      if (found === 0) break;
      if (this.firsts[found - 1] === first && this.seconds[found - 1] === second) return found - 1;
      slot = (slot + 1) & mask;
    }
    const key = this.count++;
    slots[slot] = this.count;
    if (key === this.firsts.length) this.#grow();
    this.firsts[key] = first;
    this.seconds[key] = second;
    return key;
  }

  #place(entries: Uint32Array, held: number): void {
    if (held > this.docs.length) this.docs = new Uint32Array(held * 2);
    if (this.count >= this.starts.length) this.starts = new Uint32Array(this.count * 2 + 1);
    const { starts, docs } = this;
    // While docs are written, each start moves on to that of the next key; afterwards it is reset.
    starts[0] = 0;
    for (let key = 0; key < this.count; key++) starts[key + 1] = starts[key]! + this.#counts[key]!;
    for (let at = 0; at < entries.length; at += 3) {
      const key = entries[at]!;
      if (key !== AGAIN) docs[starts[key]!++] = entries[at + 2]!;
    }
    for (let key = this.count; key > 0; key--) starts[key] = starts[key - 1]!;
    starts[0] = 0;
  }

  #grow(): void {
    this.firsts = grown(this.firsts);
    this.seconds = grown(this.seconds);
    this.#counts = grown(this.#counts);
    this.#lasts = grown(this.#lasts);
  }
}
