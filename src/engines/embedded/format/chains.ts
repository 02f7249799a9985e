// The section `chains`: of every record, the rows of three tokens and more in which each two neighbours are
// an indexed pair (pairs.ts), as codes (chain-codes.ts). A phrase of such tokens stands in a record if it
// stands in its chains.
//
// Nothing is stored of a record in whose rows of two tokens and more no token comes twice: there, pairs that
// fit together stand together. So a record with all pairs of a phrase and no bytes here contains the phrase.
// Where a token comes twice and no row has three, one BETWEEN is stored.
//
//   block      of 64 docs: by doc a varint, how many bytes; then the bytes of each, one after the other
//   starts     u32, where each block begins in the section, and the end of the last

import { Buffer } from 'node:buffer';
import { ByteWriter } from '../../../packing/bytes.ts';
import type { ByteSource, Footer } from './segment-file.ts';

export const CHAINS = 'chains';

/** How many tokens a chain has at least: rows of two are settled by the list of their pair. */
export const MIN_CHAIN = 3;

const BLOCK_DOCS = 64;

/** Takes the chains of each doc, in order, and hands on blocks as they are full. */
export class ChainWriter {
  readonly #append: (bytes: Uint8Array) => void;
  readonly #lengths = new ByteWriter(BLOCK_DOCS * 2);
  readonly #bytes = new ByteWriter(1 << 13);
  readonly #starts: number[] = [0];
  #end = 0;
  #inBlock = 0;

  /** `append` takes bytes of the section that are valid until it returns. */
  constructor(append: (bytes: Uint8Array) => void) {
    this.#append = append;
  }

  /** The chains of the next doc: the bytes from `start` to `end`. */
  add(bytes: Uint8Array, start: number, end: number): void {
    this.#lengths.varint(end - start);
    this.#bytes.raw(bytes, start, end);
    if (++this.#inBlock === BLOCK_DOCS) this.#endBlock();
  }

  /** Call it once, behind the last doc. */
  finish(): void {
    if (this.#inBlock > 0) this.#endBlock();
    this.#hand(Buffer.alloc(-this.#end & 3));
    this.#hand(new Uint8Array(Uint32Array.from(this.#starts).buffer));
  }

  #endBlock(): void {
    this.#hand(this.#lengths.written());
    this.#hand(this.#bytes.written());
    this.#starts.push(this.#end);
    this.#lengths.length = 0;
    this.#bytes.length = 0;
    this.#inBlock = 0;
  }

  #hand(bytes: Uint8Array): void {
    this.#append(bytes);
    this.#end += bytes.length;
  }
}

/** Where the blocks of a segment are. */
export interface ChainIndex {
  /** Of the section in the file. */
  readonly offset: number;
  /** By block: where it begins in the section; then the end of the last. */
  readonly starts: Uint32Array;
}

/** Throws a StorageError where they cannot be read. */
export function readChainIndex(source: ByteSource, { docs, sections }: Footer): ChainIndex {
  const section = sections[CHAINS]!;
  const numbers = new Uint32Array(Math.ceil(docs / BLOCK_DOCS) + 1);
  source.readInto(numbers, section.offset + section.length - numbers.byteLength, numbers.byteLength);
  return { offset: section.offset, starts: numbers };
}

/** Bytes that are read at once where docs lie close together. */
export const WINDOW_BYTES = 1 << 16;
/** Reading one block takes as long as copying those of this many docs in between. */
const NEAR_DOCS = 400;

/** Reads the chains of ascending docs. */
export class ChainReader {
  readonly #source: ByteSource;
  readonly #index: ChainIndex;
  readonly #docs: number;
  readonly #room: Buffer;
  /** How many bytes are read at once, if that is more than a block. */
  readonly #reach: number;
  /** The blocks that are in the window, whole ones. */
  #firstBlock = 0;
  #endBlock = 0;
  #openBlock = -1;
  /** The doc of the open block that was found last, and where the length of the next one is. */
  #inBlock = 0;
  #lengthAt = 0;
  /** Holds the chains that were found last, from `start` to `end`. */
  bytes: Buffer;
  start = 0;
  end = 0;

  /**
   * `room`: of WINDOW_BYTES, for this reader alone as long as it is used. `gap`: how many docs lie between two
   * that are asked for, on average; 1: all are.
   */
  constructor(source: ByteSource, index: ChainIndex, docs: number, room: Buffer, gap: number) {
    this.#source = source;
    this.#index = index;
    this.#docs = docs;
    this.#room = room;
    this.#reach = gap < NEAR_DOCS ? WINDOW_BYTES : 0;
    this.bytes = room;
  }

  /**
   * Sets `bytes`, `start` and `end`, valid until the next call, for a later doc than the last. Throws a
   * SegmentDamage.
   */
  find(doc: number): void {
    const block = Math.floor(doc / BLOCK_DOCS);
    if (block !== this.#openBlock) this.#open(block);
    const { bytes } = this;
    let at = this.#lengthAt;
    let start = this.end;
    for (let left = doc - block * BLOCK_DOCS - this.#inBlock; ; left--) {
      let length = bytes[at++]!;
      if (length >= 0x80) {
        length &= 0x7f;
        for (let shift = 7; ; shift += 7) {
          const byte = bytes[at++]!;
          length |= (byte & 0x7f) << shift;
          if (byte < 0x80) break;
        }
      }
      if (left === 0) {
        this.start = start;
        this.end = start + length;
        break;
      }
      start += length;
    }
    this.#lengthAt = at;
    this.#inBlock = doc - block * BLOCK_DOCS + 1;
  }

  #open(block: number): void {
    if (block < this.#firstBlock || block >= this.#endBlock) this.#read(block);
    const { bytes } = this;
    let at = this.#index.starts[block]! - this.#index.starts[this.#firstBlock]!;
    this.#lengthAt = at;
    for (let left = Math.min(BLOCK_DOCS, this.#docs - block * BLOCK_DOCS); left > 0; at++) {
      if (bytes[at]! < 0x80) left--;
    }
    this.end = at;
    this.#inBlock = 0;
    this.#openBlock = block;
  }

  #read(block: number): void {
    const { offset, starts } = this.#index;
    const from = starts[block]!;
    let end = block + 1;
    while (end < starts.length - 1 && starts[end + 1]! - from <= this.#reach) end++;
    const length = starts[end]! - from;
    // One block of long texts may have more bytes.
    this.bytes = length <= this.#room.length ? this.#room : Buffer.allocUnsafeSlow(length);
    this.#source.readInto(this.bytes, offset + from, length);
    this.#firstBlock = block;
    this.#endBlock = end;
  }
}
