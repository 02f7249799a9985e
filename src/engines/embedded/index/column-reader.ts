// Reads a column that is not in memory (format/column-codec.ts): a chunk at a time if neighbours are asked for, else
// the one number.

import {
  type ColumnChunk,
  type ColumnIndex,
  decodeChunk,
  indexBytes,
  readColumnIndex,
} from '../format/column-codec.ts';
import type { ByteSource, Section } from '../format/segment-file.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';

/** Reading a chunk costs as much as reading so many of its numbers one by one. */
const WORTH_A_CHUNK = 32;

/** The numbers of a chunk within 16 bits: to add some of them up, none but these need be made. */
export interface NarrowChunk {
  /** What each number is above `base`. */
  readonly above: Uint16Array;
  readonly base: number;
}

/** What was read last; reads are synchronous. */
let bytes = new Uint8Array(1 << 12);
const four = new Uint8Array(4);

export class ColumnReader {
  readonly #source: ByteSource;
  readonly #offset: number;
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
  constructor(source: ByteSource, { offset }: Section, docs: number) {
    this.#source = source;
    this.#offset = offset;
    const index = new Uint8Array(indexBytes(docs));
    source.readInto(index, offset, index.length);
    this.#index = readColumnIndex(index);
  }

  /** Fills `into` with the numbers of a chunk, modulo 2^32; it has room for them. */
  readChunk(number: number, into: Uint32Array): void {
    const chunk = this.#index.chunks[number]!;
    if (chunk.width === 4 && chunk.base === 0 && chunk.exceptions === 0 && !chunk.isAscending) {
      // Of all 32 bits there is nothing to decode: they are not copied twice.
      this.#source.readInto(into, this.#offset + chunk.offset, chunk.count * 4);
      return;
    }
    if (bytes.length < chunk.length) bytes = new Uint8Array(chunk.length * 2);
    this.#source.readInto(bytes, this.#offset + chunk.offset, chunk.length);
    decodeChunk(bytes, chunk, into);
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
      if (!chunk.isAscending && chunk.exceptions === 0) {
        if (chunk.width === 0) return chunk.base;
        this.#times = number === this.#asked ? this.#times + 1 : 1;
        this.#asked = number;
        if (this.#times < WORTH_A_CHUNK) return this.#one(chunk, place);
      }
      this.#load(number, chunk);
    }
    return this.#numbers[place]!;
  }

  #one({ offset, width, base }: ColumnChunk, place: number): number {
    this.#source.readInto(four, this.#offset + offset + place * width, width);
    let number = four[0]!;
    if (width > 1) number |= four[1]! << 8;
    if (width > 2) number |= (four[2]! << 16) | (four[3]! << 24);
    return (number + base) >>> 0;
  }

  #load(number: number, chunk: ColumnChunk): void {
    this.#decoded = -1;
    if (this.#numbers.length < chunk.count) this.#numbers = new Uint32Array(chunk.count);
    this.readChunk(number, this.#numbers);
    this.#decoded = number;
  }

  /** Of the coding that most chunks have, the numbers are what the file has. */
  #loadNarrow(number: number, chunk: ColumnChunk, least: number): void {
    const { count, width, base, exceptions, isAscending } = chunk;
    this.#narrowed = -1;
    if (this.#above.length < count) this.#above = new Uint16Array(count);
    if (width === 2 && exceptions === 0 && !isAscending) {
      this.#source.readInto(this.#above, this.#offset + chunk.offset, count * 2);
      this.#base = this.#index.isSigned ? base | 0 : base;
    } else {
      const numbers = this.chunk(number);
      for (let i = 0; i < count; i++) this.#above[i] = (numbers[i]! | 0) - least;
      this.#base = least;
    }
    this.#narrowed = number;
  }
}
