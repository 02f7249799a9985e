// A column as queries see it: a number for each docId, in chunks of 65,536.

import type { ColumnNumbers } from '../format/column-codec.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';

/** Gets the numbers that are not at hand, and puts chunks of them there. */
export interface ColdNumbers<T> {
  /** Puts the chunk at hand. */
  chunk(chunk: number): T;
  /** One number of a chunk that is not at hand: it may stay so. */
  at(doc: number): number;
  /** The first number of a chunk that is not at hand, of a column whose numbers never go down. */
  firstOf(chunk: number): number;
}

/** `T`: the arrays that its chunks are. */
export class Column<T extends ColumnNumbers> {
  /** How many numbers. */
  readonly length: number;
  readonly #chunks: (T | undefined)[];
  readonly #cold: ColdNumbers<T> | null;

  /** `chunks`: those at hand, to which `cold` adds others, and from which it takes some; null: all are, and stay. */
  constructor(length: number, chunks: (T | undefined)[], cold: ColdNumbers<T> | null) {
    this.length = length;
    this.#chunks = chunks;
    this.#cold = cold;
  }

  /** Of numbers that are in memory. */
  static of<T extends ColumnNumbers>(numbers: T): Column<T> {
    const chunks = Array.from({ length: Math.ceil(numbers.length / CHUNK_DOCS) }, (_, chunk) => {
      return numbers.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS) as T;
    });
    return new Column(numbers.length, chunks, null);
  }

  /** Of many docs of one chunk, `chunk` is faster. */
  at(doc: number): number {
    const chunk = this.#chunks[doc >>> 16];
    return chunk === undefined ? this.#cold!.at(doc) : chunk[doc & 0xffff]!;
  }

  /**
   * The numbers of a chunk, from that of its first doc on. Valid until the thread has read other chunks: for a loop
   * that looks at some columns of a few docs beside, but not across calls that read records or decide which docs
   * match.
   */
  chunk(chunk: number): T {
    return this.#chunks[chunk] ?? this.#cold!.chunk(chunk);
  }

  /** As `chunk`; undefined: it would have to be read. */
  atHand(chunk: number): T | undefined {
    return this.#chunks[chunk];
  }

  /** Of the first doc of a chunk, in a column whose numbers never go down. */
  firstOf(chunk: number): number {
    const numbers = this.#chunks[chunk];
    return numbers === undefined ? this.#cold!.firstOf(chunk) : numbers[0]!;
  }
}
