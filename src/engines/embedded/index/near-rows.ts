// Reads stored rows for a walk that goes up or down through the docs of a segment: where the next row is near the last
// one, those that follow are read with it.

import { Buffer } from 'node:buffer';
import type { ByteSource } from '../format/segment-file.ts';
import type { Column } from './column.ts';

/** Rows are near if no more bytes than this lie between them: some twenty rows. */
const NEAR_BYTES = 1 << 12;
const WINDOW_BYTES = 1 << 16;

export class NearRows {
  readonly #source: ByteSource;
  readonly #rows: Column<Uint32Array>;
  readonly #offset: number;
  #buffer: Buffer = Buffer.allocUnsafeSlow(1 << 12);
  /** The bytes of the rows that are in the buffer. */
  #from = 0;
  #to = 0;

  /** `rows`: where each row begins behind `offset`, and the end of the last. */
  constructor(source: ByteSource, rows: Column<Uint32Array>, offset: number) {
    this.#source = source;
    this.#rows = rows;
    this.#offset = offset;
  }

  /** Valid until the next call. */
  row(doc: number): Buffer {
    const from = this.#rows.at(doc);
    const to = this.#rows.at(doc + 1);
    if (from < this.#from || to > this.#to) this.#fill(from, to);
    return this.#buffer.subarray(from - this.#from, to - this.#from);
  }

  #fill(from: number, to: number): void {
    let [first, last] = [from, to];
    if (from >= this.#from && from - this.#to <= NEAR_BYTES) {
      last = Math.max(to, Math.min(this.#rows.at(this.#rows.length - 1), from + WINDOW_BYTES));
    } else if (to <= this.#to && this.#from - to <= NEAR_BYTES) {
      first = Math.min(from, Math.max(0, to - WINDOW_BYTES));
    }
    if (this.#buffer.length < last - first) this.#buffer = Buffer.allocUnsafeSlow(last - first);
    // Should reading fail, the buffer holds nothing.
    this.#from = this.#to = 0;
    this.#source.readInto(this.#buffer, this.#offset + first, last - first);
    this.#from = first;
    this.#to = last;
  }
}
