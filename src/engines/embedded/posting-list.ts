// A posting list while a query runs: the docs of one key in one segment, given chunk by chunk, read when asked for.

import { Buffer } from 'node:buffer';
import { ByteReader } from './bytes.ts';
import { CHUNK_DOCS, type Chunk, countOf, EMPTY, MAX_ARRAY, type WordPool } from './chunk.ts';
import { intersect, unite } from './chunk-operations.ts';
import {
  chunkSize,
  dataBytes,
  MAX_TABLE_BYTES,
  type PostingEntry,
  readDeltas,
  tableBytes,
} from './posting-codec.ts';
import type { ByteSource } from './segment-file.ts';

export interface PostingList {
  /** How many docs; for a list made of others an upper bound. */
  readonly count: number;
  /** Read at every call; what it needs of the pool is the caller's until released. */
  chunk(chunk: number, pool: WordPool): Chunk;
  /** Exact, without reading the docs; −1 where that cannot be said. */
  chunkCount(chunk: number): number;
}

/** The list of a dictionary entry. */
export function openList(entry: PostingEntry, source: ByteSource, segmentDocs: number): PostingList {
  if (entry.kind === 'inline') return new SparseList(entry.docs);
  if (entry.kind === 'deltas') {
    const bytes = Buffer.allocUnsafe(entry.length);
    source.readInto(bytes, entry.offset, entry.length);
    const docs = new Uint32Array(entry.count);
    readDeltas(new ByteReader(bytes), docs, entry.count);
    return new SparseList(docs);
  }
  return new ChunkedList(entry, source, segmentDocs);
}

/** A list that is in memory as a whole. */
class SparseList implements PostingList {
  readonly #docs: Uint32Array;

  constructor(docs: Uint32Array) {
    this.#docs = docs;
  }

  get count(): number {
    return this.#docs.length;
  }

  chunk(chunk: number): Chunk {
    const from = this.#position(chunk * CHUNK_DOCS);
    const to = this.#position((chunk + 1) * CHUNK_DOCS);
    if (from === to) return EMPTY;
    const values = new Uint16Array(to - from);
    for (let i = from; i < to; i++) values[i - from] = this.#docs[i]!;
    return { kind: 'array', values };
  }

  chunkCount(chunk: number): number {
    return this.#position((chunk + 1) * CHUNK_DOCS) - this.#position(chunk * CHUNK_DOCS);
  }

  #position(doc: number): number {
    let low = 0;
    let high = this.#docs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#docs[middle]! < doc) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A long list: its table is read when it is opened, each chunk when it is asked for. */
class ChunkedList implements PostingList {
  readonly count: number;
  readonly #source: ByteSource;
  readonly #segmentDocs: number;
  /** By chunk: count, and offset of its bytes. */
  readonly #counts = new Uint32Array(16);
  readonly #offsets = new Float64Array(16);

  constructor(
    entry: { readonly count: number; readonly offset: number; readonly length: number },
    source: ByteSource,
    segmentDocs: number,
  ) {
    this.count = entry.count;
    this.#source = source;
    this.#segmentDocs = segmentDocs;
    const table = new Uint32Array(MAX_TABLE_BYTES >>> 2);
    source.readInto(table, entry.offset, Math.min(table.byteLength, entry.length));
    let at = entry.offset + tableBytes(table[0]!);
    for (let i = 1; i <= table[0]!; i++) {
      const chunk = table[i]! >>> 20;
      this.#counts[chunk] = table[i]! & 0xfffff;
      this.#offsets[chunk] = at;
      at += dataBytes(this.#counts[chunk]!, chunkSize(chunk, segmentDocs));
    }
  }

  chunkCount(chunk: number): number {
    return this.#counts[chunk]!;
  }

  chunk(chunk: number, pool: WordPool): Chunk {
    const count = this.#counts[chunk]!;
    if (count === 0) return EMPTY;
    const size = chunkSize(chunk, this.#segmentDocs);
    if (count === size) return { kind: 'run', from: 0, to: size };
    const words = pool.take();
    this.#source.readInto(words, this.#offsets[chunk]!, dataBytes(count, size));
    if (count > MAX_ARRAY) return { kind: 'bits', words, count };
    return { kind: 'array', values: new Uint16Array(words.buffer, words.byteOffset, count) };
  }
}

/** The docs in any of the lists. */
export function unionList(lists: readonly PostingList[]): PostingList | null {
  if (lists.length <= 1) return lists[0] ?? null;
  return {
    count: lists.reduce((sum, list) => sum + list.count, 0),
    chunk: (chunk, pool) =>
      unite(
        lists.map((list) => list.chunk(chunk, pool)),
        pool,
      ),
    chunkCount: () => -1,
  };
}

/** The docs in all of the lists, of which there is at least one. */
export function intersectionList(lists: readonly PostingList[]): PostingList {
  const ordered = [...lists].sort((a, b) => a.count - b.count);
  if (ordered.length === 1) return ordered[0]!;
  return {
    count: ordered[0]!.count,
    chunk: (chunk, pool) => {
      let result = ordered[0]!.chunk(chunk, pool);
      for (let i = 1; i < ordered.length && countOf(result) > 0; i++) {
        result = intersect(result, ordered[i]!.chunk(chunk, pool), pool);
      }
      return result;
    },
    chunkCount: () => -1,
  };
}

/** Docs given as bits of the whole segment (2,048 words a chunk). */
export function bitsList(words: Uint32Array, count: number): PostingList {
  const chunkWords = CHUNK_DOCS / 32;
  return {
    count,
    chunk: (chunk) => ({
      kind: 'bits',
      words: words.subarray(chunk * chunkWords, (chunk + 1) * chunkWords),
      count: -1,
    }),
    chunkCount: () => -1,
  };
}
