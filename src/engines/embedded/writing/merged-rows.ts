// What a merge copies of each record: its row, as it is if source and new segment share their symbols
// (format/symbol-table.ts), rewritten otherwise; and its numbers in columns, of one source after the other, chunk by
// chunk.

import { Buffer } from 'node:buffer';
import { ByteWriter } from '../../packing/bytes.ts';
import type { Column } from '../columns/column.ts';
import type { FactDraft } from '../format/segment-columns.ts';
import {
  DecodedRow,
  MIN_TRAINED_DOCS,
  type SymbolTable,
  sampleRows,
  trainSymbols,
  writtenBytes,
} from '../format/symbol-table.ts';
import type { Segment } from '../index/segment.ts';
import type { ViewSegment } from '../index/view.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import { LEFT_BEHIND } from './merged-lists.ts';

/** A segment, and which of its docIds are merged: `from` to before `to`; dead ones are skipped. */
export interface MergeSource {
  readonly source: ViewSegment;
  readonly from: number;
  readonly to: number;
  /** By docId, for all of the segment: filled in for the docIds that are merged. */
  readonly map: Uint32Array;
}

/** Maps have `base` added to where each record goes. */
/** Bytes of the rows of a source that are read at once. */
export const ROWS_AT_ONCE = 1 << 18;

type BasedSource = MergeSource & { readonly base: number };

/** From this size on, it is worth checking whether other symbols would do better. */
const MIN_RETRAINED_DOCS = 2 ** 18;
/** They do if rows shrink below this share. */
const RETRAINED_SHARE = 0.9;

/** The symbols of the largest segment with symbols; null: none has any. */
export function largestSymbols(segments: readonly ViewSegment[]): SymbolTable | null {
  let largest: Segment | null = null;
  for (const { segment } of segments) {
    if (segment.data.columns.symbols !== null && segment.docs > (largest?.docs ?? 0)) largest = segment;
  }
  return largest?.symbols ?? null;
}

export class RowCoder {
  /** The symbols of the new segment; null: rows are not compressed. */
  readonly symbols: SymbolTable | null;
  readonly #sources: readonly Segment[];
  /** By source: its rows can be copied. */
  readonly #isSame: readonly boolean[];
  readonly #written = new ByteWriter(1 << 12);
  readonly #decoded = new DecodedRow();

  /** `docs`: how many the new segment has. */
  constructor(sources: readonly { readonly source: ViewSegment }[], docs: number) {
    this.#sources = sources.map(({ source }) => source.segment);
    const known = largestSymbols(sources.map(({ source }) => source));
    this.symbols = docs < MIN_TRAINED_DOCS ? null : this.#chosen(known, docs);
    const own = this.symbols?.toBytes() ?? null;
    this.#isSame = this.#sources.map(({ data: { columns } }) => {
      if (own === null || columns.symbols === null) return own === columns.symbols;
      return Buffer.compare(own, columns.symbols) === 0;
    });
  }

  /** The stored row of this source, in the form of the new segment; valid until the next call. */
  coded(source: number, row: Buffer): Buffer {
    if (this.#isSame[source]!) return row;
    const plain = this.#plain(source, row);
    if (this.symbols === null) return plain;
    this.#written.length = 0;
    this.symbols.encode(plain, 0, plain.length, this.#written);
    return this.#written.written();
  }

  #chosen(known: SymbolTable | null, docs: number): SymbolTable {
    if (known !== null && docs < MIN_RETRAINED_DOCS) return known;
    const largest = this.#sources.reduce((best, segment, i) => {
      // uncovered: symbols are trained anew by merges of 262,144 docs on
      return segment.docs > this.#sources[best]!.docs ? i : best;
    }, 0);
    const windows = this.#sources.map((segment) => segment.nearRows());
    // A part of each source, the largest one's where there are too many.
    const sample = Buffer.concat(
      windows.map((window, i) => {
        const share = i === largest ? 1 : this.#sources[i]!.docs / this.#sources[largest]!.docs;
        const rows = sampleRows(this.#sources[i]!.docs, (doc) =>
          this.#plain(i, this.#sources[i]!.storedRow(doc, window)),
        );
        return rows.subarray(0, Math.ceil((rows.length * share) / this.#sources.length));
      }),
    );
    const trained = trainSymbols(sample);
    if (known === null) return trained;
    // uncovered: symbols are trained anew by merges of 262,144 docs on
    return writtenBytes(trained, sample) < RETRAINED_SHARE * writtenBytes(known, sample) ? trained : known;
  }

  /** A row of this source as engines/packing/record-codec.ts has it. */
  #plain(source: number, row: Buffer): Buffer {
    const { symbols } = this.#sources[source]!;
    if (symbols === null) return row;
    const length = symbols.decode(row, 0, row.length, this.#decoded);
    return this.#decoded.bytes.subarray(0, length);
  }
}

const FACTS = ['retrieved', 'sentiment', 'contentHigh', 'contentLow', 'textHash'] as const;

const numbers = new Uint32Array(CHUNK_DOCS);
const marks = new Uint32Array(CHUNK_DOCS);

/** Fills in `into` where its records go; `change`: what becomes of each number, where it does not stay. */
export function copyColumn(
  source: BasedSource,
  column: (segment: Segment) => Column<Uint16Array | Uint32Array | Int16Array | Int32Array>,
  into: Uint32Array | Int32Array,
  change: Uint32Array | null = null,
): void {
  const { segment } = source.source;
  forChunks(source, (chunk, from, to) => {
    const read = column(segment).chunk(chunk);
    const begin = chunk * CHUNK_DOCS;
    for (let doc = from; doc < to; doc++) {
      const place = source.map[doc]!;
      if (place === LEFT_BEHIND) continue;
      const number = read[doc - begin]!;
      into[place - source.base] = change === null ? number : change[number]!;
    }
  });
}

/** The same of the columns that are not in memory. */
export function copyFacts(source: BasedSource, into: FactDraft): void {
  const { map, base } = source;
  const { segment, arrival } = source.source;
  forChunks(source, (chunk, from, to) => {
    const begin = chunk * CHUNK_DOCS;
    for (const name of FACTS) {
      segment.facts.readChunk(name, chunk, numbers);
      const column = into[name];
      for (let doc = from; doc < to; doc++) {
        const place = map[doc]!;
        if (place !== LEFT_BEHIND) column[place - base] = numbers[doc - begin]!;
      }
    }
    segment.facts.readChunk('marks', chunk, marks);
    segment.facts.readChunk('arrival', chunk, numbers);
    for (let doc = from; doc < to; doc++) {
      const place = map[doc]!;
      if (place === LEFT_BEHIND) continue;
      into.setArrival(place - base, marks[doc - begin]!, numbers[doc - begin]! || arrival);
    }
  });
}

/** The chunks that records of the source are in, and which docIds of each: `from` to before `to`. */
function forChunks({ from, to }: BasedSource, each: (chunk: number, from: number, to: number) => void): void {
  for (let begin = from; begin < to; ) {
    const chunk = Math.floor(begin / CHUNK_DOCS);
    const end = Math.min(to, (chunk + 1) * CHUNK_DOCS);
    each(chunk, begin, end);
    begin = end;
  }
}
