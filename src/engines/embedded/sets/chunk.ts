// A set of docIds inside one chunk of 65,536, and operations on several: in both, in one and not the other, in any.
// The containers are Roaring's: sorted 16-bit numbers, bits, runs (Lemire et al., "Consistently faster and smaller
// compressed bitmaps with Roaring", arXiv 1603.06549); here a run is one interval, which is what a date range makes.

import { type Kernels, TYPESCRIPT_KERNELS } from './kernels.ts';
import { SET_WORDS, SLAB_NUMBERS } from './workplace.ts';

/** docIds of a chunk. */
export const CHUNK_DOCS = 65_536;
/** 32-bit words with one bit for each docId of a chunk. */
export const CHUNK_WORDS = SET_WORDS;
/** Longer posting lists are stored as bits. */
export const MAX_ARRAY = 4_096;

/** docIds are counted from the start of the chunk. No set is ever changed in place. */
export type Chunk =
  | { readonly kind: 'array'; readonly values: Uint16Array }
  | {
      readonly kind: 'bits';
      readonly words: Uint32Array;
      /** −1: not counted yet. */ count: number;
    }
  /** `from <= docId < to`. */
  | { readonly kind: 'run'; readonly from: number; readonly to: number };

export const EMPTY: Chunk = { kind: 'run', from: 0, to: 0 };

/**
 * Lends memory and takes all of it back at once, so that a query leaves no garbage. As far as possible it is memory of
 * the kernels.
 */
export class WordPool {
  readonly kernels: Kernels;
  readonly #blocks: Uint32Array[] = [];
  #used = 0;
  readonly #slabs: Uint16Array[] = [];
  /** The current slab, and how many of its numbers are lent. */
  #slab = 0;
  #lent = 0;

  constructor(kernels: Kernels = TYPESCRIPT_KERNELS) {
    this.kernels = kernels;
  }

  /** A block of 2,048 words with arbitrary content. */
  take(): Uint32Array {
    const block = this.#blocks[this.#used];
    if (block !== undefined) {
      this.#used++;
      return block;
    }
    const fresh = this.kernels.lendSet();
    this.#blocks.push(fresh);
    this.#used = this.#blocks.length;
    return fresh;
  }

  /** `length` numbers with arbitrary content. */
  numbers(length: number): Uint16Array {
    if (length > SLAB_NUMBERS) return new Uint16Array(length);
    if (this.#lent + length > SLAB_NUMBERS) {
      this.#slab++;
      this.#lent = 0;
    }
    this.#slabs[this.#slab] ??= this.kernels.lendSlab();
    const from = this.#lent;
    this.#lent = even(from + length);
    return this.#slabs[this.#slab]!.subarray(from, from + length);
  }

  /** Keeps the first `length` of the numbers that were lent last, and frees the others. */
  shorten(numbers: Uint16Array, length: number): Uint16Array {
    if (numbers.length <= SLAB_NUMBERS) {
      // A slab may begin anywhere in its memory.
      const { byteOffset } = this.#slabs[this.#slab]!;
      this.#lent = even((numbers.byteOffset - byteOffset) / 2 + length);
    }
    return numbers.subarray(0, length);
  }

  /** The same for 32-bit words. */
  roomForWords(length: number): Uint32Array {
    const { buffer, byteOffset } = this.numbers(length * 2);
    return new Uint32Array(buffer, byteOffset, length);
  }

  /** Frees everything; gives back blocks beyond `keep` and slabs beyond a 64th of that. */
  releaseAll(keep = 1024): void {
    this.#used = 0;
    this.#slab = 0;
    this.#lent = 0;
    if (this.#blocks.length > keep) this.kernels.giveBackSets(this.#blocks.splice(keep));
    if (this.#slabs.length > keep >>> 6) this.kernels.giveBackSlabs(this.#slabs.splice(keep >>> 6));
  }
}

export function countOf(chunk: Chunk): number {
  switch (chunk.kind) {
    case 'array':
      return chunk.values.length;
    case 'run':
      return chunk.to - chunk.from;
    case 'bits':
      if (chunk.count < 0) chunk.count = popcount(chunk.words, 0, CHUNK_WORDS);
      return chunk.count;
  }
}

export function isEmpty(chunk: Chunk): boolean {
  if (chunk.kind === 'array') return chunk.values.length === 0;
  if (chunk.kind === 'run') return chunk.from >= chunk.to;
  if (chunk.count >= 0) return chunk.count === 0;
  for (let i = 0; i < CHUNK_WORDS; i++) if (chunk.words[i] !== 0) return false;
  return true;
}

/** Set bits of words `from` to `to`. */
export function popcount(words: Uint32Array, from: number, to: number): number {
  return TYPESCRIPT_KERNELS.popcount(words, from, to);
}

/** Number of docIds below `end`. */
export function rank(chunk: Chunk, end: number): number {
  switch (chunk.kind) {
    case 'array':
      return lowerBound(chunk.values, end);
    case 'run':
      return Math.max(0, Math.min(chunk.to, end) - chunk.from);
    case 'bits': {
      const word = end >>> 5;
      const inWord = end & 31;
      const whole = popcount(chunk.words, 0, word);
      return inWord === 0 ? whole : whole + popcount32(chunk.words[word]! & ((1 << inWord) - 1));
    }
  }
}

/** Number of docIds within `from <= docId < to`; costs no more than their count. */
export function countBetween(
  chunk: Chunk,
  from: number,
  to: number,
  kernels: Kernels = TYPESCRIPT_KERNELS,
): number {
  if (from >= to) return 0;
  if (chunk.kind !== 'bits') return rank(chunk, to) - rank(chunk, from);
  const { words } = chunk;
  const first = from >>> 5;
  const last = to >>> 5;
  const below = (1 << (from & 31)) - 1;
  const upTo = (1 << (to & 31)) - 1;
  if (first === last) return popcount32(words[first]! & upTo & ~below);
  const head = popcount32(words[first]! & ~below);
  const tail = upTo === 0 ? 0 : popcount32(words[last]! & upTo);
  return head + kernels.popcount(words, first + 1, last) + tail;
}

/** Writes every member to `into`, ascending; returns their number. */
export function membersOf(chunk: Chunk, into: Uint16Array, kernels: Kernels = TYPESCRIPT_KERNELS): number {
  if (chunk.kind === 'array') {
    into.set(chunk.values);
    return chunk.values.length;
  }
  let count = 0;
  if (chunk.kind === 'run') {
    for (let doc = chunk.from; doc < chunk.to; doc++) into[count++] = doc;
    return count;
  }
  return kernels.members(chunk.words, into);
}

const ALL = Uint16Array.from({ length: CHUNK_DOCS }, (_, doc) => doc);

/** Every member, ascending: numbers that are there, not to be changed, or some that the pool lends. */
export function valuesOf(chunk: Chunk, pool: WordPool): Uint16Array {
  if (chunk.kind === 'array') return chunk.values;
  if (chunk.kind === 'run') return ALL.subarray(chunk.from, chunk.to);
  const values = pool.numbers(countOf(chunk));
  membersOf(chunk, values, pool.kernels);
  return values;
}

/** The least member at or above `from`; −1 if there is none. */
export function nextMember(chunk: Chunk, from: number): number {
  switch (chunk.kind) {
    case 'array': {
      const at = lowerBound(chunk.values, from);
      return at < chunk.values.length ? chunk.values[at]! : -1;
    }
    case 'run': {
      const next = Math.max(from, chunk.from);
      return next < chunk.to ? next : -1;
    }
    case 'bits': {
      if (from >= CHUNK_DOCS) return -1;
      let i = from >>> 5;
      let word = chunk.words[i]! & (-1 << (from & 31));
      while (word === 0) {
        if (++i === CHUNK_WORDS) return -1;
        word = chunk.words[i]!;
      }
      return (i << 5) + 31 - Math.clz32(word & -word);
    }
  }
}

/** The greatest member at or below `from`; −1 if there is none. */
export function previousMember(chunk: Chunk, from: number): number {
  switch (chunk.kind) {
    case 'array': {
      const at = lowerBound(chunk.values, from + 1);
      return at > 0 ? chunk.values[at - 1]! : -1;
    }
    case 'run': {
      const previous = Math.min(from, chunk.to - 1);
      return previous >= chunk.from ? previous : -1;
    }
    case 'bits': {
      if (from < 0) return -1;
      let i = from >>> 5;
      let word = chunk.words[i]! & (-1 >>> (31 - (from & 31)));
      while (word === 0) {
        if (--i < 0) return -1;
        word = chunk.words[i]!;
      }
      return (i << 5) + 31 - Math.clz32(word);
    }
  }
}

/**
 * The first place from `from` on whose number is not below `value`; `to` where there is none. Fast where it is near.
 */
export function firstNotBelow(
  ascending: Uint16Array | Uint32Array,
  value: number,
  from: number,
  to: number = ascending.length,
): number {
  let low = from;
  let ahead = 1;
  while (low + ahead < to && ascending[low + ahead]! < value) {
    low += ahead;
    ahead *= 2;
  }
  let high = Math.min(to, low + ahead);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Position of the first value at or above `value`. */
function lowerBound(values: Uint16Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function has(chunk: Chunk, doc: number): boolean {
  if (chunk.kind === 'bits') return ((chunk.words[doc >>> 5]! >>> (doc & 31)) & 1) === 1;
  if (chunk.kind === 'run') return doc >= chunk.from && doc < chunk.to;
  return chunk.values[lowerBound(chunk.values, doc)] === doc;
}

/** Calls back with every member, ascending. For paths that are not hot: hot loops switch on the kind themselves. */
export function forEach(chunk: Chunk, call: (doc: number) => void): void {
  if (chunk.kind === 'array') {
    const { values } = chunk;
    for (let i = 0; i < values.length; i++) call(values[i]!);
  } else if (chunk.kind === 'run') for (let doc = chunk.from; doc < chunk.to; doc++) call(doc);
  else {
    for (let i = 0; i < CHUNK_WORDS; i++) {
      for (let word = chunk.words[i]!; word !== 0; word &= word - 1) {
        call((i << 5) + 31 - Math.clz32(word & -word));
      }
    }
  }
}

/** Rounds up, so that the next numbers can be read as 32-bit words. */
function even(numbers: number): number {
  return (numbers + 1) & ~1;
}

export function popcount32(value: number): number {
  let word = value - ((value >>> 1) & 0x55555555);
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function intersect(a: Chunk, b: Chunk, pool: WordPool): Chunk {
  if (a.kind === 'run') return clip(b, a.from, a.to, pool);
  if (b.kind === 'run') return clip(a, b.from, b.to, pool);
  if (a.kind === 'array') {
    return b.kind === 'array' ? intersectArrays(a.values, b.values, pool) : keep(a.values, b.words, 1, pool);
  }
  if (b.kind === 'array') return keep(b.values, a.words, 1, pool);
  const words = pool.take();
  return { kind: 'bits', words, count: pool.kernels.intersect(a.words, b.words, words) };
}

export function subtract(a: Chunk, b: Chunk, pool: WordPool): Chunk {
  if (isEmpty(b)) return a;
  if (a.kind === 'array') {
    if (b.kind === 'bits') return keep(a.values, b.words, 0, pool);
    if (b.kind === 'array') return keepListed(a.values, b.values, 0, pool);
    return subtractRun(a.values, b.from, b.to, pool);
  }
  const words = pool.take();
  if (b.kind === 'bits') {
    const from = a.kind === 'bits' ? a.words : filled(a, words);
    return { kind: 'bits', words, count: pool.kernels.subtract(from, b.words, words) };
  }
  filled(a, words);
  if (b.kind === 'array') for (const value of b.values) words[value >>> 5]! &= ~(1 << (value & 31));
  else clearRange(words, b.from, b.to);
  return { kind: 'bits', words, count: -1 };
}

function subtractRun(from: Uint16Array, begin: number, end: number, pool: WordPool): Chunk {
  const [low, high] = [lowerBound(from, begin), lowerBound(from, end)];
  const values = pool.numbers(low + from.length - high);
  values.set(from.subarray(0, low));
  values.set(from.subarray(high), low);
  return { kind: 'array', values };
}

/** Unites any number of chunks; none gives the empty one. */
export function unite(chunks: readonly Chunk[], pool: WordPool): Chunk {
  const some = chunks.filter((chunk) => !isEmpty(chunk));
  if (some.length === 0) return EMPTY;
  if (some.length === 1) return some[0]!;
  const words = pool.take();
  const sets = some.filter((chunk) => chunk.kind === 'bits');
  filled(sets[0] ?? EMPTY, words);
  for (const { words: others } of sets.slice(1)) pool.kernels.unite(words, others, words);
  for (const chunk of some) if (chunk.kind !== 'bits') addTo(words, chunk, pool.kernels);
  return { kind: 'bits', words, count: pool.kernels.popcount(words, 0, CHUNK_WORDS) };
}

export function addTo(words: Uint32Array, chunk: Chunk, kernels: Kernels = TYPESCRIPT_KERNELS): void {
  if (chunk.kind === 'bits') for (let i = 0; i < CHUNK_WORDS; i++) words[i] = words[i]! | chunk.words[i]!;
  else if (chunk.kind === 'array') kernels.add(chunk.values, words);
  else for (let doc = chunk.from; doc < chunk.to; doc++) words[doc >>> 5]! |= 1 << (doc & 31);
}

function clip(chunk: Chunk, from: number, to: number, pool: WordPool): Chunk {
  if (from >= to) return EMPTY;
  if (chunk.kind === 'run') {
    const run: Chunk = { kind: 'run', from: Math.max(chunk.from, from), to: Math.min(chunk.to, to) };
    return run.from < run.to ? run : EMPTY;
  }
  if (chunk.kind === 'array') {
    const { length } = chunk.values;
    if (length === 0 || (chunk.values[0]! >= from && chunk.values[length - 1]! < to)) return chunk;
    const values = chunk.values.subarray(lowerBound(chunk.values, from), lowerBound(chunk.values, to));
    return { kind: 'array', values };
  }
  if (from === 0 && to === CHUNK_DOCS) return chunk;
  const words = pool.take();
  words.set(chunk.words);
  clearRange(words, 0, from);
  clearRange(words, to, CHUNK_DOCS);
  return { kind: 'bits', words, count: -1 };
}

/** Clears the words and sets the bits of the members. */
function filled(chunk: Chunk, words: Uint32Array): Uint32Array {
  if (chunk.kind === 'bits') words.set(chunk.words);
  else {
    words.fill(0);
    // uncovered: numbers have operations of their own: words are filled from bits and runs
    if (chunk.kind === 'array') addTo(words, chunk);
    else {
      words.fill(0xffffffff, chunk.from >>> 5, (chunk.to + 31) >>> 5);
      clearRange(words, chunk.from & ~31, chunk.from);
      clearRange(words, chunk.to, (chunk.to + 31) & ~31);
    }
  }
  return words;
}

function clearRange(words: Uint32Array, from: number, to: number): void {
  if (from >= to) return;
  const first = from >>> 5;
  const last = (to - 1) >>> 5;
  const headMask = -1 << (from & 31);
  const tailMask = -1 >>> (31 - ((to - 1) & 31));
  if (first === last) {
    words[first]! &= ~(headMask & tailMask);
    return;
  }
  words[first]! &= ~headMask;
  words.fill(0, first + 1, last);
  words[last]! &= ~tailMask;
}

/** The values whose bit is `wanted`. */
function keep(from: Uint16Array, words: Uint32Array, wanted: 0 | 1, pool: WordPool): Chunk {
  const values = pool.numbers(from.length);
  const count = pool.kernels.keep(from, words, wanted, values);
  return { kind: 'array', values: pool.shorten(values, count) };
}

/** `wanted` 1: the values of `from` in `listed`; 0: the others. */
function keepListed(from: Uint16Array, listed: Uint16Array, wanted: 0 | 1, pool: WordPool): Chunk {
  const values = pool.numbers(from.length + 7);
  const count = pool.kernels.keepListed(from, listed, wanted, values);
  return { kind: 'array', values: pool.shorten(values, count) };
}

/** From this ratio of the lengths on, each value of the shorter array is searched for in the longer one. */
const SEARCH_RATIO = 48;

/**
 * Sets bits for the shorter one and tests them for the longer one: 5.6 µs for 2,000 and 2,000 values, while
 * walking both side by side takes 19 µs, most of it mispredicted branches.
 */
function intersectArrays(a: Uint16Array, b: Uint16Array, pool: WordPool): Chunk {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length * SEARCH_RATIO >= long.length) return keepListed(long, short, 1, pool);
  const values = pool.numbers(short.length);
  let count = 0;
  for (const value of short) if (long[lowerBound(long, value)] === value) values[count++] = value;
  return { kind: 'array', values: pool.shorten(values, count) };
}

/** Up to this many numbers in all sets together, and up to so many sets, merging is cheaper than bits. */
const MAX_MERGED = 1_024;
const MAX_SETS = 8;

/**
 * Unites few sorted numbers as numbers, since bits would have to be cleared, counted and walked. null: they are too
 * many, or not all of them numbers.
 */
export function mergeNumbers(chunks: readonly Chunk[], pool: WordPool): Chunk | null {
  const some: Uint16Array[] = [];
  let total = 0;
  for (const chunk of chunks) {
    if (chunk.kind === 'run' && chunk.from >= chunk.to) continue;
    if (chunk.kind !== 'array' || some.length === MAX_SETS) return null;
    if (chunk.values.length === 0) continue;
    total += chunk.values.length;
    some.push(chunk.values);
  }
  if (total > MAX_MERGED) return null;
  const [first, ...others] = some.sort((a, b) => a.length - b.length);
  if (first === undefined) return EMPTY;
  return { kind: 'array', values: others.reduce((one, other) => merged(one, other, pool), first) };
}

/** Without branches: which of two comes first cannot be predicted. */
function merged(one: Uint16Array, other: Uint16Array, pool: WordPool): Uint16Array {
  const values = pool.numbers(one.length + other.length);
  let [i, j, count] = [0, 0, 0];
  while (i < one.length && j < other.length) {
    const [a, b] = [one[i]!, other[j]!];
    const isLess = (a - b) >>> 31;
    const isGreater = (b - a) >>> 31;
    values[count++] = b ^ ((a ^ b) & -isLess);
    i += 1 - isGreater;
    j += 1 - isLess;
  }
  while (i < one.length) values[count++] = one[i++]!;
  while (j < other.length) values[count++] = other[j++]!;
  return pool.shorten(values, count);
}

/** Number of docIds in chunk `chunk` of a segment of `docs`. */
export function chunkSize(chunk: number, docs: number): number {
  return Math.min(CHUNK_DOCS, docs - chunk * CHUNK_DOCS);
}
