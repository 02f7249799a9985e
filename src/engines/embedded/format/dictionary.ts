// The dictionary of a segment: every key (keys.ts), in the order of its UTF-16 units, with its posting list.
// Keys are in blocks of 128; each key after the first is without the bytes it shares with the one before.
//
//   entry      varint bytes shared, varint bytes of its own, those bytes (UTF-8), then by posting-codec.ts:
//              varint count, and the differences themselves (up to 16), or varint offset and varint length of the list
//   block      entries one after the other; where blocks begin and their first keys are two columns

import { Buffer } from 'node:buffer';
import { ByteReader } from '../../../packing/bytes.ts';
import { type PostingEntry, readEntry, skipEntry } from './posting-codec.ts';
import type { ByteSource } from './segment-file.ts';

/** Every block but the last has as many. */
export const BLOCK_KEYS = 128;

/** Where the blocks of a dictionary are; small enough to be kept in memory. */
export interface BlockIndex {
  /** Offset of each block, and of the end of the last one, in pairs: begin, end. */
  readonly offsets: Float64Array;
  /** First key of each block as UTF-8, one after the other. */
  readonly keys: Uint8Array;
  /** Where each first key begins in `keys`, and the end of the last. */
  readonly keyStarts: Uint32Array;
}

/** The reader is after the key: its user must read or skip the entry. */
export interface KeyAndEntry {
  readonly key: string;
  readonly reader: ByteReader;
}

/** Keys `from <= number < to` of a dictionary, numbered from 0; every block but the last has BLOCK_KEYS of them. */
export interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/** A block in memory: its keys `from` to before `to` (from 0) are meant. `bytes` are those of the file at `offset`. */
export interface BlockWindow {
  readonly bytes: Buffer;
  readonly offset: number;
  /** Where the block begins in `bytes`. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** How many bytes are read at once. */
const MAX_WINDOW = 1 << 20;

/** What was read last. */
let windowBytes = Buffer.allocUnsafeSlow(0);

/** Finds keys. */
export class Dictionary {
  readonly #source: ByteSource;
  readonly #index: BlockIndex;
  readonly #keys: Buffer;
  /** First keys, decoded when asked for. */
  readonly #firstKeys: (string | undefined)[] = [];
  #loadedBlock = -1;
  #loaded: Buffer = Buffer.alloc(0);

  constructor(source: ByteSource, index: BlockIndex) {
    this.#source = source;
    this.#index = index;
    this.#keys = Buffer.from(index.keys.buffer as ArrayBuffer, index.keys.byteOffset, index.keys.length);
  }

  get blocks(): number {
    return this.#index.offsets.length / 2;
  }

  /** null if the key does not exist. */
  find(key: string): PostingEntry | null {
    const block = this.#blockOf(key);
    if (block < 0) return null;
    const wanted = Buffer.from(key);
    const reader = new ByteReader(this.#load(block));
    const { bytes } = reader;
    /** How many bytes of `wanted` the last key began with. */
    let agreed = 0;
    while (!reader.atEnd) {
      const shared = reader.varint();
      const own = reader.varint();
      const start = reader.at;
      reader.at += own;
      if (shared <= agreed) {
        agreed = shared;
        const most = Math.min(own, wanted.length - shared);
        let i = 0;
        while (i < most && bytes[start + i] === wanted[shared + i]) i++;
        agreed += i;
        if (agreed === wanted.length && shared + own === wanted.length) return readEntry(reader);
      }
      skipEntry(reader);
    }
    return null;
  }

  /** The entries of those of these keys that are there; keys go up by their UTF-16 units. Reads each block once. */
  *findAll(keys: readonly string[]): Generator<PostingEntry> {
    for (let at = 0; at < keys.length; ) {
      const block = this.#blockOf(keys[at]!);
      if (block >= 0) at = yield* this.#findInBlock(block, keys, at);
      const next = block + 1 < this.blocks ? this.#firstKey(block + 1) : null;
      while (at < keys.length && (next === null || keys[at]! < next)) at++;
    }
  }

  /** The same of those from `from` on, as far as the block goes: returns the first that is above all of its keys. */
  *#findInBlock(block: number, keys: readonly string[], from: number): Generator<PostingEntry, number> {
    const reader = new ByteReader(this.#read(block));
    let key = Buffer.allocUnsafe(512);
    let at = from;
    let wanted = Buffer.from(keys[at]!);
    while (!reader.atEnd) {
      const shared = reader.varint();
      const length = shared + reader.varint();
      if (length > key.length) key = Buffer.concat([key, Buffer.allocUnsafe(length)]);
      // Mostly some bytes: copying them here costs a fraction of a call.
      for (let to = shared; to < length; to++) key[to] = reader.bytes[reader.at++]!;
      let order = compareKeys(wanted, wanted.length, key, length);
      while (order < 0 && ++at < keys.length) {
        wanted = Buffer.from(keys[at]!);
        order = compareKeys(wanted, wanted.length, key, length);
      }
      if (at === keys.length) break;
      if (order === 0) yield readEntry(reader);
      else skipEntry(reader);
    }
    return at;
  }

  /** Keys from the first that is not below `from`, in order, as long as they begin with `prefix`. */
  *walk(prefix: string, from = prefix): Generator<KeyAndEntry> {
    for (let block = Math.max(0, this.#blockOf(from)); block < this.blocks; block++) {
      for (const found of this.#walkBlock(block)) {
        if (found.key < from) skipEntry(found.reader);
        else if (found.key.startsWith(prefix)) yield found;
        else return;
      }
    }
  }

  *#walkBlock(block: number): Generator<KeyAndEntry> {
    const reader = new ByteReader(this.#read(block));
    let key: Buffer = Buffer.alloc(512);
    while (!reader.atEnd) {
      const shared = reader.varint();
      const own = reader.varint();
      if (shared + own > key.length) key = Buffer.concat([key, Buffer.alloc(shared + own)]);
      reader.bytes.copy(key, shared, reader.at, reader.at + own);
      reader.at += own;
      yield { key: key.toString('utf8', 0, shared + own), reader };
    }
  }

  /** Where the keys that start with `prefix` are. */
  range(prefix: string): KeyRange {
    const from = this.#position((key) => key < prefix);
    const to = this.#position((key) => key < prefix || key.startsWith(prefix));
    return { from, to };
  }

  /**
   * The blocks of a range, one after the other, each with the lists of its keys if those have at most
   * MAX_WINDOW bytes: they are adjacent in the file and read together. Valid until the thread reads another.
   */
  *windows({ from, to }: KeyRange): Generator<BlockWindow> {
    const { offsets } = this.#index;
    const last = Math.ceil(to / BLOCK_KEYS) - 1;
    for (let first = Math.floor(from / BLOCK_KEYS); first <= last; ) {
      let end = first;
      const begin = this.#windowBegin(first);
      while (end < last && offsets[end * 2 + 3]! - begin <= MAX_WINDOW) end++;
      const length = offsets[end * 2 + 1]! - begin;
      if (windowBytes.length < length) windowBytes = Buffer.allocUnsafeSlow(length);
      const bytes = windowBytes.subarray(0, length);
      this.#source.readInto(bytes, begin, length);
      for (let block = first; block <= end; block++) {
        yield {
          bytes,
          offset: begin,
          at: offsets[block * 2]! - begin,
          from: Math.max(0, from - block * BLOCK_KEYS),
          to: Math.min(BLOCK_KEYS, to - block * BLOCK_KEYS),
        };
      }
      first = end + 1;
    }
  }

  /**
   * Where the lists of the block's keys begin, which were written before it; where the block begins, if they
   * are long.
   */
  #windowBegin(block: number): number {
    const { offsets } = this.#index;
    const begin = block === 0 ? Infinity : offsets[block * 2 - 1]!;
    return offsets[block * 2 + 1]! - begin <= MAX_WINDOW && begin <= offsets[block * 2]!
      ? begin
      : offsets[block * 2]!;
  }

  /** How many keys satisfy `isBefore`; the order of the keys puts these first. */
  #position(isBefore: (key: string) => boolean): number {
    let low = 0;
    let high = this.blocks;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#firstKey(middle))) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return 0;
    let position = (low - 1) * BLOCK_KEYS;
    for (const { key, reader } of this.#walkBlock(low - 1)) {
      if (!isBefore(key)) break;
      skipEntry(reader);
      position++;
    }
    return position;
  }

  /** The last block whose first key is not above `key`; −1 if all are above. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.blocks;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#firstKey(middle) <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #firstKey(block: number): string {
    const { keyStarts } = this.#index;
    this.#firstKeys[block] ??= this.#keys.toString('utf8', keyStarts[block]!, keyStarts[block + 1]!);
    return this.#firstKeys[block]!;
  }

  /**
   * The block in memory, which the next call may overwrite; neighbours are often read one after the other.
   */
  #load(block: number): Buffer {
    if (block !== this.#loadedBlock) {
      this.#loadedBlock = -1;
      this.#loaded = this.#read(block);
      this.#loadedBlock = block;
    }
    return this.#loaded;
  }

  #read(block: number): Buffer {
    const { offsets } = this.#index;
    const begin = offsets[block * 2]!;
    const bytes = Buffer.allocUnsafe(offsets[block * 2 + 1]! - begin);
    this.#source.readInto(bytes, begin, bytes.length);
    return bytes;
  }
}

/** Below, at or above 0: the order of two keys in UTF-8 by their UTF-16 units. */
function compareKeys(one: Buffer, oneLength: number, other: Buffer, otherLength: number): number {
  const length = Math.min(oneLength, otherLength);
  let at = 0;
  while (at < length && one[at] === other[at]) at++;
  return at === length ? oneLength - otherLength : unitRank(one[at]!) - unitRank(other[at]!);
}

/** Of bytes that differ first: as UTF-16, what takes four bytes (surrogates) stands before U+E000 to U+FFFF. */
function unitRank(byte: number): number {
  if (byte < 0xee) return byte;
  return byte >= 0xf0 ? byte - 2 : byte + 0x10;
}
