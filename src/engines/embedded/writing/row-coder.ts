// The rows of several segments on their way into one: copied as they are if source and new segment share
// their symbols (format/symbol-table.ts), rewritten otherwise.

import { Buffer } from 'node:buffer';
import { ByteWriter } from '../../../packing/bytes.ts';
import { MIN_TRAINED_DOCS, sampleRows, trainSymbols, writtenBytes } from '../building/symbol-training.ts';
import { DecodedRow, type SymbolTable } from '../format/symbol-table.ts';
import { RowWindow, type Segment } from '../index/segment.ts';
import type { ViewSegment } from '../index/view.ts';

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
    const windows = this.#sources.map((segment) => new RowWindow(segment));
    // A part of each source, the largest one's where there are too many.
    const sample = Buffer.concat(
      windows.map((window, i) => {
        const share = i === largest ? 1 : this.#sources[i]!.docs / this.#sources[largest]!.docs;
        const rows = sampleRows(this.#sources[i]!.docs, (doc) => this.#plain(i, window.row(doc)));
        return rows.subarray(0, Math.ceil((rows.length * share) / this.#sources.length));
      }),
    );
    const trained = trainSymbols(sample);
    if (known === null) return trained;
    // uncovered: symbols are trained anew by merges of 262,144 docs on
    return writtenBytes(trained, sample) < RETRAINED_SHARE * writtenBytes(known, sample) ? trained : known;
  }

  /** A row of this source as packing/record-codec.ts has it. */
  #plain(source: number, row: Buffer): Buffer {
    const { symbols } = this.#sources[source]!;
    if (symbols === null) return row;
    const length = symbols.decode(row, 0, row.length, this.#decoded);
    return this.#decoded.bytes.subarray(0, length);
  }
}
