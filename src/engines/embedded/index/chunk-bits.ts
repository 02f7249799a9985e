// Written posting lists (posting-codec.ts) turned into bits of a whole segment, 2,048 words a chunk.

import { chunkSize, dataBytes, tableBytes } from '../format/posting-codec.ts';
import { CHUNK_DOCS, CHUNK_WORDS, MAX_ARRAY } from '../sets/chunk.ts';

/** Sets the bits of `count` docIds, written as differences at `at`; returns where they end. */
export function addDeltas(bytes: Uint8Array, at: number, count: number, words: Uint32Array): number {
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

/** Sets the bits of a list that `encodeChunks` wrote for a segment of `docs`, at `at`. */
export function addChunks(bytes: Uint8Array, at: number, words: Uint32Array, docs: number): void {
  // Read byte by byte, because the list may begin at any offset.
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks = view.getUint32(at, true);
  let data = at + tableBytes(chunks);
  for (let i = 1; i <= chunks; i++) {
    const entry = view.getUint32(at + i * 4, true);
    const chunk = entry >>> 20;
    const count = entry & 0xfffff;
    const size = chunkSize(chunk, docs);
    const base = chunk * CHUNK_WORDS;
    if (count === size) {
      for (let doc = 0; doc < size; doc++) words[base + (doc >>> 5)]! |= 1 << (doc & 31);
    } else if (count <= MAX_ARRAY) {
      for (let j = 0; j < count; j++) {
        const doc = view.getUint16(data + j * 2, true);
        words[base + (doc >>> 5)]! |= 1 << (doc & 31);
      }
    } else {
      for (let j = 0; j < CHUNK_DOCS / 32; j++) words[base + j]! |= view.getUint32(data + j * 4, true);
    }
    data += dataBytes(count, size);
  }
}
