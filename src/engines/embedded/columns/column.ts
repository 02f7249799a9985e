// A column as queries see it: a number for each docId, in chunks of 65,536. It is in memory, or read from the bytes of
// its segment (format/column-codec.ts).

import {
  type ColumnChunk,
  type ColumnIndex,
  type ColumnNumbers,
  decodeChunk,
  indexBytes,
  readColumnIndex,
} from '../format/column-codec.ts';
import type { ByteSource, Section } from '../format/segment-file.ts';
import { CHUNK_DOCS, CHUNK_WORDS, type Chunk, countOf } from '../sets/chunk.ts';

/** Reads numbers that are not in memory, and adds chunks to those in memory. */
export interface ColdNumbers<T> {
  chunk(chunk: number): T;
  /** One number of a chunk that is not in memory; the chunk may stay there. */
  at(doc: number): number;
  /** The first number of a chunk that is not in memory, in a column that never goes down. */
  firstOf(chunk: number): number;
}

/** `T`: the type of its chunks. */
export class Column<T extends ColumnNumbers> {
  readonly length: number;
  readonly #chunks: (T | undefined)[];
  readonly #cold: ColdNumbers<T> | null;

  /** `chunks`: those in memory. `cold` adds to them and removes some; null: all are there and stay. */
  constructor(length: number, chunks: (T | undefined)[], cold: ColdNumbers<T> | null) {
    this.length = length;
    this.#chunks = chunks;
    this.#cold = cold;
  }

  static of<T extends ColumnNumbers>(numbers: T): Column<T> {
    const chunks = Array.from({ length: Math.ceil(numbers.length / CHUNK_DOCS) }, (_, chunk) => {
      return numbers.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS) as T;
    });
    return new Column(numbers.length, chunks, null);
  }

  /** For many docs of one chunk, `chunk` is faster. */
  at(doc: number): number {
    const chunk = this.#chunks[doc >>> 16];
    return chunk === undefined ? this.#cold!.at(doc) : chunk[doc & 0xffff]!;
  }

  /**
   * The numbers of a chunk. Valid until the thread reads other chunks, so not across calls that read records or match
   * docs.
   */
  chunk(chunk: number): T {
    return this.#chunks[chunk] ?? this.#cold!.chunk(chunk);
  }

  /** Like `chunk`; undefined: it would have to be read. */
  atHand(chunk: number): T | undefined {
    return this.#chunks[chunk];
  }

  /** The number of the first doc of a chunk, in a column that never goes down. */
  firstOf(chunk: number): number {
    const numbers = this.#chunks[chunk];
    return numbers === undefined ? this.#cold!.firstOf(chunk) : numbers[0]!;
  }
}

/** The bytes that were read last; reads are synchronous. */
let bytes = new Uint8Array(1 << 12);
const four = new Uint8Array(4);
/** A chunk, before it is narrowed. */
const wide = new Uint32Array(CHUNK_DOCS);

export class ColumnChunks {
  readonly index: ColumnIndex;
  readonly #source: ByteSource;
  readonly #offset: number;

  constructor(source: ByteSource, { offset }: Section, index: ColumnIndex) {
    this.#source = source;
    this.#offset = offset;
    this.index = index;
  }

  /** A column of `count` numbers, written by format/column-codec.ts. */
  static coded(source: ByteSource, section: Section, count: number): ColumnChunks {
    const index = new Uint8Array(indexBytes(count));
    source.readInto(index, section.offset, index.length);
    return new ColumnChunks(source, section, readColumnIndex(index));
  }

  /** The column `bloom`, whose numbers are written as they are in memory. */
  static raw(source: ByteSource, section: Section, count: number): ColumnChunks {
    const width = 4;
    const chunks = Array.from({ length: Math.ceil(count / CHUNK_DOCS) }, (_, i): ColumnChunk => {
      const held = Math.min(CHUNK_DOCS, count - i * CHUNK_DOCS);
      const plain = { isAscending: false, width, base: 0, exceptions: 0 } as const;
      return { ...plain, count: held, offset: i * CHUNK_DOCS * width, length: held * width };
    });
    return new ColumnChunks(source, section, { count, isSigned: false, isNarrow: false, chunks });
  }

  /** Fills `into`, which is large enough, with the numbers of a chunk, modulo 2^32. */
  read(number: number, into: Uint32Array): void {
    const chunk = this.index.chunks[number]!;
    if (isPlain(chunk) && chunk.width === 4 && chunk.base === 0) {
      // Plain numbers of 32 bits need no decoding, so they are read straight into place.
      this.readData(chunk, into);
      return;
    }
    if (bytes.length < chunk.length) bytes = new Uint8Array(chunk.length * 2);
    this.readData(chunk, bytes);
    decodeChunk(bytes, chunk, into);
  }

  /** The same into narrower numbers. */
  readNarrow(number: number, into: ColumnNumbers): void {
    this.read(number, wide);
    // Modulo the range of the array, outside of JavaScript; faster than a loop over arrays of many types.
    into.set(wide.subarray(0, into.length));
  }

  /** All numbers, in memory that threads share; with 32 bits each where `isWide`, or where not all fit into 16. */
  whole(isWide: boolean): ColumnNumbers {
    const index = { ...this.index, isNarrow: this.index.isNarrow && !isWide };
    const memory = new SharedArrayBuffer(index.count * (index.isNarrow ? 2 : 4));
    const all = numbersAt(index, memory, 0, index.count);
    for (let chunk = 0; chunk < index.chunks.length; chunk++) {
      this.readNarrow(chunk, all.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS));
    }
    return all;
  }

  /** The data of a chunk as they are written, without what stands behind the numbers where `into` has no room. */
  readData({ offset, length }: ColumnChunk, into: Uint8Array | Uint16Array | Uint32Array): void {
    this.#source.readInto(into as Uint8Array, this.#offset + offset, Math.min(length, into.byteLength));
  }

  /** One number of a plain chunk, modulo 2^32. */
  one({ offset, width, base }: ColumnChunk, place: number): number {
    this.#source.readInto(four, this.#offset + offset + place * width, width);
    let number = four[0]!;
    if (width > 1) number |= four[1]! << 8;
    if (width > 2) number |= (four[2]! << 16) | (four[3]! << 24);
    return (number + base) >>> 0;
  }
}

/** Numbers of the column in this memory. */
export function numbersAt(
  { isNarrow, isSigned }: ColumnIndex,
  memory: ArrayBufferLike,
  start: number,
  count: number,
): ColumnNumbers {
  if (isNarrow)
    return isSigned ? new Int16Array(memory, start, count) : new Uint16Array(memory, start, count);
  return isSigned ? new Int32Array(memory, start, count) : new Uint32Array(memory, start, count);
}

/** Whether each number can be read without the others. */
export function isPlain({ isAscending, exceptions }: ColumnChunk): boolean {
  return !isAscending && exceptions === 0;
}

/** One bit for each doc. The first thread that needs a chunk makes its bits; all threads share them. */
export interface SharedBits {
  /** CHUNK_WORDS words for each chunk. */
  readonly words: Uint32Array<SharedArrayBuffer>;
  /** By chunk; 0: its bits have not been made. */
  readonly made: Int32Array<SharedArrayBuffer>;
}

export function sharedBits(docs: number): SharedBits {
  const chunks = Math.ceil(docs / CHUNK_DOCS);
  return {
    words: new Uint32Array(new SharedArrayBuffer(chunks * CHUNK_WORDS * 4)),
    made: new Int32Array(new SharedArrayBuffer(chunks * 4)),
  };
}

/** Which docs of a segment have a domain, one bit each (most comments have none), as a thread sees them. */
export class DomainDocs {
  readonly #shared: SharedBits;
  readonly #column: Column<Uint16Array | Uint32Array>;
  readonly #chunks: Chunk[] = [];
  #count = -1;

  constructor(shared: SharedBits, column: Column<Uint16Array | Uint32Array>) {
    this.#shared = shared;
    this.#column = column;
  }

  chunk(chunk: number): Chunk {
    let docs = this.#chunks[chunk];
    if (docs === undefined) {
      const { words: all, made } = this.#shared;
      const words = all.subarray(chunk * CHUNK_WORDS, (chunk + 1) * CHUNK_WORDS);
      if (Atomics.load(made, chunk) === 0) {
        setNonzero(this.#column.chunk(chunk), words);
        Atomics.store(made, chunk, 1);
      }
      docs = { kind: 'bits', words, count: -1 };
      this.#chunks[chunk] = docs;
    }
    return docs;
  }

  /** How many docs have a domain, live or dead. */
  get count(): number {
    if (this.#count < 0) {
      this.#count = 0;
      for (let chunk = 0; chunk < this.#shared.made.length; chunk++)
        this.#count += countOf(this.chunk(chunk));
    }
    return this.#count;
  }
}

/**
 * Sets a bit for each number other than 0. Another thread may write the same: each word is written once, in its final
 * form.
 */
function setNonzero(numbers: Uint16Array | Uint32Array, words: Uint32Array): void {
  for (let word = 0; word << 5 < numbers.length; word++) {
    let bits = 0;
    for (let i = Math.min(32, numbers.length - (word << 5)) - 1; i >= 0; i--) {
      bits = (bits << 1) | (numbers[(word << 5) + i] === 0 ? 0 : 1);
    }
    words[word] = bits;
  }
}
