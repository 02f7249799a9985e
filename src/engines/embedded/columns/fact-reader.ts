// Reads facts of records from columns that are not in memory (format/segment-columns.ts).

import type { Hash64 } from '../../../model/hash.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { ColumnChunk, ColumnIndex } from '../format/column-codec.ts';
import { type FactColumn, RATED_IN_ROW, RETRIEVED_IN_ROW, UNRATED } from '../format/segment-columns.ts';
import type { ByteSource, Footer, Section } from '../format/segment-file.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import { ColumnChunks, isPlain } from './column.ts';

/** Reading a chunk costs as much as reading this many numbers one by one. */
const WORTH_A_CHUNK = 32;

/** The numbers of a chunk as 16 bits: sums can use them without decoding the rest. */
export interface NarrowChunk {
  /** Each number minus `base`. */
  readonly above: Uint16Array;
  readonly base: number;
}

/**
 * Decoded chunks (384 KB each) of a thread: enough for the columns of two segments. Questions read one segment after
 * the other.
 */
const MOST_DECODED = 16;

/** Reads a column that is not in memory: whole chunks if neighbours are asked for, otherwise single numbers. */
class ColumnReader {
  /** The readers of this thread with a decoded chunk, oldest first. */
  static readonly #decoding: ColumnReader[] = [];

  readonly column: ColumnChunks;
  readonly #index: ColumnIndex;
  /** The chunk that is decoded, and its numbers modulo 2^32. */
  #decoded = -1;
  #numbers = new Uint32Array(0);
  /** The chunk that was read as 16 bits. */
  #narrowed = -1;
  #above = new Uint16Array(0);
  #base = 0;
  /** The chunk that was asked for last, and how often in a row. */
  #asked = -1;
  #times = 0;

  /** `docs`: the length of the column. */
  constructor(source: ByteSource, section: Section, docs: number) {
    this.column = ColumnChunks.coded(source, section, docs);
    this.#index = this.column.index;
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

  /** The numbers of a chunk, if they fit into 16 bits above `least`; valid until the next such call. */
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
        if (this.#times < WORTH_A_CHUNK) return this.column.one(chunk, place);
      }
      this.#load(number, chunk);
    }
    return this.#numbers[place]!;
  }

  #load(number: number, chunk: ColumnChunk): void {
    this.#takeRoom();
    this.#decoded = -1;
    if (this.#numbers.length < chunk.count) this.#numbers = new Uint32Array(chunk.count);
    this.column.read(number, this.#numbers);
    this.#decoded = number;
  }

  /** With the coding of most chunks, the numbers are in the file as they are. */
  #loadNarrow(number: number, chunk: ColumnChunk, least: number): void {
    const { count, width, base } = chunk;
    this.#takeRoom();
    this.#narrowed = -1;
    if (this.#above.length < count) this.#above = new Uint16Array(count);
    if (width === 2 && isPlain(chunk)) {
      this.column.readData(chunk, this.#above.subarray(0, count));
      this.#base = this.#index.isSigned ? base | 0 : base;
    } else {
      const numbers = this.chunk(number);
      for (let i = 0; i < count; i++) this.#above[i] = (numbers[i]! | 0) - least;
      this.#base = least;
    }
    this.#narrowed = number;
  }

  /** Takes the room of the reader that has had its own longest, if there are enough of them. */
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

export class FactReader {
  readonly #source: ByteSource;
  readonly #footer: Footer;
  readonly #record: (doc: number) => StoredRecord;
  readonly #columns: Record<FactColumn, ColumnReader | null> = {
    ...{ retrieved: null, sentiment: null, marks: null, arrival: null },
    ...{ contentHigh: null, contentLow: null, textHash: null },
  };

  /** `record` reads the row of a doc. */
  constructor(source: ByteSource, footer: Footer, record: (doc: number) => StoredRecord) {
    this.#source = source;
    this.#footer = footer;
    this.#record = record;
  }

  /** As the column has it: cheapest for ascending docs. */
  at(name: FactColumn, doc: number): number {
    return this.#column(name).at(doc);
  }

  retrieved(doc: number): number {
    const retrieved = this.at('retrieved', doc);
    return retrieved === RETRIEVED_IN_ROW ? this.#record(doc).retrieved : retrieved;
  }

  sentiment(doc: number): number | null {
    const sentiment = this.at('sentiment', doc);
    if (sentiment === UNRATED) return null;
    return sentiment === RATED_IN_ROW ? sentimentOf(this.#record(doc)) : sentiment / 10_000;
  }

  ratingsIn(chunk: number): NarrowChunk {
    return this.#column('sentiment').narrowChunk(chunk, UNRATED);
  }

  hashesIn(chunk: number): Uint32Array {
    return this.#column('textHash').chunk(chunk);
  }

  contentHash(doc: number): Hash64 {
    return { high: this.at('contentHigh', doc), low: this.at('contentLow', doc) };
  }

  /** Fills `into` with the numbers of a chunk, modulo 2^32. */
  readChunk(name: FactColumn, chunk: number, into: Uint32Array): void {
    this.#column(name).column.read(chunk, into);
  }

  #column(name: FactColumn): ColumnReader {
    return this.#columns[name] ?? this.#open(name);
  }

  #open(name: FactColumn): ColumnReader {
    const { sections, docs } = this.#footer;
    const column = new ColumnReader(this.#source, sections[name]!, docs);
    this.#columns[name] = column;
    return column;
  }
}

function sentimentOf(record: StoredRecord): number | null {
  return record.kind === 'post' ? null : record.sentiment;
}
