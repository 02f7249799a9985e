// Written posting lists (posting-codec.ts) turned into bits of a whole segment, 2,048 words a chunk.

import { addPacked } from '../format/packed-list.ts';
import { chunkSize, dataBytes, isPacked, type ListSegment, tableBytes } from '../format/posting-codec.ts';
import { CHUNK_WORDS, MAX_ARRAY } from '../sets/chunk.ts';

/** Sets the bits of a few docIds, written as differences at `at`; returns where they end. */
export function addFew(bytes: Uint8Array, at: number, count: number, words: Uint32Array): number {
  let next = at;
  let doc = 0;
  for (let i = 0; i < count; i++) {
    let delta = bytes[next++]!;
    if (delta >= 0x80) {
      const second = bytes[next++]!;
      delta = (delta & 0x7f) | ((second & 0x7f) << 7);
      if (second >= 0x80) delta |= bytes[next++]! << 14;
    }
    doc += delta;
    words[doc >>> 5] = words[doc >>> 5]! | (1 << (doc & 31));
  }
  return next;
}

/** The same of a list of up to MAX_SPARSE docs that stands apart, which has `length` bytes. */
export function addSparse(
  bytes: Uint8Array,
  at: number,
  count: number,
  length: number,
  segment: ListSegment,
  words: Uint32Array,
): void {
  if (isPacked(count, length, segment)) addPacked(bytes, at, count, segment.docs, words);
  else addDeltas(bytes, at, count, words);
}

/** As `addFew`, of many. Whether a difference has one byte or two is anybody's guess, so no branch depends on it. */
export function addDeltas(bytes: Uint8Array, at: number, count: number, words: Uint32Array): number {
  let next = at;
  let doc = 0;
  // The last one may end with the bytes.
  for (let i = 1; i < count; i++) {
    const first = bytes[next]!;
    const second = bytes[next + 1]!;
    const hasSecond = first >>> 7;
    let delta = (first & 0x7f) | (((second & 0x7f) << 7) & -hasSecond);
    next += 1 + hasSecond;
    if (first & second & 0x80) delta |= bytes[next++]! << 14;
    doc += delta;
    words[doc >>> 5] = words[doc >>> 5]! | (1 << (doc & 31));
  }
  return addLast(bytes, next, doc, words);
}

function addLast(bytes: Uint8Array, at: number, previous: number, words: Uint32Array): number {
  let next = at;
  let doc = previous;
  let byte = bytes[next++]!;
  for (let shift = 0; ; shift += 7) {
    doc += (byte & 0x7f) << shift;
    if (byte < 0x80) break;
    byte = bytes[next++]!;
  }
  words[doc >>> 5] = words[doc >>> 5]! | (1 << (doc & 31));
  return next;
}

/**
 * Sets the bits of a list that `encodeChunks` wrote for a segment of `docs`; `bytes` begin with it, at a multiple of 4
 * of memory.
 */
export function addChunks(bytes: Uint8Array, words: Uint32Array, docs: number): void {
  const { buffer, byteOffset } = bytes;
  const list = new Uint32Array(buffer, byteOffset, bytes.length >>> 2);
  const chunks = list[0]!;
  let data = tableBytes(chunks);
  for (let i = 1; i <= chunks; i++) {
    const chunk = list[i]! >>> 20;
    const count = list[i]! & 0xfffff;
    const size = chunkSize(chunk, docs);
    const base = chunk * CHUNK_WORDS;
    if (count === size) {
      for (let doc = 0; doc < size; doc++) words[base + (doc >>> 5)]! |= 1 << (doc & 31);
    } else if (count <= MAX_ARRAY) {
      const values = new Uint16Array(buffer, byteOffset + data, count);
      for (let j = 0; j < count; j++) words[base + (values[j]! >>> 5)]! |= 1 << (values[j]! & 31);
    } else {
      const from = data >>> 2;
      for (let j = 0; j < CHUNK_WORDS; j++) words[base + j] = words[base + j]! | list[from + j]!;
    }
    data += dataBytes(count, size);
  }
}
