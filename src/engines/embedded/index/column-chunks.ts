// Reads what a segment's bytes have of a column (format/column-codec.ts): a chunk, or one number.

import {
  type ColumnChunk,
  type ColumnIndex,
  decodeChunk,
  indexBytes,
  readColumnIndex,
} from '../format/column-codec.ts';
import type { ByteSource, Section } from '../format/segment-file.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';

/** What was read last; reads are synchronous. */
let bytes = new Uint8Array(1 << 12);
const four = new Uint8Array(4);

export class ColumnChunks {
  readonly index: ColumnIndex;
  readonly #source: ByteSource;
  readonly #offset: number;

  constructor(source: ByteSource, { offset }: Section, index: ColumnIndex) {
    this.#source = source;
    this.#offset = offset;
    this.index = index;
  }

  /** Of a column with so many numbers, written by column-codec.ts. */
  static coded(source: ByteSource, section: Section, count: number): ColumnChunks {
    const index = new Uint8Array(indexBytes(count));
    source.readInto(index, section.offset, index.length);
    return new ColumnChunks(source, section, readColumnIndex(index));
  }

  /** Of the column `bloom`, whose numbers stand there as they are in memory. */
  static raw(source: ByteSource, section: Section, count: number): ColumnChunks {
    const width = 4;
    const chunks = Array.from({ length: Math.ceil(count / CHUNK_DOCS) }, (_, i): ColumnChunk => {
      const held = Math.min(CHUNK_DOCS, count - i * CHUNK_DOCS);
      const plain = { isAscending: false, width, base: 0, exceptions: 0 } as const;
      return { ...plain, count: held, offset: i * CHUNK_DOCS * width, length: held * width };
    });
    return new ColumnChunks(source, section, { count, isSigned: false, isNarrow: false, chunks });
  }

  /** Fills `into` with the numbers of a chunk, modulo 2^32; it has room for them. */
  read(number: number, into: Uint32Array): void {
    const chunk = this.index.chunks[number]!;
    if (isPlain(chunk) && chunk.width === 4 && chunk.base === 0) {
      // Of all 32 bits there is nothing to decode: they are not copied twice.
      this.readData(chunk, into);
      return;
    }
    if (bytes.length < chunk.length) bytes = new Uint8Array(chunk.length * 2);
    this.readData(chunk, bytes);
    decodeChunk(bytes, chunk, into);
  }

  /** The data of a chunk as they are written, without what stands behind the numbers where `into` has no room. */
  readData({ offset, length }: ColumnChunk, into: Uint8Array | Uint16Array | Uint32Array): void {
    this.#source.readInto(into as Uint8Array, this.#offset + offset, Math.min(length, into.byteLength));
  }

  /** One number of a plain chunk, modulo 2^32. */
  one({ offset, width, base }: ColumnChunk, place: number): number {
    this.#source.readInto(four, this.#offset + offset + place * width, width);
    let number = four[0]!;
    if (width > 1) number |= four[1]! << 8;
    if (width > 2) number |= (four[2]! << 16) | (four[3]! << 24);
    return (number + base) >>> 0;
  }
}

/** Whether each number can be read without the others. */
export function isPlain({ isAscending, exceptions }: ColumnChunk): boolean {
  return !isAscending && exceptions === 0;
}
