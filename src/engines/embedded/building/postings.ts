// Posting lists while a segment is built: docs ascending, keys in any order. Lists do not grow one by one: the numbers
// of the keys are logged doc by doc and sorted by counting at the end. No number needs an object.

import { grown } from '../../packing/bytes.ts';
import { SEVERAL_PAYLOAD } from '../format/neighbours.ts';

export class GrowingNumbers {
  numbers: Uint32Array;
  length = 0;

  constructor(capacity = 128) {
    this.numbers = new Uint32Array(capacity);
  }

  push(number: number): void {
    if (this.length === this.numbers.length) this.numbers = grown(this.numbers);
    this.numbers[this.length++] = number;
  }
}

/** Numbers in a chunk of entries of four. */
const CHUNK = 768;
const NO_CHUNK = new Uint32Array(0);

/** Chunks for reuse by the thread's next logs, at most 12 MB: fresh memory would have to be zeroed for every batch. */
const free: Uint32Array[] = [];
const MAX_FREE = 4_096;

/** The numbers that were taken last. */
let taken = new Uint32Array(0);

/**
 * Writes numbers to many small logs instead of one, so that looking them up afterwards, log by log, stays within the
 * processor's cache (radix partitioning, as in Manegold et al., "Optimizing Main-Memory Join on Modern Hardware",
 * 2002). Entries are of four numbers, 32 bits each.
 */
export class PartitionedLog {
  /** By partition: the chunk that is being filled, its length, and the full chunks before it. */
  readonly #chunks: Uint32Array[];
  readonly #lengths: Uint32Array;
  readonly #full: (Uint32Array[] | undefined)[];

  constructor(partitions: number) {
    this.#chunks = new Array<Uint32Array>(partitions).fill(NO_CHUNK);
    this.#lengths = new Uint32Array(partitions);
    this.#full = new Array<Uint32Array[] | undefined>(partitions).fill(undefined);
  }

  push(partition: number, first: number, second: number, third: number, fourth: number): void {
    let chunk = this.#chunks[partition]!;
    let at = this.#lengths[partition]!;
    if (at === chunk.length) {
      chunk = this.#nextChunk(partition);
      at = 0;
    }
    chunk[at] = first;
    chunk[at + 1] = second;
    chunk[at + 2] = third;
    chunk[at + 3] = fourth;
    this.#lengths[partition] = at + 4;
  }

  /** Takes all entries of a partition, in their order. Valid until the thread takes again; may be overwritten. */
  take(partition: number): Uint32Array {
    const full = this.#full[partition] ?? [];
    const last = this.#chunks[partition]!;
    const length = full.length * CHUNK + this.#lengths[partition]!;
    if (taken.length < length) taken = new Uint32Array(length * 2);
    for (const [i, chunk] of full.entries()) taken.set(chunk, i * CHUNK);
    taken.set(last.subarray(0, this.#lengths[partition]), full.length * CHUNK);
    for (const chunk of [...full, last]) if (chunk !== NO_CHUNK && free.length < MAX_FREE) free.push(chunk);
    this.#chunks[partition] = NO_CHUNK;
    this.#lengths[partition] = 0;
    this.#full[partition] = undefined;
    return taken.subarray(0, length);
  }

  #nextChunk(partition: number): Uint32Array {
    const chunk = this.#chunks[partition]!;
    if (chunk !== NO_CHUNK) {
      const full = this.#full[partition];
      if (full === undefined) this.#full[partition] = [chunk];
      else full.push(chunk);
    }
    const next = free.pop() ?? new Uint32Array(CHUNK);
    this.#chunks[partition] = next;
    return next;
  }
}

/** All lists, one after the other: that of key k is `docs` from `starts[k]` to `starts[k + 1]`. */
export interface Postings {
  readonly docs: Uint32Array;
  readonly starts: Uint32Array;
  /** By doc of the lists; empty: none has payloads. A list begins with 0 where it has none. */
  readonly payloads: Uint32Array;
}

const NO_PAYLOADS = new Uint32Array(0);

export class PostingCollector {
  /** Numbers of keys, doc after doc; those with payloads as often as the doc has them. */
  readonly #log = new GrowingNumbers();
  /** By number in the log; null: none is told. */
  readonly #payloads: GrowingNumbers | null;
  readonly #ends = new GrowingNumbers();
  /** Two values for each key: its number of docs, and 1 + its last doc. */
  #keys: Uint32Array;
  #doc = 0;

  /** `keys`: how many are expected. */
  constructor(keys = 1 << 10, hasPayloads = false) {
    this.#payloads = hasPayloads ? new GrowingNumbers() : null;
    this.#keys = new Uint32Array(Math.max(1, keys) * 2);
  }

  add(key: number, payload = 0): void {
    const at = key * 2;
    if (at >= this.#keys.length) this.#keys = grown(this.#keys, at + 2);
    const keys = this.#keys;
    const isAgain = keys[at + 1] === this.#doc + 1;
    if (isAgain && payload === 0) return;
    if (!isAgain) keys[at]!++;
    keys[at + 1] = this.#doc + 1;
    this.#log.push(key);
    this.#payloads?.push(payload);
  }

  endDoc(): void {
    this.#ends.push(this.#log.length);
    this.#doc++;
  }

  finish(keys: number): Postings {
    const starts = new Uint32Array(keys + 1);
    for (let key = 0; key < keys; key++) starts[key + 1] = starts[key]! + (this.#keys[key * 2] ?? 0);
    const docs = new Uint32Array(starts[keys]!);
    const payloads = this.#payloads === null ? NO_PAYLOADS : new Uint32Array(docs.length);
    const next = starts.slice(0, keys);
    const log = this.#log.numbers;
    for (let doc = 0, i = 0; doc < this.#ends.length; doc++) {
      for (const end = this.#ends.numbers[doc]!; i < end; i++) {
        const key = log[i]!;
        const at = next[key]!;
        if (at > starts[key]! && docs[at - 1] === doc) payloads[at - 1] = SEVERAL_PAYLOAD;
        else {
          docs[at] = doc;
          if (this.#payloads !== null) payloads[at] = this.#payloads.numbers[i]!;
          next[key] = at + 1;
        }
      }
    }
    return { docs, starts, payloads };
  }
}

/** The lists of keys 0 to `keys` − 1 if each doc has at most one: `keyOf` its value, below 0 for none. */
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
  return { docs, starts, payloads: NO_PAYLOADS };
}

/** Sorts pairs of numbers by the rank of their first number, then of their second, by counting. */
export function pairsInOrder(
  {
    count,
    firsts,
    seconds,
  }: { readonly count: number; readonly firsts: Uint32Array; readonly seconds: Uint32Array },
  ranks: Uint32Array,
): Uint32Array {
  const pairs = new Uint32Array(count).map((_, pair) => pair);
  return orderedBy(orderedBy(pairs, seconds, ranks), firsts, ranks);
}

/** Sorts pairs by the rank of one of their numbers; equal ones keep their order. */
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
