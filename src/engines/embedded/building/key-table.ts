// Numbers for keys while a segment is built: 0, 1, 2 … in the order of first occurrence. Keys are bytes;
// those that fit into two numbers (key-codes.ts) are looked up by these alone, the rest by their text.

import { Buffer } from 'node:buffer';
import { KeyCodes, KeyPool } from './key-codes.ts';

/** Few, for batches of a few records: what grows costs less than what each of them would leave behind. */
const FIRST_SLOTS = 1 << 7;

/** Labels of keys, 32 bits each, stored with their numbers. */
export interface Labels {
  /** The label of a key that fits into its codes. */
  ofCodes(first: number, second: number): number;
  /** The label of any other key. */
  ofText(key: string): number;
}

const NO_LABELS: Labels = { ofCodes: () => 0, ofText: () => 0 };

/** Numbers of a slot: both codes, 1 + number of the key (0: free), its label. */
const SLOT = 4;
const OTHER = 3;

export class KeyTable {
  readonly pool = new KeyPool();
  /** The label of the key that was looked up last. */
  label = 0;
  readonly #labels: Labels;
  #slots = new Int32Array(FIRST_SLOTS * SLOT);
  #mask = FIRST_SLOTS - 1;
  /** The keys that do not fit into their codes: slots of hash, 1 + number (0: free), label. */
  #others = new Int32Array(FIRST_SLOTS * OTHER);
  #otherMask = FIRST_SLOTS - 1;
  #otherCount = 0;
  readonly #codes = new KeyCodes();

  /** `labels` is asked once for each key; every look-up returns its answer. */
  constructor(labels: Labels = NO_LABELS) {
    this.#labels = labels;
  }

  /** The number of the key in `bytes` from `start` to `end`. */
  number(bytes: Buffer, start: number, end: number): number {
    const codes = this.#codes;
    codes.read(bytes, start, end);
    if (codes.isWhole) return this.numberOfCodes(codes.first, codes.second, bytes, start, end);
    return this.#numberOfOther(bytes, start, end);
  }

  /**
   * The same for a key that fits into its codes, which are already known. Its letters may be capitals in
   * `bytes`.
   */
  numberOfCodes(first: number, second: number, bytes: Buffer, start: number, end: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = hashOf(first, second) & mask;
    for (;;) {
      const at = slot * SLOT;
      const found = slots[at + 2]!;
      if (found === 0) return this.#addAt(slot, { first, second }, bytes, start, end);
      if (slots[at] === first && slots[at + 1] === second) {
        this.label = slots[at + 3]!;
        return found - 1;
      }
      slot = (slot + 1) & mask;
    }
  }

  /** Of a key as text. */
  numberOfText(key: string): number {
    const bytes = Buffer.from(key);
    return this.number(bytes, 0, bytes.length);
  }

  #addAt(
    slot: number,
    { first, second }: { readonly first: number; readonly second: number },
    bytes: Buffer,
    start: number,
    end: number,
  ): number {
    const { pool } = this;
    this.label = this.#labels.ofCodes(first, second);
    const number = pool.addCoded(first, second, bytes, start, end);
    const { bytes: added, starts } = pool;
    for (let i = starts[number]!; i < starts[number + 1]!; i++) {
      if (added[i]! < 0x61 && added[i]! > 0x40) added[i]! |= 0x20;
    }
    this.#fill(slot, first, second, number + 1, this.label);
    if (pool.count * 2 > this.#mask) this.#rehash();
    return number;
  }

  #numberOfOther(bytes: Buffer, start: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
    hash = hashOf(hash, end - start);
    const others = this.#others;
    let slot = hash & this.#otherMask;
    for (;;) {
      const at = slot * OTHER;
      const found = others[at + 1]!;
      if (found === 0) break;
      if (others[at] === hash && this.pool.is(found - 1, bytes, start, end)) {
        this.label = others[at + 2]!;
        return found - 1;
      }
      slot = (slot + 1) & this.#otherMask;
    }
    this.label = this.#labels.ofText(bytes.toString('utf8', start, end));
    const number = this.pool.addCoded(this.#codes.first, this.#codes.second, bytes, start, end);
    others.set([hash, number + 1, this.label], slot * OTHER);
    if (++this.#otherCount * 2 > this.#otherMask) this.#rehashOthers();
    return number;
  }

  #rehashOthers(): void {
    const old = this.#others;
    this.#others = new Int32Array(old.length * 4);
    this.#otherMask = this.#others.length / OTHER - 1;
    for (let at = 0; at < old.length; at += OTHER) {
      if (old[at + 1] === 0) continue;
      let slot = old[at]! & this.#otherMask;
      while (this.#others[slot * OTHER + 1] !== 0) slot = (slot + 1) & this.#otherMask;
      this.#others.set(old.subarray(at, at + OTHER), slot * OTHER);
    }
  }

  #fill(slot: number, first: number, second: number, numberAndOne: number, label: number): void {
    const at = slot * SLOT;
    this.#slots[at] = first;
    this.#slots[at + 1] = second;
    this.#slots[at + 2] = numberAndOne;
    this.#slots[at + 3] = label;
  }

  #rehash(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 4);
    this.#mask = this.#slots.length / SLOT - 1;
    for (let at = 0; at < old.length; at += SLOT) {
      if (old[at + 2] === 0) continue;
      let slot = hashOf(old[at]!, old[at + 1]!) & this.#mask;
      while (this.#slots[slot * SLOT + 2] !== 0) slot = (slot + 1) & this.#mask;
      this.#fill(slot, old[at]!, old[at + 1]!, old[at + 2]!, old[at + 3]!);
    }
  }
}

/** After MurmurHash3's finaliser. */
function hashOf(first: number, second: number): number {
  let mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae3d);
  return mixed ^ (mixed >>> 13);
}
