// What a segment says of its records in columns that are not in memory (format/fact-columns.ts).

import type { Hash64 } from '../../../model/hash.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { ColumnReader, type NarrowChunk } from '../columns/column.ts';
import {
  type FactColumn,
  RATED_IN_ROW,
  RETRIEVED_IN_ROW,
  UNRATED,
  WITHDRAWN,
} from '../format/fact-columns.ts';
import type { ByteSource, Footer } from '../format/segment-file.ts';

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

  retrieved(doc: number): number {
    const retrieved = this.#at('retrieved', doc);
    return retrieved === RETRIEVED_IN_ROW ? this.#record(doc).retrieved : retrieved;
  }

  sentiment(doc: number): number | null {
    const sentiment = this.#at('sentiment', doc);
    if (sentiment === UNRATED) return null;
    return sentiment === RATED_IN_ROW ? sentimentOf(this.#record(doc)) : sentiment / 10_000;
  }

  /** See Segment. */
  ratingsIn(chunk: number): NarrowChunk {
    return this.#column('sentiment').narrowChunk(chunk, UNRATED);
  }

  /** See Segment. */
  hashesIn(chunk: number): Uint32Array {
    return (this.#columns.textHash ?? this.#open('textHash')).chunk(chunk);
  }

  marks(doc: number): number {
    return this.#at('marks', doc);
  }

  withdrawn(doc: number): boolean {
    return (this.#at('marks', doc) & WITHDRAWN) !== 0;
  }

  arrival(doc: number): number {
    return this.#at('arrival', doc);
  }

  contentHash(doc: number): Hash64 {
    return { high: this.#at('contentHigh', doc), low: this.#at('contentLow', doc) };
  }

  /** See Segment. */
  readChunk(chunk: number, columns: readonly (readonly [name: FactColumn, into: Uint32Array])[]): void {
    for (const [name, into] of columns) this.#column(name).readChunk(chunk, into);
  }

  textHash(doc: number): number {
    return this.#at('textHash', doc);
  }

  #at(name: FactColumn, doc: number): number {
    return this.#column(name).at(doc);
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
