// Posting lists of one kind of key while a segment is built: docs come up, keys in any order.
// No list grows by itself: the numbers of the keys are logged doc by doc and sorted by counting at the end.

import { GrowingNumbers } from './growing-numbers.ts';

/** All lists, one after the other: that of key k is `docs` from `starts[k]` to `starts[k + 1]`. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly starts: Uint32Array;
}

/** Which docs hold which of the keys 0, 1, 2 …. */
export class PostingCollector {
  /** Numbers of keys, doc after doc. */
  readonly #log = new GrowingNumbers(1 << 12);
  /** Where each doc's numbers end. */
  readonly #ends = new GrowingNumbers();
  /** By key, side by side: how many docs, and 1 + the last of them. */
  #keys = new Uint32Array(1 << 11);
  #doc = 0;

  /** The current doc holds this key, perhaps not for the first time. */
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

/** Numbers for pairs of numbers below 2^26: open addressing over typed arrays, no string a pair. */
export class PairNumbering {
  /** Both numbers of each pair as one (`joined`), in the order of their coming. */
  readonly #pairs: number[] = [];
  /** A pair and 1 + its number, side by side; 0: free. */
  #slots = new Float64Array(1 << 13);

  get count(): number {
    return this.#pairs.length;
  }

  /** Every pair, by its number: first × PAIR_BASE + second. */
  get pairs(): readonly number[] {
    return this.#pairs;
  }

  number(first: number, second: number): number {
    const pair = first * PAIR_BASE + second;
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    let slot = hashPair(first, second) & mask;
    for (;;) {
      const found = slots[slot * 2 + 1]!;
      if (found === 0) break;
      if (slots[slot * 2] === pair) return found - 1;
      slot = (slot + 1) & mask;
    }
    this.#pairs.push(pair);
    slots[slot * 2] = pair;
    slots[slot * 2 + 1] = this.count;
    if (this.count * 4 > slots.length) this.#rehash();
    return this.count - 1;
  }

  #rehash(): void {
    this.#slots = new Float64Array(this.#slots.length * 4);
    const mask = this.#slots.length / 2 - 1;
    for (const [number, pair] of this.#pairs.entries()) {
      let slot = hashPair(Math.floor(pair / PAIR_BASE), pair % PAIR_BASE) & mask;
      while (this.#slots[slot * 2 + 1] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot * 2] = pair;
      this.#slots[slot * 2 + 1] = number + 1;
    }
  }
}

export const PAIR_BASE = 2 ** 26;

function hashPair(first: number, second: number): number {
  let mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae3d);
  return mixed ^ (mixed >>> 13);
}
