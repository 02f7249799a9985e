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
import { CHUNK_DOCS } from '../sets/chunk.ts';

/** Gets the numbers that are not at hand, and puts chunks of them there. */
export interface ColdNumbers<T> {
  /** Puts the chunk at hand. */
  chunk(chunk: number): T;
  /** One number of a chunk that is not at hand: it may stay so. */
  at(doc: number): number;
  /** The first number of a chunk that is not at hand, of a column whose numbers never go down. */
  firstOf(chunk: number): number;
}

/** `T`: the arrays that its chunks are. */
export class Column<T extends ColumnNumbers> {
  /** How many numbers. */
  readonly length: number;
  readonly #chunks: (T | undefined)[];
  readonly #cold: ColdNumbers<T> | null;

  /** `chunks`: those at hand, to which `cold` adds others, and from which it takes some; null: all are, and stay. */
  constructor(length: number, chunks: (T | undefined)[], cold: ColdNumbers<T> | null) {
    this.length = length;
    this.#chunks = chunks;
    this.#cold = cold;
  }

  /** Of numbers that are in memory. */
  static of<T extends ColumnNumbers>(numbers: T): Column<T> {
    const chunks = Array.from({ length: Math.ceil(numbers.length / CHUNK_DOCS) }, (_, chunk) => {
      return numbers.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS) as T;
    });
    return new Column(numbers.length, chunks, null);
  }

  /** Of many docs of one chunk, `chunk` is faster. */
  at(doc: number): number {
    const chunk = this.#chunks[doc >>> 16];
    return chunk === undefined ? this.#cold!.at(doc) : chunk[doc & 0xffff]!;
  }

  /**
   * The numbers of a chunk, from that of its first doc on. Valid until the thread has read other chunks: for a loop
   * that looks at some columns of a few docs beside, but not across calls that read records or decide which docs
   * match.
   */
  chunk(chunk: number): T {
    return this.#chunks[chunk] ?? this.#cold!.chunk(chunk);
  }

  /** As `chunk`; undefined: it would have to be read. */
  atHand(chunk: number): T | undefined {
    return this.#chunks[chunk];
  }

  /** Of the first doc of a chunk, in a column whose numbers never go down. */
  firstOf(chunk: number): number {
    const numbers = this.#chunks[chunk];
    return numbers === undefined ? this.#cold!.firstOf(chunk) : numbers[0]!;
  }
}

/** What was read last; reads are synchronous. */
let bytes = new Uint8Array(1 << 12);
const four = new Uint8Array(4);

/** Reads a chunk of a column, or one number. */
export class ColumnChunks {
  readonly index: ColumnIndex;
  readonly #source: ByteSource;
  readonly #offset: number;

  constructor(source: ByteSource, { offset }: Section, index: ColumnIndex) {
    this.#source = source;
    this.#offset = offset;
    this.index = index;
  }

  /** Of a column with so many numbers, written by format/column-codec.ts. */
  static coded(source: ByteSource, section: Section, count: number): ColumnChunks {
    const index = new Uint8Array(indexBytes(count));
    source.readInto(index, section.offset, index.length);
    return new ColumnChunks(source, section, readColumnIndex(index));
  }

  /** Of the column `bloom`, whose numbers stand there as they are in memory. */
  static raw(source: ByteSource, section: Section, count: number): ColumnChunks {
    const width = 4;
    const chunks = Array.from({ length: Math.ceil(count / CHUNK_DOCS) }, (_, i): ColumnChunk => {
      const held = Math.min(CHUNK_DOCS, count - i * CHUNK_DOCS);
      const plain = { isAscending: false, width, base: 0, exceptions: 0 } as const;
      return { ...plain, count: held, offset: i * CHUNK_DOCS * width, length: held * width };
    });
    return new ColumnChunks(source, section, { count, isSigned: false, isNarrow: false, chunks });
  }

  /** Fills `into` with the numbers of a chunk, modulo 2^32; it has room for them. */
  read(number: number, into: Uint32Array): void {
    const chunk = this.index.chunks[number]!;
    if (isPlain(chunk) && chunk.width === 4 && chunk.base === 0) {
      // Of all 32 bits there is nothing to decode: they are not copied twice.
      this.readData(chunk, into);
      return;
    }
    if (bytes.length < chunk.length) bytes = new Uint8Array(chunk.length * 2);
    this.readData(chunk, bytes);
    decodeChunk(bytes, chunk, into);
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

/** Whether each number can be read without the others. */
export function isPlain({ isAscending, exceptions }: ColumnChunk): boolean {
  return !isAscending && exceptions === 0;
}

/** Reading a chunk costs as much as reading so many of its numbers one by one. */
const WORTH_A_CHUNK = 32;

/** The numbers of a chunk within 16 bits: to add some of them up, none but these need be made. */
export interface NarrowChunk {
  /** What each number is above `base`. */
  readonly above: Uint16Array;
  readonly base: number;
}

/**
 * So many readers of a thread have a decoded chunk at hand, up to 384 KB each: all columns of two segments. Questions
 * look at one segment after the other, and what they have left is of no use to the next.
 */
const MOST_DECODED = 16;

/** Reads a column that is not in memory: a chunk at a time if neighbours are asked for, else the one number. */
export class ColumnReader {
  /** Those of the thread that have, the one that decoded first in front. */
  static readonly #decoding: ColumnReader[] = [];

  readonly #column: ColumnChunks;
  readonly #index: ColumnIndex;
  /** The chunk that is decoded, and its numbers modulo 2^32. */
  #decoded = -1;
  #numbers = new Uint32Array(0);
  /** The chunk that was read within 16 bits. */
  #narrowed = -1;
  #above = new Uint16Array(0);
  #base = 0;
  /** The chunk that was asked last, and how often before another one. */
  #asked = -1;
  #times = 0;

  /** `docs`: how many numbers the column has. */
  constructor(source: ByteSource, section: Section, docs: number) {
    this.#column = ColumnChunks.coded(source, section, docs);
    this.#index = this.#column.index;
  }

  /** Fills `into` with the numbers of a chunk, modulo 2^32; it has room for them. */
  readChunk(number: number, into: Uint32Array): void {
    this.#column.read(number, into);
  }

  /** Cheapest for ascending docs. */
  at(doc: number): number {
    const number = this.#unsigned(doc);
    return this.#index.isSigned ? number | 0 : number;
  }

  /** All numbers of a chunk, modulo 2^32; valid until another chunk is read. */
  chunk(number: number): Uint32Array {
    const chunk = this.#index.chunks[number]!;
    if (number !== this.#decoded) this.#load(number, chunk);
    return this.#numbers.subarray(0, chunk.count);
  }

  /**
   * All numbers of a chunk of a column whose numbers are from `least` to 2^16 − 1 above it; valid until another chunk
   * is read so.
   */
  narrowChunk(number: number, least: number): NarrowChunk {
    const chunk = this.#index.chunks[number]!;
    if (number !== this.#narrowed) this.#loadNarrow(number, chunk, least);
    return { above: this.#above.subarray(0, chunk.count), base: this.#base };
  }

  #unsigned(doc: number): number {
    const number = Math.floor(doc / CHUNK_DOCS);
    const place = doc % CHUNK_DOCS;
    if (number !== this.#decoded) {
      const chunk = this.#index.chunks[number]!;
      if (isPlain(chunk)) {
        if (chunk.width === 0) return chunk.base;
        this.#times = number === this.#asked ? this.#times + 1 : 1;
        this.#asked = number;
        if (this.#times < WORTH_A_CHUNK) return this.#column.one(chunk, place);
      }
      this.#load(number, chunk);
    }
    return this.#numbers[place]!;
  }

  #load(number: number, chunk: ColumnChunk): void {
    this.#takeRoom();
    this.#decoded = -1;
    if (this.#numbers.length < chunk.count) this.#numbers = new Uint32Array(chunk.count);
    this.readChunk(number, this.#numbers);
    this.#decoded = number;
  }

  /** Of the coding that most chunks have, the numbers are what the file has. */
  #loadNarrow(number: number, chunk: ColumnChunk, least: number): void {
    const { count, width, base } = chunk;
    this.#takeRoom();
    this.#narrowed = -1;
    if (this.#above.length < count) this.#above = new Uint16Array(count);
    if (width === 2 && isPlain(chunk)) {
      this.#column.readData(chunk, this.#above.subarray(0, count));
      this.#base = this.#index.isSigned ? base | 0 : base;
    } else {
      const numbers = this.chunk(number);
      for (let i = 0; i < count; i++) this.#above[i] = (numbers[i]! | 0) - least;
      this.#base = least;
    }
    this.#narrowed = number;
  }

  /** That of the reader that has had its own the longest, where there are enough. */
  #takeRoom(): void {
    if (this.#numbers.length > 0 || this.#above.length > 0) return;
    const decoding = ColumnReader.#decoding;
    const oldest = decoding.length < MOST_DECODED ? undefined : decoding.shift();
    decoding.push(this);
    if (oldest === undefined) return;
    this.#numbers = oldest.#numbers;
    this.#above = oldest.#above;
    oldest.#numbers = new Uint32Array(0);
    oldest.#above = new Uint16Array(0);
    oldest.#decoded = oldest.#narrowed = -1;
  }
}
