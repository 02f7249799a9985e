// A column as queries see it: a number for each docId, in chunks of 65,536.

import type { ColumnNumbers } from '../format/column-codec.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';

/** `T`: the arrays that its chunks are. */
export class Column<T extends ColumnNumbers> {
  /** How many numbers. */
  readonly length: number;
  readonly #chunks: readonly T[];

  constructor(numbers: T) {
    this.length = numbers.length;
    this.#chunks = Array.from({ length: Math.ceil(numbers.length / CHUNK_DOCS) }, (_, chunk) => {
      return numbers.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS) as T;
    });
  }

  /** Of many docs of one chunk, `chunk` is faster. */
  at(doc: number): number {
    return this.#chunks[doc >>> 16]![doc & 0xffff]!;
  }

  /** The numbers of a chunk, from that of its first doc on. */
  chunk(chunk: number): T {
    return this.#chunks[chunk]!;
  }
}
