// Posting lists of one kind of key while a segment is built: docs ascending, keys in any order. Lists do not
// grow one by one: the numbers of the keys are logged doc by doc and sorted by counting at the end.

import { GrowingNumbers } from './growing-numbers.ts';

/** All lists, one after the other: that of key k is `docs` from `starts[k]` to `starts[k + 1]`. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly starts: Uint32Array;
}

/** Which docs have which of the keys 0, 1, 2 …. */
export class PostingCollector {
  /** Numbers of keys, doc after doc. */
  readonly #log = new GrowingNumbers();
  /** Where each doc's numbers end. */
  readonly #ends = new GrowingNumbers();
  /** By key, side by side: how many docs, and 1 + the last of them. */
  #keys: Uint32Array;
  #doc = 0;

  /** `keys`: how many are expected. */
  constructor(keys = 1 << 10) {
    this.#keys = new Uint32Array(Math.max(1, keys) * 2);
  }

  /** Adds this key to the current doc, perhaps not for the first time. */
  add(key: number): void {
    const at = key * 2;
    if (at >= this.#keys.length) this.#grow(key);
    const keys = this.#keys;
    if (keys[at + 1] === this.#doc + 1) return;
    keys[at + 1] = this.#doc + 1;
    keys[at]!++;
    this.#log.push(key);
  }

  endDoc(): void {
    this.#ends.push(this.#log.length);
    this.#doc++;
  }

  /** The lists of keys 0 to `keys` − 1. */
  finish(keys: number): Postings {
    const starts = new Uint32Array(keys + 1);
    for (let key = 0; key < keys; key++) starts[key + 1] = starts[key]! + (this.#keys[key * 2] ?? 0);
    const docs = new Uint32Array(this.#log.length);
    const next = starts.slice(0, keys);
    const log = this.#log.numbers;
    for (let doc = 0, i = 0; doc < this.#ends.length; doc++) {
      for (const end = this.#ends.numbers[doc]!; i < end; i++) docs[next[log[i]!]!++] = doc;
    }
    return { docs, starts };
  }

  #grow(key: number): void {
    const keys = new Uint32Array(Math.max(key * 2 + 2, this.#keys.length * 2));
    keys.set(this.#keys);
    this.#keys = keys;
  }
}

/** The lists of keys 0 to `keys` − 1 if each doc has one at most: its value in `keyOf`, below 0 for none. */
export function grouped(values: Uint32Array, keys: number, keyOf: (value: number) => number): Postings {
  const starts = new Uint32Array(keys + 1);
  let docsWithKey = 0;
  for (const value of values) {
    const key = keyOf(value);
    if (key < 0) continue;
    starts[key + 1]!++;
    docsWithKey++;
  }
  for (let key = 0; key < keys; key++) starts[key + 1]! += starts[key]!;
  const docs = new Uint32Array(docsWithKey);
  const next = starts.slice(0, keys);
  for (let doc = 0; doc < values.length; doc++) {
    const key = keyOf(values[doc]!);
    if (key >= 0) docs[next[key]!++] = doc;
  }
  return { docs, starts };
}

/** Numbers for pairs of numbers: open addressing over typed arrays, without an object for each pair. */
export class PairNumbering {
  /** By pair: its two numbers. */
  readonly #firsts = new GrowingNumbers();
  readonly #seconds = new GrowingNumbers();
  /** First, second and 1 + number of a pair, and an unused one, side by side. */
  #slots = new Uint32Array(FIRST_SLOTS * 4);
  #mask = FIRST_SLOTS - 1;

  get count(): number {
    return this.#firsts.length;
  }

  first(pair: number): number {
    return this.#firsts.numbers[pair]!;
  }

  second(pair: number): number {
    return this.#seconds.numbers[pair]!;
  }

  number(first: number, second: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = hashPair(first, second) & mask;
    for (;;) {
      const at = slot * 4;
      const found = slots[at + 2]!;
      if (found === 0) break;
      if (slots[at] === first && slots[at + 1] === second) return found - 1;
      slot = (slot + 1) & mask;
    }
    this.#firsts.push(first);
    this.#seconds.push(second);
    this.#fill(slot, first, second, this.count);
    if (this.count * 2 > mask) this.#rehash();
    return this.count - 1;
  }

  /** Every pair, sorted by the rank of its first number, then by that of its second: by counting. */
  inOrder(ranks: Uint32Array): Uint32Array {
    const pairs = Uint32Array.from(this.#firsts.numbers.subarray(0, this.count), (_, pair) => pair);
    return orderedBy(orderedBy(pairs, this.#seconds.numbers, ranks), this.#firsts.numbers, ranks);
  }

  #fill(slot: number, first: number, second: number, numberAndOne: number): void {
    this.#slots[slot * 4] = first;
    this.#slots[slot * 4 + 1] = second;
    this.#slots[slot * 4 + 2] = numberAndOne;
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 4);
    this.#mask = this.#slots.length / 4 - 1;
    for (let pair = 0; pair < this.count; pair++) {
      const first = this.first(pair);
      const second = this.second(pair);
      let slot = hashPair(first, second) & this.#mask;
      while (this.#slots[slot * 4 + 2] !== 0) slot = (slot + 1) & this.#mask;
      this.#fill(slot, first, second, pair + 1);
    }
  }
}

const FIRST_SLOTS = 1 << 7;

/** The same pairs by the rank of one of their numbers; equal ones keep their order. */
function orderedBy(pairs: Uint32Array, numbers: Uint32Array, ranks: Uint32Array): Uint32Array {
  const next = new Uint32Array(ranks.length + 1);
  for (let i = 0; i < pairs.length; i++) next[ranks[numbers[pairs[i]!]!]! + 1]!++;
  for (let rank = 0; rank < ranks.length; rank++) next[rank + 1]! += next[rank]!;
  const ordered = new Uint32Array(pairs.length);
  for (let i = 0; i < pairs.length; i++) {
    const pair = pairs[i]!;
    ordered[next[ranks[numbers[pair]!]!]!++] = pair;
  }
  return ordered;
}

function hashPair(first: number, second: number): number {
  let mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae3d);
  return mixed ^ (mixed >>> 13);
}
