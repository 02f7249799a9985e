// Stored rows read one after the other, many at once: for merges and checks, which go through whole segments.

import { Buffer } from 'node:buffer';
import type { Segment } from './segment.ts';

const WINDOW_BYTES = 1 << 18;

export class RowWindow {
  readonly #segment: Segment;
  #buffer = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  /** What the buffer holds, counted from the start of the records. */
  #from = 0;
  #to = 0;

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  /** Valid until the next call. Rows are best asked for upwards. */
  row(doc: number): Buffer {
    const { rows } = this.#segment.data.columns;
    const start = rows[doc]!;
    const end = rows[doc + 1]!;
    if (start < this.#from || end > this.#to) this.#fill(start, end);
    return this.#buffer.subarray(start - this.#from, end - this.#from);
  }

  #fill(start: number, end: number): void {
    const { source, data } = this.#segment;
    const { offset, length } = data.footer.sections.records!;
    if (end - start > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(end - start);
    const bytes = Math.min(this.#buffer.length, length - start);
    source.readInto(this.#buffer, offset + start, bytes);
    this.#from = start;
    this.#to = start + bytes;
  }
}
