// Sets of docIds of one chunk brought together: in both, in one and not the other, in any.

import { CHUNK_DOCS, CHUNK_WORDS, type Chunk, EMPTY, isEmpty, lowerBound, type WordPool } from './chunk.ts';

export function intersect(a: Chunk, b: Chunk, pool: WordPool): Chunk {
  if (a.kind === 'run') return clip(b, a.from, a.to, pool);
  if (b.kind === 'run') return clip(a, b.from, b.to, pool);
  if (a.kind === 'array')
    return b.kind === 'array' ? intersectArrays(a.values, b.values) : keep(a.values, b.words, 1);
  if (b.kind === 'array') return keep(b.values, a.words, 1);
  const words = pool.take();
  for (let i = 0; i < CHUNK_WORDS; i++) words[i] = a.words[i]! & b.words[i]!;
  return { kind: 'bits', words, count: -1 };
}

/** The members of `a` that are not in `b`. */
export function subtract(a: Chunk, b: Chunk, pool: WordPool): Chunk {
  if (isEmpty(b)) return a;
  if (a.kind === 'array') {
    if (b.kind === 'bits') return keep(a.values, b.words, 0);
    const other = b.kind === 'array' ? b.values : null;
    const values = new Uint16Array(a.values.length);
    let count = 0;
    let at = 0;
    for (const value of a.values) {
      let isInB: boolean;
      if (other === null) isInB = b.kind === 'run' && value >= b.from && value < b.to;
      else {
        while (at < other.length && other[at]! < value) at++;
        isInB = other[at] === value;
      }
      if (!isInB) values[count++] = value;
    }
    return { kind: 'array', values: values.subarray(0, count) };
  }
  const words = pool.take();
  fillWords(a, words);
  if (b.kind === 'bits') for (let i = 0; i < CHUNK_WORDS; i++) words[i] = words[i]! & ~b.words[i]!;
  else if (b.kind === 'array') for (const value of b.values) words[value >>> 5]! &= ~(1 << (value & 31));
  else clearRange(words, b.from, b.to);
  return { kind: 'bits', words, count: -1 };
}

/** Any number of chunks; no chunk makes the empty one. */
export function unite(chunks: readonly Chunk[], pool: WordPool): Chunk {
  const some = chunks.filter((chunk) => !isEmpty(chunk));
  if (some.length === 0) return EMPTY;
  if (some.length === 1) return some[0]!;
  const words = pool.take().fill(0);
  for (const chunk of some) addTo(words, chunk);
  return { kind: 'bits', words, count: -1 };
}

/** Sets the bits of all members. */
export function addTo(words: Uint32Array, chunk: Chunk): void {
  if (chunk.kind === 'bits') for (let i = 0; i < CHUNK_WORDS; i++) words[i] = words[i]! | chunk.words[i]!;
  else if (chunk.kind === 'array') for (const value of chunk.values) words[value >>> 5]! |= 1 << (value & 31);
  else for (let doc = chunk.from; doc < chunk.to; doc++) words[doc >>> 5]! |= 1 << (doc & 31);
}

/** The members between `from` and `to`. */
function clip(chunk: Chunk, from: number, to: number, pool: WordPool): Chunk {
  if (from >= to) return EMPTY;
  if (chunk.kind === 'run') {
    const run: Chunk = { kind: 'run', from: Math.max(chunk.from, from), to: Math.min(chunk.to, to) };
    return run.from < run.to ? run : EMPTY;
  }
  if (chunk.kind === 'array') {
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

function fillWords(chunk: Chunk, words: Uint32Array): void {
  if (chunk.kind === 'bits') words.set(chunk.words);
  else {
    words.fill(0);
    if (chunk.kind === 'array') addTo(words, chunk);
    else {
      words.fill(0xffffffff, chunk.from >>> 5, (chunk.to + 31) >>> 5);
      clearRange(words, chunk.from & ~31, chunk.from);
      clearRange(words, chunk.to, (chunk.to + 31) & ~31);
    }
  }
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

/** Values whose bit is `wanted`. */
function keep(from: Uint16Array, words: Uint32Array, wanted: 0 | 1): Chunk {
  const values = new Uint16Array(from.length);
  let count = 0;
  for (let i = 0; i < from.length; i++) {
    const value = from[i]!;
    // Written always, counted where wanted: no branch to mispredict.
    values[count] = value;
    count += ((words[value >>> 5]! >>> (value & 31)) & 1) === wanted ? 1 : 0;
  }
  return { kind: 'array', values: values.subarray(0, count) };
}

/** Merges; gallops (binary search from the last hit) where one side is much longer. */
function intersectArrays(a: Uint16Array, b: Uint16Array): Chunk {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const values = new Uint16Array(short.length);
  let count = 0;
  if (short.length * 16 < long.length) {
    for (const value of short) if (long[lowerBound(long, value)] === value) values[count++] = value;
  } else {
    let i = 0;
    let j = 0;
    while (i < short.length && j < long.length) {
      const x = short[i]!;
      const y = long[j]!;
      if (x === y) values[count++] = x;
      if (x <= y) i++;
      if (y <= x) j++;
    }
  }
  return { kind: 'array', values: values.subarray(0, count) };
}
