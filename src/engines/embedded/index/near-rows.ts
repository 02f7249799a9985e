// Reads stored rows for a walk that goes up or down through the docs of a segment: where the next row is near the last
// one, those that follow are read with it.

import { Buffer } from 'node:buffer';
import type { Column } from '../columns/column.ts';
import type { ByteSource } from '../format/segment-file.ts';

/** Rows are near if no more bytes than this lie between them: some twenty rows. */
const NEAR_BYTES = 1 << 12;
/** What is read at once: the least where a row is near the last one, four times as much where the next is near too. */
const LEAST_WINDOW = 1 << 12;
const GREATEST_WINDOW = 1 << 16;
const GROWTH = 4;

export class NearRows {
  readonly #source: ByteSource;
  readonly #rows: Column<Uint32Array>;
  readonly #offset: number;
  #buffer: Buffer = Buffer.allocUnsafeSlow(1 << 12);
  /** The bytes of the rows that are in the buffer. */
  #from = 0;
  #to = 0;
  #window = LEAST_WINDOW;
  readonly #greatest: number;
  /** Of the row that was read last, in `bytes`. */
  start = 0;
  end = 0;

  /**
   * `rows`: where each row begins behind `offset`, and the end of the last. `greatest`: bytes that are read at once,
   * and kept, but for a row that is longer.
   */
  constructor(source: ByteSource, rows: Column<Uint32Array>, offset: number, greatest = GREATEST_WINDOW) {
    this.#source = source;
    this.#rows = rows;
    this.#offset = offset;
    this.#greatest = greatest;
  }

  /** Valid until the next call. */
  row(doc: number): Buffer {
    this.read(doc);
    return this.#buffer.subarray(this.start, this.end);
  }

  /** The same, without making a buffer: it stands in `bytes` from `start` to before `end`. */
  read(doc: number): void {
    const from = this.#rows.at(doc);
    const to = this.#rows.at(doc + 1);
    if (from < this.#from || to > this.#to) this.#fill(from, to);
    this.start = from - this.#from;
    this.end = to - this.#from;
  }

  get bytes(): Buffer {
    return this.#buffer;
  }

  #fill(from: number, to: number): void {
    let [first, last] = [from, to];
    const isAhead = from >= this.#from && from - this.#to <= NEAR_BYTES;
    const isBehind = to <= this.#to && this.#from - to <= NEAR_BYTES;
    if (isAhead) last = Math.max(to, Math.min(this.#rows.at(this.#rows.length - 1), from + this.#window));
    else if (isBehind) first = Math.min(from, Math.max(0, to - this.#window));
    this.#window = isAhead || isBehind ? Math.min(this.#window * GROWTH, this.#greatest) : LEAST_WINDOW;
    if (this.#buffer.length < last - first) this.#buffer = Buffer.allocUnsafeSlow(last - first);
    // Should reading fail, the buffer holds nothing.
    this.#from = this.#to = 0;
    this.#source.readInto(this.#buffer, this.#offset + first, last - first);
    this.#from = first;
    this.#to = last;
  }
}
