// A posting list while a query runs: the docs of one key in one segment, chunk by chunk, read when asked for. Written
// lists (format/posting-codec.ts) are also turned into bits of a whole segment here, 2,048 words a chunk.

import { Buffer } from 'node:buffer';
import { TOKEN_PAYLOAD_BYTES } from '../format/neighbours.ts';
import {
  addPacked,
  dataBytes,
  decodeChunks,
  entryCount,
  isPacked,
  type ListSegment,
  MAX_SEGMENT_DOCS,
  MAX_SPARSE,
  MAX_SPARSE_BYTES,
  MAX_TABLE_BYTES,
  type PostingEntry,
  readSparse,
  tableBytes,
} from '../format/posting-codec.ts';
import type { ByteSource } from '../format/segment-file.ts';
import {
  addTo,
  CHUNK_DOCS,
  CHUNK_WORDS,
  type Chunk,
  chunkSize,
  countOf,
  EMPTY,
  intersect,
  MAX_ARRAY,
  mergeNumbers,
  unite,
  type WordPool,
} from '../sets/chunk.ts';

export interface PostingList {
  /** How many docs; if not exact, an estimate, mostly too high; 0 only if there is none. */
  readonly count: number;
  readonly isExact: boolean;
  /** Roughly how many microseconds it takes to read all of it and to combine it with another. */
  readonly cost: number;
  /** Read at every call; what it needs of the pool is the caller's until released. */
  chunk(chunk: number, pool: WordPool): Chunk;
  /** Exact, without reading the docs; absent if that is not possible. */
  chunkCount?(chunk: number): number;
  /** `readAhead` of a ByteSource, for a list that will be read as a whole; absent: there is nothing to read ahead. */
  readAhead?(): void;
  readonly hasPayloads?: boolean;
  /** Of the docs of a chunk, in their order, `width` bytes each, until the thread reads others; only if it has some. */
  payloads?(chunk: number, width: number): Uint8Array;
}

/** The most payloads of a chunk. */
const payloadRoom = Buffer.allocUnsafeSlow(CHUNK_DOCS * TOKEN_PAYLOAD_BYTES);

/** Chunks of a segment at the most. */
const MAX_CHUNKS = MAX_SEGMENT_DOCS / CHUNK_DOCS;

/**
 * Microseconds for a docId as a number, and for one of a chunk of bits, set or not: measured with two lists of each.
 */
const DOC_COST = 0.0025;
const BIT_COST = 0.0001;

/** For a list of up to MAX_SPARSE docs while it is decoded, and for its docs. */
const sparseBytes = Buffer.allocUnsafeSlow(MAX_SPARSE_BYTES);
const sparseDocs = new Uint32Array(MAX_SPARSE);
const tableWords = new Uint32Array(MAX_TABLE_BYTES >>> 2);

/** The list of a dictionary entry; read into memory of `pool` when it is first asked for more than its count. */
export function openList(
  entry: PostingEntry,
  source: ByteSource,
  segment: ListSegment,
  pool: WordPool,
): PostingList {
  if (entry.kind === 'chunks') return new ChunkedList(entry, source, segment.docs, pool);
  return new SparseList(entry, source, segment, pool);
}

type SparseEntry = PostingEntry & { kind: 'inline' | 'sparse' };

/** A short list, in memory as a whole: as 16-bit docIds inside their chunks. */
class SparseList implements PostingList {
  readonly count: number;
  readonly isExact = true;
  readonly cost: number;
  readonly #entry: SparseEntry;
  readonly #source: ByteSource;
  readonly #segment: ListSegment;
  readonly #pool: WordPool;
  #values: Uint16Array | null = null;
  /** Where each chunk begins in the values, and the end of the last. */
  readonly #starts: number[] = [0];

  constructor(entry: SparseEntry, source: ByteSource, segment: ListSegment, pool: WordPool) {
    this.count = entryCount(entry);
    this.cost = this.count * DOC_COST;
    this.#entry = entry;
    this.#source = source;
    this.#segment = segment;
    this.#pool = pool;
  }

  chunk(chunk: number): Chunk {
    const values = this.#read();
    const from = this.#starts[chunk]!;
    const to = this.#starts[chunk + 1]!;
    return from === to ? EMPTY : { kind: 'array', values: values.subarray(from, to) };
  }

  chunkCount(chunk: number): number {
    this.#read();
    return this.#starts[chunk + 1]! - this.#starts[chunk]!;
  }

  get hasPayloads(): boolean {
    return this.#entry.payloads > 0;
  }

  payloads(chunk: number, width: number): Uint8Array {
    const length = this.chunkCount(chunk) * width;
    this.#source.readInto(payloadRoom, this.#entry.payloads + this.#starts[chunk]! * width, length);
    return payloadRoom;
  }

  readAhead(): void {
    const entry = this.#entry;
    if (entry.kind === 'sparse') this.#source.readAhead?.(entry.offset, entry.length);
  }

  /** Sets the bits of all its docs in words of the whole segment. */
  addAll(words: Uint32Array): void {
    const entry = this.#entry;
    if (entry.kind === 'inline') {
      for (const doc of entry.docs) words[doc >>> 5]! |= 1 << (doc & 31);
    } else {
      this.#source.readInto(sparseBytes, entry.offset, entry.length);
      addSparse(sparseBytes, 0, entry.count, entry.length, this.#segment, words);
    }
  }

  #read(): Uint16Array {
    if (this.#values !== null) return this.#values;
    const docs = this.#docs();
    const values = this.#pool.numbers(this.count);
    const starts = this.#starts;
    let i = 0;
    for (let end = CHUNK_DOCS; end <= MAX_SEGMENT_DOCS; end += CHUNK_DOCS) {
      for (; i < values.length && docs[i]! < end; i++) values[i] = docs[i]!;
      starts.push(i);
    }
    this.#values = values;
    return values;
  }

  /** Until the thread reads another list: the first `count` of them. */
  #docs(): Uint32Array {
    const entry = this.#entry;
    if (entry.kind === 'inline') return entry.docs;
    this.#source.readInto(sparseBytes, entry.offset, entry.length);
    readSparse(sparseBytes, 0, entry.count, entry.length, this.#segment, sparseDocs);
    return sparseDocs;
  }
}

/**
 * A long list: its table is read when it is first needed, the first chunk alone, and everything at once with the second
 * (128 KB at the most): questions look at one chunk, for a page, or at all of them, for a count.
 */
class ChunkedList implements PostingList {
  readonly count: number;
  readonly isExact = true;
  readonly cost: number;
  readonly #source: ByteSource;
  readonly #segmentDocs: number;
  readonly #offset: number;
  readonly #length: number;
  readonly #payloads: number;
  readonly #pool: WordPool;
  /** By chunk: count, and offset of its bytes in the list; empty until the table is read. */
  readonly #counts: number[] = [];
  readonly #offsets: number[] = [];
  #chunksRead = 0;
  /** The list as it is in the file. */
  #whole: Uint32Array | null = null;

  constructor(
    entry: PostingEntry & { kind: 'chunks' },
    source: ByteSource,
    segmentDocs: number,
    pool: WordPool,
  ) {
    this.count = entry.count;
    this.cost = Math.min(this.count * DOC_COST, segmentDocs * BIT_COST);
    this.#source = source;
    this.#segmentDocs = segmentDocs;
    this.#offset = entry.offset;
    this.#length = entry.length;
    this.#payloads = entry.payloads;
    this.#pool = pool;
  }

  chunkCount(chunk: number): number {
    this.#readTable();
    return this.#counts[chunk]!;
  }

  get hasPayloads(): boolean {
    return this.#payloads > 0;
  }

  payloads(chunk: number, width: number): Uint8Array {
    const length = this.chunkCount(chunk) * width;
    let before = 0;
    for (let i = 0; i < chunk; i++) before += this.#counts[i]!;
    this.#source.readInto(payloadRoom, this.#payloads + before * width, length);
    return payloadRoom;
  }

  chunk(chunk: number, pool: WordPool): Chunk {
    const count = this.chunkCount(chunk);
    if (count === 0) return EMPTY;
    const size = chunkSize(chunk, this.#segmentDocs);
    if (count === size) return { kind: 'run', from: 0, to: size };
    const offset = this.#offsets[chunk]!;
    // Only memory that is kept as long as the list may contain all of it.
    if (this.#whole === null && pool === this.#pool && this.#chunksRead++ > 0) this.#readWhole();
    if (count > MAX_ARRAY) {
      if (this.#whole !== null) {
        const words = this.#whole.subarray(offset >>> 2, (offset >>> 2) + CHUNK_WORDS);
        return { kind: 'bits', words, count };
      }
      const words = pool.take();
      this.#source.readInto(words, this.#offset + offset, dataBytes(count, size));
      return { kind: 'bits', words, count };
    }
    if (this.#whole !== null) {
      const { buffer, byteOffset } = this.#whole;
      return { kind: 'array', values: new Uint16Array(buffer, byteOffset + offset, count) };
    }
    const values = pool.numbers(count);
    this.#source.readInto(values, this.#offset + offset, count * 2);
    return { kind: 'array', values };
  }

  readAhead(): void {
    this.#source.readAhead?.(this.#offset, this.#length);
  }

  #readTable(): void {
    if (this.#counts.length > 0) return;
    this.#source.readInto(tableWords, this.#offset, Math.min(tableWords.byteLength, this.#length));
    for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
      this.#counts.push(0);
      this.#offsets.push(0);
    }
    const chunks = tableWords[0]!;
    let at = tableBytes(chunks);
    for (let i = 1; i <= chunks; i++) {
      const chunk = tableWords[i]! >>> 20;
      const count = tableWords[i]! & 0xfffff;
      this.#counts[chunk] = count;
      this.#offsets[chunk] = at;
      at += dataBytes(count, chunkSize(chunk, this.#segmentDocs));
    }
  }

  #readWhole(): void {
    this.#whole = this.#pool.roomForWords(this.#length >>> 2);
    this.#source.readInto(this.#whole, this.#offset, this.#whole.byteLength);
  }
}

/** The docs in any of the lists, in a segment of so many docs. */
export function unionList(
  lists: readonly PostingList[],
  segmentDocs: number,
  pool: WordPool,
): PostingList | null {
  if (lists.length <= 1) return lists[0] ?? null;
  return new UnionList(lists, segmentDocs, pool);
}

/** Short lists that have one doc of so many of a segment, or more, are united as bits; with fewer, as numbers. */
const SPARSE_DOCS = 64;

/** Short lists go straight into bits of the whole segment, without numbers in between, where they have many docs. */
class UnionList implements PostingList {
  readonly count: number;
  readonly isExact = false;
  readonly cost: number;
  readonly #gathered: readonly SparseList[];
  readonly #others: readonly PostingList[];
  readonly #pool: WordPool;
  readonly #chunks: number;
  #words: Uint32Array | null = null;

  constructor(lists: readonly PostingList[], segmentDocs: number, pool: WordPool) {
    this.count = lists.reduce((sum, list) => sum + list.count, 0);
    this.cost = lists.reduce((sum, list) => sum + list.cost, 0);
    const short = lists.filter((list) => list instanceof SparseList);
    const docs = short.reduce((sum, list) => sum + list.count, 0);
    this.#gathered = short.length > 1 && docs * SPARSE_DOCS >= segmentDocs ? short : [];
    this.#others =
      this.#gathered.length === 0 ? lists : lists.filter((list) => !short.includes(list as SparseList));
    this.#pool = pool;
    this.#chunks = Math.ceil(segmentDocs / CHUNK_DOCS);
  }

  chunk(chunk: number, pool: WordPool): Chunk {
    const others = this.#others.map((list) => list.chunk(chunk, pool));
    if (this.#gathered.length === 0) return mergeNumbers(others, pool) ?? unite(others, pool);
    const gathered = this.#gather().subarray(chunk * CHUNK_WORDS, (chunk + 1) * CHUNK_WORDS);
    if (others.length === 0) return chunkOfBits(this.#gather(), chunk, pool);
    const words = pool.take();
    words.set(gathered);
    for (const other of others) addTo(words, other, pool.kernels);
    return { kind: 'bits', words, count: -1 };
  }

  readAhead(): void {
    for (const list of [...this.#gathered, ...this.#others]) list.readAhead?.();
  }

  #gather(): Uint32Array {
    if (this.#words === null) {
      this.#words = this.#pool.roomForWords(this.#chunks * CHUNK_WORDS).fill(0);
      for (const list of this.#gathered) list.addAll(this.#words);
    }
    return this.#words;
  }
}

/**
 * The docs in all of the lists, of which there is at least one. `narrow` may leave docs of the shortest out, before
 * they are looked for in the others.
 */
export function intersectionList(
  lists: readonly PostingList[],
  narrow: (shortest: PostingList) => PostingList,
): PostingList {
  const ordered = [...lists].sort((a, b) => a.count - b.count);
  ordered[0] = narrow(ordered[0]!);
  if (ordered.length === 1) return ordered[0];
  return {
    count: ordered[0]!.count,
    isExact: false,
    cost: lists.reduce((sum, list) => sum + list.cost, 0),
    chunk: (chunk, pool) => {
      let result = ordered[0]!.chunk(chunk, pool);
      for (let i = 1; i < ordered.length && countOf(result) > 0; i++) {
        result = intersect(result, ordered[i]!.chunk(chunk, pool), pool);
      }
      return result;
    },
    readAhead: () => {
      for (const list of lists) list.readAhead?.();
    },
  };
}

/** A chunk with at most this many docs is turned from bits into numbers, which are faster to read. */
const MAX_THINNED = 1_024;

/** A list whose docs are bits of the whole segment (2,048 words a chunk). They are gathered with the first chunk. */
export function bitsList(
  told: Pick<PostingList, 'count' | 'isExact' | 'cost'>,
  gather: () => Uint32Array,
): PostingList {
  let words: Uint32Array | undefined;
  return {
    ...told,
    chunk: (chunk, pool) => {
      words ??= gather();
      return chunkOfBits(words, chunk, pool);
    },
  };
}

function chunkOfBits(segmentWords: Uint32Array, chunk: number, pool: WordPool): Chunk {
  const words = segmentWords.subarray(chunk * CHUNK_WORDS, (chunk + 1) * CHUNK_WORDS);
  const count = pool.kernels.popcount(words, 0, CHUNK_WORDS);
  // uncovered: a chunk of a list has docs
  if (count === 0) return EMPTY;
  const bits: Chunk = { kind: 'bits', words, count };
  if (count > MAX_THINNED) return bits;
  const values = pool.numbers(count);
  pool.kernels.members(words, values);
  return { kind: 'array', values };
}

/** Every docId of an entry, ascending. */
export function entryDocs(
  segment: ListSegment & { readonly source: ByteSource },
  entry: PostingEntry,
): Uint32Array {
  if (entry.kind === 'inline') return entry.docs;
  const bytes = Buffer.allocUnsafeSlow(entry.length);
  segment.source.readInto(bytes, entry.offset, entry.length);
  const docs = new Uint32Array(entry.count);
  if (entry.kind === 'sparse') readSparse(bytes, 0, entry.count, entry.length, segment, docs);
  else decodeChunks(bytes, docs, segment.docs);
  return docs;
}

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
function addDeltas(bytes: Uint8Array, at: number, count: number, words: Uint32Array): number {
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
