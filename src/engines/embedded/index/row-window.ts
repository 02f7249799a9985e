// Reads stored rows one after the other: for merges and checks, which read whole segments.

import type { Buffer } from 'node:buffer';
import { ByteWindow } from '../format/byte-window.ts';
import type { Segment } from './segment.ts';

export class RowWindow {
  readonly #rows: Segment['rows'];
  readonly #offset: number;
  readonly #window: ByteWindow;

  constructor({ source, data, rows }: Segment) {
    const { offset, length } = data.footer.sections.records!;
    this.#rows = rows;
    this.#offset = offset;
    this.#window = new ByteWindow(source, offset + length);
  }

  /** Valid until the next call. Fastest for ascending rows. */
  row(doc: number): Buffer {
    const start = this.#rows.at(doc);
    const length = this.#rows.at(doc + 1) - start;
    const at = this.#window.at(this.#offset + start, length);
    return this.#window.bytes.subarray(at, at + length);
  }
}
