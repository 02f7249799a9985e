// Reads a part of a file piece by piece, many bytes at once: for merges and checks, which read whole
// segments.

import { Buffer } from 'node:buffer';
import type { ByteSource } from './segment-file.ts';

const WINDOW_BYTES = 1 << 18;

export class ByteWindow {
  readonly #source: ByteSource;
  readonly #end: number;
  #buffer: Buffer;
  /** The bytes of the source that are in the buffer. */
  #from = 0;
  #to = 0;

  /** Pieces end before `end`. */
  constructor(source: ByteSource, end: number) {
    this.#source = source;
    this.#end = end;
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(WINDOW_BYTES, end));
  }

  /**
   * Loads the bytes from `offset` to `offset + length` into `bytes`; returns where. Valid until the next
   * call. Fastest for ascending pieces.
   */
  at(offset: number, length: number): number {
    if (offset < this.#from || offset + length > this.#to) this.#fill(offset, length);
    return offset - this.#from;
  }

  get bytes(): Buffer {
    return this.#buffer;
  }

  /** From a multiple of 8 on: what is aligned in the source is aligned in the buffer. */
  #fill(offset: number, length: number): void {
    const from = offset - (offset % 8);
    const least = offset - from + length;
    if (least > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(least);
    const bytes = Math.max(least, Math.min(this.#buffer.length, this.#end - from));
    this.#source.readInto(this.#buffer, from, bytes);
    this.#from = from;
    this.#to = from + bytes;
  }
}
