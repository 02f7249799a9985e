// The ids of a segment: the least and the greatest, and which it may hold.

import { Buffer } from 'node:buffer';

/** The least and the greatest of some ids by `compareIds`. Both are empty without ids. */
export interface IdRange {
  readonly firstId: string;
  readonly lastId: string;
}

/** Finds them from the bytes of the ids. */
export class IdRangeFinder {
  #first: Buffer | null = null;
  #last: Buffer = Buffer.alloc(0);

  /** The id is the ASCII in `bytes` from `start` to `end`. */
  add(bytes: Uint8Array, start: number, end: number): void {
    if (this.#first === null) {
      this.#first = Buffer.from(bytes.subarray(start, end));
      this.#last = Buffer.from(this.#first);
    } else if (compare(bytes, start, end, this.#last) > 0)
      this.#last = replaced(this.#last, bytes, start, end);
    else if (compare(bytes, start, end, this.#first) < 0)
      this.#first = replaced(this.#first, bytes, start, end);
  }

  get(): IdRange {
    return { firstId: this.#first?.toString() ?? '', lastId: this.#last.toString() };
  }
}

function compare(bytes: Uint8Array, start: number, end: number, other: Buffer): number {
  const difference = end - start - other.length;
  for (let i = 0; difference === 0 && i < other.length; i++) {
    if (bytes[start + i] !== other[i]) return bytes[start + i]! - other[i]!;
  }
  return difference;
}

/** Reuses the buffer if the length is the same, as for most ids in a row. */
function replaced(old: Buffer, bytes: Uint8Array, start: number, end: number): Buffer {
  if (old.length !== end - start) return Buffer.from(bytes.subarray(start, end));
  for (let i = start; i < end; i++) old[i - start] = bytes[i]!;
  return old;
}

const BITS_PER_ID = 10;
const PROBES = 7;
const FIRST_SEED = 0x811c9dc5;
const SECOND_SEED = 0x9e3779b9;
const FNV_PRIME = 0x01000193;

/**
 * An empty Bloom filter for this many ids. Most ids of an import are new, and the filter says so without reading the
 * dictionary. Ten bits a record and seven probes let 0.8 % through (Bloom 1970; two hashes make all probes, Kirsch
 * and Mitzenmacher, "Less Hashing, Same Performance", 2006).
 */
export function makeBloom(ids: number): Uint32Array {
  return new Uint32Array(Math.max(1, Math.ceil((ids * BITS_PER_ID) / 32)));
}

/** The id is the ASCII in `bytes` from `start` to `end`. */
export function addToBloom(bloom: Uint32Array, bytes: Uint8Array, start: number, end: number): void {
  const bits = bloom.length * 32;
  let first = FIRST_SEED;
  let second = SECOND_SEED;
  for (let i = start; i < end; i++) {
    first = Math.imul(first ^ bytes[i]!, FNV_PRIME);
    second = Math.imul(second ^ bytes[i]!, FNV_PRIME);
  }
  const step = mixed(second) | 1;
  for (let i = 0, at = mixed(first); i < PROBES; i++, at = (at + step) >>> 0) {
    const bit = at % bits;
    bloom[bit >>> 5]! |= 1 << (bit & 31);
  }
}

interface BloomWords {
  readonly length: number;
  at(word: number): number | undefined;
}

/** False: the id was never added. True: probably. */
export function mayHold(bloom: BloomWords, id: string): boolean {
  const bits = bloom.length * 32;
  const first = hash(id, FIRST_SEED);
  const step = hash(id, SECOND_SEED) | 1;
  for (let i = 0, at = first; i < PROBES; i++, at = (at + step) >>> 0) {
    const bit = at % bits;
    if (((bloom.at(bit >>> 5)! >>> (bit & 31)) & 1) === 0) return false;
  }
  return true;
}

/** FNV-1a from a given start, with MurmurHash3's finaliser. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), FNV_PRIME);
  return mixed(value);
}

function mixed(value: number): number {
  let rest = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  rest = Math.imul(rest ^ (rest >>> 13), 0xc2b2ae35);
  return (rest ^ (rest >>> 16)) >>> 0;
}
