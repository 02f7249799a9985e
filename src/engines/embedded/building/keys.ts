// The keys of one kind while a segment is built: their numbers, 0, 1, 2 … in order of first occurrence, and finally the
// order of their UTF-16 units.
//
// The first twelve bytes of a key are two numbers in base 40, six bytes in each. Most tokens and ids are looked up and
// sorted by these two alone, without a string. Other keys are compared by their bytes; texts by numbers made of the
// four units after their common beginning.

import { Buffer } from 'node:buffer';
import { grown } from '../../packing/bytes.ts';
import { ByteTable } from '../format/byte-table.ts';
import { type IdRange, IdRangeFinder } from '../format/ids.ts';
import { KeyCodes, mixedCodes } from '../format/key-codes.ts';
import { GrowingNumbers } from './postings.ts';

const FIRST_CAPACITY = 1 << 7;

/**
 * The keys of one kind while a segment is built: their bytes, one after the other, and their codes for sorting. Keys
 * 0, 1, 2 … in the order in which they are added.
 */
export class KeyPool {
  /** UTF-8 of all keys, one after the other. */
  bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(FIRST_CAPACITY * 8);
  /** By key: where its bytes begin; they end where the next key begins. */
  starts: Uint32Array = new Uint32Array(FIRST_CAPACITY + 1);
  /** By key: its codes, unsigned. */
  firsts: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  seconds: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  count = 0;
  readonly #codes = new KeyCodes();

  text(number: number): string {
    return this.bytes.toString('utf8', this.starts[number], this.starts[number + 1]);
  }

  /** Keys are ASCII. */
  idRange(): IdRange {
    const range = new IdRangeFinder();
    for (let i = 0; i < this.count; i++) range.add(this.bytes, this.starts[i]!, this.starts[i + 1]!);
    return range.get();
  }

  /** Adds the key in `bytes` from `start` to `end`; returns its number. */
  add(bytes: Buffer, start: number, end: number): number {
    this.#codes.read(bytes, start, end);
    return this.addCoded(this.#codes.first, this.#codes.second, bytes, start, end);
  }

  addCoded(first: number, second: number, bytes: Buffer, start: number, end: number): number {
    const number = this.count++;
    const at = this.starts[number]!;
    const length = end - start;
    if (at + length > this.bytes.length) this.#growBytes(at + length);
    if (number + 2 > this.starts.length) this.starts = grown(this.starts);
    if (number === this.firsts.length) {
      this.firsts = grown(this.firsts);
      this.seconds = grown(this.seconds);
    }
    // Most keys are short, and a loop is cheaper for them than a native copy.
    for (let i = 0; i < length; i++) this.bytes[at + i] = bytes[start + i]!;
    this.starts[number + 1] = at + length;
    this.firsts[number] = first;
    this.seconds[number] = second;
    return number;
  }

  #growBytes(atLeast: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(atLeast, this.bytes.length * 2));
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}

/** Small, for batches of a few records: growing costs less than the garbage that each would leave. */
const FIRST_SLOTS = 1 << 7;

/** Labels of keys, 32 bits each, stored with their numbers. */
export interface Labels {
  /** The label of a key that fits into its codes. */
  ofCodes(first: number, second: number): number;
  ofText(key: string): number;
}

const NO_LABELS: Labels = { ofCodes: () => 0, ofText: () => 0 };

/** Numbers of a slot: both codes, 1 + number of the key (0: free), its label. */
const SLOT = 4;

export class KeyTable {
  readonly pool = new KeyPool();
  /** The label of the key that was looked up last. */
  label = 0;
  readonly #labels: Labels;
  #slots = new Int32Array(FIRST_SLOTS * SLOT);
  #mask = FIRST_SLOTS - 1;
  /** The keys that do not fit into their codes, with the number and the label of each. */
  readonly #others = new ByteTable();
  readonly #otherNumbers = new GrowingNumbers();
  readonly #otherLabels = new GrowingNumbers();
  readonly #codes = new KeyCodes();

  /** `labels` is asked once for each key; every look-up returns the label. */
  constructor(labels: Labels = NO_LABELS) {
    this.#labels = labels;
  }

  number(bytes: Buffer, start: number, end: number): number {
    const codes = this.#codes;
    codes.read(bytes, start, end);
    if (codes.isWhole) return this.numberOfCodes(codes.first, codes.second, bytes, start, end);
    return this.#numberOfOther(bytes, start, end);
  }

  /** Like `number`, for a key whose codes are known and whole. `bytes` may have its letters as capitals. */
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
    const other = this.#others.number(bytes, start, end);
    if (other === this.#otherNumbers.length) {
      this.#otherNumbers.push(this.pool.addCoded(this.#codes.first, this.#codes.second, bytes, start, end));
      this.#otherLabels.push(this.#labels.ofText(bytes.toString('utf8', start, end)));
    }
    this.label = this.#otherLabels.numbers[other]! | 0;
    return this.#otherNumbers.numbers[other]!;
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

/** Its lowest bits choose a slot. */
export function hashOf(first: number, second: number): number {
  const mixed = mixedCodes(first, second);
  return mixed ^ (mixed >>> 13);
}

/** Numbers below this fit beside 32 bits in 53. */
const KEY_POSITIONS = 2 ** 21;

/** Fewer numbers than this are sorted by inserting. */
const MIN_SORTED = 24;

/** Positions of the texts, in the order of the texts; all texts differ. */
export function orderOf(texts: readonly string[]): number[] {
  return [...texts.keys()].sort((a, b) => (texts[a]! < texts[b]! ? -1 : 1));
}

/** The numbers of a pool's keys, all different, in the order of their UTF-16 units. */
export function orderOfKeys(pool: KeyPool): Uint32Array {
  const { firsts, seconds, count } = pool;
  return orderOfCodes(firsts, seconds, count, (order) => {
    const numbers = order.slice();
    const sorted = orderOf(Array.from(numbers, (number) => pool.text(number)));
    for (let i = 0; i < order.length; i++) order[i] = numbers[sorted[i]!]!;
  });
}

/**
 * The numbers 0 to `count` − 1, sorted by both codes (keys.ts). `sortEqual` sorts those that agree in
 * both; absent if none do.
 */
export function orderOfCodes(
  firsts: Uint32Array,
  seconds: Uint32Array,
  count: number,
  sortEqual?: (order: Uint32Array) => void,
): Uint32Array {
  const order = new Uint32Array(count);
  sortByCode(
    order.map((_, i) => i),
    order,
    firsts,
  );
  forEachRun(order, 0, count, firsts, (from, to) => {
    if (to - from < MIN_SORTED) insertByCode(order, from, to, seconds);
    else sortByCode(order.slice(from, to), order.subarray(from, to), seconds);
    if (sortEqual === undefined) return;
    forEachRun(order, from, to, seconds, (start, end) => sortEqual(order.subarray(start, end)));
  });
  return order;
}

/** Sorts numbers into `order` by their code; equal ones by number. */
function sortByCode(numbers: Uint32Array, order: Uint32Array, codes: Uint32Array): void {
  // uncovered: more than two million keys in one segment
  if (codes.length > KEY_POSITIONS && numbers.some((number) => number >= KEY_POSITIONS)) {
    order.set(numbers.sort((a, b) => codes[a]! - codes[b]! || a - b));
    return;
  }
  const keys = new Float64Array(numbers.length);
  for (let i = 0; i < keys.length; i++) keys[i] = codes[numbers[i]!]! * KEY_POSITIONS + numbers[i]!;
  keys.sort();
  for (let i = 0; i < keys.length; i++) order[i] = keys[i]! % KEY_POSITIONS;
}

/** The same in place, for short arrays. */
function insertByCode(order: Uint32Array, from: number, to: number, codes: Uint32Array): void {
  for (let i = from + 1; i < to; i++) {
    const number = order[i]!;
    let j = i;
    for (; j > from && codes[order[j - 1]!]! > codes[number]!; j--) order[j] = order[j - 1]!;
    order[j] = number;
  }
}

/** Every run of two or more numbers between `from` and `to` with the same code. */
function forEachRun(
  order: Uint32Array,
  from: number,
  to: number,
  codes: Uint32Array,
  run: (from: number, to: number) => void,
): void {
  for (let start = from; start < to; ) {
    const code = codes[order[start]!]!;
    let end = start + 1;
    while (end < to && codes[order[end]!] === code) end++;
    if (end - start > 1) run(start, end);
    start = end;
  }
}
