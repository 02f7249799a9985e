// How a posting list is written. Short lists are in the dictionary, longer ones beside it.
//
//   up to 16       in the dictionary: differences of docIds as varints
//   up to 8,192    packed or, where that takes less, differences of docIds as varints, at any offset
//   more           chunk by chunk, at a multiple of 8:
//                    u32 number of chunks, u32 for each: chunk << 20 | count, up to a multiple of 8,
//                    then for each chunk
//                      nothing where it has every docId of the chunk,
//                      u16 docIds inside the chunk, up to a multiple of 8, where count <= 4,096,
//                      2,048 u32 words of bits above
//
// A list with payloads (neighbours.ts) has a 0 before all that, which is no count, and where in the file they begin:
// one for each doc, in the order of the docs.
//
// Packed lists are coded by Elias and Fano (Vigna, "Quasi-Succinct Indices", WSDM 2013): two to three bits for each
// doc, and the logarithm of how many docs of the segment there are for each.
//
//   low    of each docId the lowest bits, as many as `lowBits` says, one after the other, up to a whole byte
//   high   of the docId numbered i (from 0), whose other bits are h: bit i + h is set, up to a whole byte
//
// Bits are numbered from the lowest of the first byte up. How long a list is follows from how many docs it and its
// segment have. At least 17 docs: the high part then has 33 bits, so that words may be read at the end of the low one.

import { Buffer } from 'node:buffer';
import { ByteReader, type ByteWriter } from '../../packing/bytes.ts';
import { CHUNK_DOCS, CHUNK_WORDS, chunkSize, MAX_ARRAY } from '../sets/chunk.ts';

/** In place of the count: where the payloads begin comes next. */
export const PAYLOAD_MARK = 0;

export const MAX_INLINE = 16;
/** Longer lists stand chunk by chunk. */
export const MAX_SPARSE = 8_192;

/** Bytes of a difference of two docIds, which has 20 bits. */
const MAX_DELTA_BYTES = 3;

/** The most bytes of a list of up to MAX_SPARSE docs. */
export const MAX_SPARSE_BYTES = MAX_SPARSE * MAX_DELTA_BYTES;

export interface ListSegment {
  readonly docs: number;
}

/** The most docs of a segment: 16 chunks. */
export const MAX_SEGMENT_DOCS = 1_048_576;

/** Room for the table before a list of any number of chunks. */
export const MAX_TABLE_BYTES = 4 + (MAX_SEGMENT_DOCS / CHUNK_DOCS) * 4 + 4;

/** `docs` ascend; those from `from` to `to` count. */
export function writeDeltas(writer: ByteWriter, docs: Uint32Array, from: number, to: number): void {
  writer.reserve((to - from) * MAX_DELTA_BYTES);
  const { bytes } = writer;
  let at = writer.length;
  let previous = 0;
  for (let i = from; i < to; i++) {
    const doc = docs[i]!;
    let rest = doc - previous;
    previous = doc;
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at++] = rest;
  }
  writer.length = at;
}

export function readDeltas(reader: ByteReader, into: Uint32Array, length: number): void {
  const { bytes } = reader;
  let { at } = reader;
  let doc = 0;
  for (let i = 0; i < length; i++) {
    let byte = bytes[at++]!;
    let delta = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!;
      delta |= (byte & 0x7f) << shift;
    }
    doc += delta;
    into[i] = doc;
  }
  reader.at = at;
}

/** Writes a list of more than MAX_INLINE and up to MAX_SPARSE docs of a segment's `segmentDocs`. */
export function writeSparse(
  writer: ByteWriter,
  docs: Uint32Array,
  from: number,
  to: number,
  segmentDocs: number,
): void {
  const length = packedBytes(to - from, segmentDocs);
  if (length > deltaBytes(docs, from, to)) {
    writeDeltas(writer, docs, from, to);
    return;
  }
  writer.reserve(length);
  pack(writer.bytes, writer.length, docs, from, to, segmentDocs);
  writer.length += length;
}

/** The number of bytes that `writeDeltas` writes. */
function deltaBytes(docs: Uint32Array, from: number, to: number): number {
  let bytes = to - from;
  let previous = 0;
  for (let i = from; i < to; i++) {
    const delta = docs[i]! - previous;
    previous = docs[i]!;
    // Each term is 1 if the difference needs one more byte.
    bytes += ((0x7f - delta) >>> 31) + ((0x3fff - delta) >>> 31);
  }
  return bytes;
}

/**
 * Whether a list of up to MAX_SPARSE docs is packed or written as differences. Its length tells, since differences are
 * written only if they are shorter.
 */
export function isPacked(count: number, length: number, { docs }: ListSegment): boolean {
  return length === packedBytes(count, docs);
}

/** Reads a list of more than MAX_INLINE and up to MAX_SPARSE docs, `length` bytes at `at`. */
export function readSparse(
  bytes: Uint8Array,
  at: number,
  count: number,
  length: number,
  segment: ListSegment,
  into: Uint32Array,
): void {
  if (isPacked(count, length, segment)) unpack(bytes, at, count, segment.docs, into);
  else readDeltas(new ByteReader(bytes, at), into, count);
}

/** Encodes a list of more than MAX_SPARSE docs: those from `start` to `end`. */
export function encodeChunks(docs: Uint32Array, start: number, end: number, segmentDocs: number): Buffer {
  const table: { chunk: number; from: number; to: number }[] = [];
  for (let from = start; from < end; ) {
    const chunk = docs[from]! >>> 16;
    let to = from;
    while (to < end && docs[to]! >>> 16 === chunk) to++;
    table.push({ chunk, from, to });
    from = to;
  }
  const bytes = Buffer.alloc(
    table.reduce(
      (sum, { chunk, from, to }) => sum + dataBytes(to - from, chunkSize(chunk, segmentDocs)),
      tableBytes(table.length),
    ),
  );
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  words[0] = table.length;
  let at = tableBytes(table.length);
  for (const [i, { chunk, from, to }] of table.entries()) {
    const count = to - from;
    words[i + 1] = (chunk << 20) | count;
    const size = dataBytes(count, chunkSize(chunk, segmentDocs));
    if (size === 0) continue;
    if (count <= MAX_ARRAY) {
      const values = new Uint16Array(bytes.buffer, bytes.byteOffset + at, count);
      for (let j = 0; j < count; j++) values[j] = docs[from + j]!;
    } else {
      const bits = words.subarray(at >>> 2, (at >>> 2) + CHUNK_WORDS);
      for (let j = from; j < to; j++) bits[(docs[j]! & 0xffff) >>> 5]! |= 1 << (docs[j]! & 31);
    }
    at += size;
  }
  return bytes;
}

/** Bytes of the table before a list of this many chunks. */
export function tableBytes(chunks: number): number {
  return (4 + chunks * 4 + 7) & ~7;
}

/** Bytes of a chunk with `count` of its `size` docIds. */
export function dataBytes(count: number, size: number): number {
  if (count === size) return 0;
  return count <= MAX_ARRAY ? (count * 2 + 7) & ~7 : CHUNK_WORDS * 4;
}

/** Reads a list written by `encodeChunks` as docIds of the segment; returns their number. */
export function decodeChunks(bytes: Uint8Array, into: Uint32Array, segmentDocs: number): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  const chunks = words[0]!;
  let at = tableBytes(chunks);
  let length = 0;
  for (let i = 1; i <= chunks; i++) {
    const base = (words[i]! >>> 20) * CHUNK_DOCS;
    const count = words[i]! & 0xfffff;
    const size = chunkSize(base / CHUNK_DOCS, segmentDocs);
    if (count === size) for (let doc = 0; doc < size; doc++) into[length++] = base + doc;
    else if (count <= MAX_ARRAY) {
      const values = new Uint16Array(bytes.buffer, bytes.byteOffset + at, count);
      for (const value of values) into[length++] = base + value;
    } else {
      for (let w = 0; w < CHUNK_WORDS; w++) {
        for (let word = words[(at >>> 2) + w]!; word !== 0; word &= word - 1) {
          into[length++] = base + (w << 5) + 31 - Math.clz32(word & -word);
        }
      }
    }
    at += dataBytes(count, size);
  }
  return length;
}

/** A dictionary entry after its key: how many docs, and where they are; where their payloads are, 0 without. */
export type PostingEntry = { readonly payloads: number } & (
  | { readonly kind: 'inline'; readonly docs: Uint32Array }
  | { readonly kind: 'sparse'; readonly count: number; readonly offset: number; readonly length: number }
  | { readonly kind: 'chunks'; readonly count: number; readonly offset: number; readonly length: number }
);

export function readEntry(reader: ByteReader): PostingEntry {
  let count = reader.varint();
  let payloads = 0;
  if (count === PAYLOAD_MARK) {
    payloads = reader.varint();
    count = reader.varint();
  }
  if (count <= MAX_INLINE) {
    const docs = new Uint32Array(count);
    readDeltas(reader, docs, count);
    return { kind: 'inline', docs, payloads };
  }
  const offset = reader.varint();
  const length = reader.varint();
  return { kind: count <= MAX_SPARSE ? 'sparse' : 'chunks', count, offset, length, payloads };
}

export function skipEntry(reader: ByteReader): void {
  reader.at = afterEntry(reader.bytes, reader.at);
}

/** Reads the count of an entry, past the mark of payloads. */
export function readCount(reader: ByteReader): number {
  const count = reader.varint();
  if (count !== PAYLOAD_MARK) return count;
  reader.varint();
  return reader.varint();
}

export function entryCount(entry: PostingEntry): number {
  return entry.kind === 'inline' ? entry.docs.length : entry.count;
}

/** Low bits of each docId in a segment of `docs` docs: at most 15. */
function lowBits(count: number, docs: number): number {
  return 31 - Math.clz32(docs / count);
}

function lowBytes(count: number, docs: number): number {
  return (count * lowBits(count, docs) + 7) >>> 3;
}

/** Bytes of a packed list of `count` docs in a segment of `docs`. */
function packedBytes(count: number, docs: number): number {
  const high = count + ((docs - 1) >>> lowBits(count, docs));
  return lowBytes(count, docs) + ((high + 7) >>> 3);
}

/** Packs the docs from `from` to `to`, ascending, at `at` into `packedBytes` bytes. */
function pack(
  into: Uint8Array,
  at: number,
  docs: Uint32Array,
  from: number,
  to: number,
  segmentDocs: number,
): void {
  const count = to - from;
  const bits = lowBits(count, segmentDocs);
  const mask = (1 << bits) - 1;
  into[at] = 0;
  for (let i = from, lowAt = at * 8; i < to; i++, lowAt += bits) {
    const low = (docs[i]! & mask) << (lowAt & 7);
    const byte = lowAt >>> 3;
    into[byte]! |= low;
    into[byte + 1] = low >>> 8;
    into[byte + 2] = low >>> 16;
  }
  const high = at + lowBytes(count, segmentDocs);
  const end = at + packedBytes(count, segmentDocs);
  for (let byte = high; byte < end; byte++) into[byte] = 0;
  for (let i = 0; i < count; i++) {
    const set = i + (docs[from + i]! >>> bits);
    into[high + (set >>> 3)]! |= 1 << (set & 7);
  }
}

/** Unpacks `count` docs, written at `at`, of a segment of `docs`. */
function unpack(bytes: Uint8Array, at: number, count: number, docs: number, into: Uint32Array): void {
  const view = viewOf(bytes.buffer);
  const start = bytes.byteOffset + at;
  const bits = lowBits(count, docs);
  const mask = (1 << bits) - 1;
  const end = start + packedBytes(count, docs);
  let lowAt = start * 8;
  let i = 0;
  for (let next = start + lowBytes(count, docs), last = 31; next < end; next += 4, last += 32) {
    for (let word = wordAt(view, next, end); word !== 0; word &= word - 1) {
      const low = (view.getInt32(lowAt >>> 3, true) >>> (lowAt & 7)) & mask;
      lowAt += bits;
      into[i] = ((last - Math.clz32(word & -word) - i) << bits) | low;
      i++;
    }
  }
}

/**
 * Sets the bits of a packed list. Repeats the loop of `unpack`, since that is a quarter faster than unpacking first.
 */
export function addPacked(
  bytes: Uint8Array,
  at: number,
  count: number,
  docs: number,
  words: Uint32Array,
): void {
  const view = viewOf(bytes.buffer);
  const start = bytes.byteOffset + at;
  const bits = lowBits(count, docs);
  const mask = (1 << bits) - 1;
  const end = start + packedBytes(count, docs);
  let lowAt = start * 8;
  for (let next = start + lowBytes(count, docs), last = 31; next < end; next += 4, last += 32) {
    for (let word = wordAt(view, next, end); word !== 0; word &= word - 1) {
      const low = (view.getInt32(lowAt >>> 3, true) >>> (lowAt & 7)) & mask;
      lowAt += bits;
      const doc = ((last - Math.clz32(word & -word)) << bits) | low;
      last--;
      words[doc >>> 5] = words[doc >>> 5]! | (1 << (doc & 31));
    }
  }
}

/** A view of the last buffer: lists come from few buffers, and a new view takes as long as reading 30 docs. */
let lastView: DataView = new DataView(new ArrayBuffer(0));

function viewOf(buffer: ArrayBufferLike): DataView {
  if (lastView.buffer !== buffer) lastView = new DataView(buffer);
  return lastView;
}

/** 32 bits from `at` on; bits from `end` on are 0. */
function wordAt(view: DataView, at: number, end: number): number {
  if (at + 4 <= end) return view.getInt32(at, true);
  let word = 0;
  for (let i = at; i < end; i++) word |= view.getUint8(i) << ((i - at) * 8);
  return word;
}

export function afterEntry(bytes: Buffer, start: number): number {
  let at = start;
  let count = bytes[at++]!;
  if (count === PAYLOAD_MARK) {
    while (bytes[at++]! >= 0x80);
    count = bytes[at++]!;
  }
  if (count >= 0x80) while (bytes[at++]! >= 0x80);
  for (let left = count <= MAX_INLINE ? count : 2; left > 0; left--) while (bytes[at++]! >= 0x80);
  return at;
}

/** A varint of several bytes, and where it ends; `first` is the byte before `start`. */
export function restOfVarint(bytes: Buffer, start: number, first: number): [value: number, at: number] {
  let value = first & 0x7f;
  let at = start;
  let byte: number;
  let scale = 128;
  do {
    byte = bytes[at++]!;
    value += (byte & 0x7f) * scale;
    scale *= 128;
  } while (byte >= 0x80);
  return [value, at];
}
