// What a segment says of its records in columns that are not in memory (format/fact-columns.ts). Segments of formats
// 1 and 2 have no such columns: it is computed from their records.

import { contentHash } from '../../../model/content-hash.ts';
import type { Hash64 } from '../../../model/murmur-hash.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { textHash } from '../../../model/text-hash.ts';
import {
  ARRIVAL_UNKNOWN,
  type FactColumn,
  type FactDraft,
  marksOf,
  NOT_WITHDRAWN,
  RATED_IN_ROW,
  RETRIEVED_IN_ROW,
  UNRATED,
  WITHDRAWN,
  withdrawnMark,
} from '../format/fact-columns.ts';
import type { ByteSource, Footer } from '../format/segment-file.ts';
import { ColumnReader, type NarrowChunk } from './column-reader.ts';

/** The format from which on segments have these columns. */
export const FACTS_SINCE = 3;

export class FactReader {
  readonly #source: ByteSource;
  readonly #footer: Footer;
  readonly #record: (doc: number) => StoredRecord;
  readonly #isWithdrawn: (doc: number) => boolean;
  readonly #columns: Record<FactColumn, ColumnReader | null> = {
    ...{ retrieved: null, sentiment: null, marks: null, arrival: null },
    ...{ contentHigh: null, contentLow: null, textHash: null },
  };
  /** False: of format 1 or 2. */
  readonly #hasColumns: boolean;

  /** `record` and `isWithdrawn` read the row of a doc; the second only how it begins. */
  constructor(
    source: ByteSource,
    footer: Footer,
    record: (doc: number) => StoredRecord,
    isWithdrawn: (doc: number) => boolean,
  ) {
    this.#source = source;
    this.#footer = footer;
    this.#record = record;
    this.#isWithdrawn = isWithdrawn;
    this.#hasColumns = footer.version >= FACTS_SINCE;
  }

  retrieved(doc: number): number {
    const retrieved = this.#hasColumns ? this.#at('retrieved', doc) : RETRIEVED_IN_ROW;
    return retrieved === RETRIEVED_IN_ROW ? this.#record(doc).retrieved : retrieved;
  }

  sentiment(doc: number): number | null {
    const sentiment = this.#hasColumns ? this.#at('sentiment', doc) : RATED_IN_ROW;
    if (sentiment === UNRATED) return null;
    return sentiment === RATED_IN_ROW ? sentimentOf(this.#record(doc)) : sentiment / 10_000;
  }

  /** See Segment. */
  ratingsIn(chunk: number): NarrowChunk | null {
    return this.#hasColumns ? this.#column('sentiment').narrowChunk(chunk, UNRATED) : null;
  }

  /** See Segment. */
  hashesIn(chunk: number): Uint32Array | null {
    return this.#hasColumns ? (this.#columns.textHash ?? this.#open('textHash')).chunk(chunk) : null;
  }

  marks(doc: number): number {
    if (this.#hasColumns) return this.#at('marks', doc);
    return marksOf(this.#record(doc)) | ARRIVAL_UNKNOWN;
  }

  withdrawn(doc: number): boolean {
    const marks = this.#hasColumns ? this.#at('marks', doc) : 0;
    if (marks & (WITHDRAWN | NOT_WITHDRAWN)) return (marks & WITHDRAWN) !== 0;
    // Withdrawn texts have no hash; the others that have none are short.
    if (this.#hasColumns && this.#at('textHash', doc) !== 0) return false;
    return this.#isWithdrawn(doc);
  }

  arrival(doc: number): number {
    return this.#hasColumns ? this.#at('arrival', doc) : 0;
  }

  contentHash(doc: number): Hash64 {
    if (!this.#hasColumns) return contentHash(this.#record(doc));
    return { high: this.#at('contentHigh', doc), low: this.#at('contentLow', doc) };
  }

  /** See Segment. */
  readChunk(chunk: number, columns: readonly (readonly [name: FactColumn, into: Uint32Array])[]): boolean {
    if (!this.#hasColumns) return false;
    for (const [name, into] of columns) this.#column(name).readChunk(chunk, into);
    return true;
  }

  textHash(doc: number): number {
    return this.#hasColumns ? this.#at('textHash', doc) : textHash(this.#record(doc));
  }

  /**
   * Puts all that is known of the doc into `draft`, as its doc `to`. `arrival`: what the manifest says of the
   * segment.
   */
  copy(doc: number, draft: FactDraft, to: number, arrival: number): void {
    if (this.#hasColumns) {
      draft.retrieved[to] = this.#at('retrieved', doc);
      draft.sentiment[to] = this.#at('sentiment', doc);
      draft.contentHigh[to] = this.#at('contentHigh', doc);
      draft.contentLow[to] = this.#at('contentLow', doc);
      draft.textHash[to] = this.#at('textHash', doc);
      const marks = this.#at('marks', doc) | withdrawnMark(this.withdrawn(doc));
      draft.setArrival(to, marks, this.#at('arrival', doc) || arrival);
      return;
    }
    const record = this.#record(doc);
    const { retrieved } = record;
    const facts = { retrieved, sentiment: sentimentOf(record), content: contentHash(record) };
    draft.set(to, facts, marksOf(record), textHash(record), arrival);
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
