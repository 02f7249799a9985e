// Finds the least and the greatest of many ids by `compareIds`, from their bytes.

import { Buffer } from 'node:buffer';

export class IdRange {
  #first: Buffer | null = null;
  #last: Buffer = Buffer.alloc(0);

  /** The id stands in `bytes` from `start` to `end`, as ASCII. */
  add(bytes: Uint8Array, start: number, end: number): void {
    if (this.#first === null) {
      this.#first = Buffer.from(bytes.subarray(start, end));
      this.#last = Buffer.from(this.#first);
    } else if (compare(bytes, start, end, this.#last) > 0)
      this.#last = replaced(this.#last, bytes, start, end);
    else if (compare(bytes, start, end, this.#first) < 0)
      this.#first = replaced(this.#first, bytes, start, end);
  }

  /** Both empty if there was no id. */
  get(): { readonly firstId: string; readonly lastId: string } {
    return { firstId: this.#first?.toString() ?? '', lastId: this.#last.toString() };
  }
}

function compare(bytes: Uint8Array, start: number, end: number, other: Buffer): number {
  const difference = end - start - other.length;
  for (let i = 0; difference === 0 && i < other.length; i++) {
    if (bytes[start + i] !== other[i]) return bytes[start + i]! - other[i]!;
  }
  return difference;
}

/** The same buffer where the length fits, which it does for most ids in a row. */
function replaced(old: Buffer, bytes: Uint8Array, start: number, end: number): Buffer {
  if (old.length !== end - start) return Buffer.from(bytes.subarray(start, end));
  for (let i = start; i < end; i++) old[i - start] = bytes[i]!;
  return old;
}
