// The dictionary of a segment: every key (keys.ts), in the order of its UTF-16 units, with its posting list.
// Keys are in blocks of 128; each key after the first is without the bytes it shares with the one before.
//
//   entry      varint bytes shared, varint bytes of its own, those bytes (UTF-8), then by posting-codec.ts:
//              0 and varint offset of the payloads, if it has some; varint count, and the differences themselves (up to
//              16), or varint offset and varint length of the list
//   block      entries one after the other; where blocks begin and their first keys are two columns
//
// A key is looked for as UTF-8 (KeySearch); none of those that are passed is made.

import { Buffer } from 'node:buffer';
import { ByteReader } from '../../packing/bytes.ts';
import {
  BLOCK_KEYS,
  BlockCache,
  type HeldBlock,
  type HeldBlocks,
  START_BYTES,
  START_EVERY,
  START_HEAD,
  START_KEY_BYTES,
  writeStarts,
} from './block-cache.ts';
import { afterEntry, type PostingEntry, readEntry, restOfVarint, skipEntry } from './posting-codec.ts';
import type { ByteSource } from './segment-file.ts';

class KeySearch {
  #wanted: Buffer = Buffer.allocUnsafeSlow(512);
  #length = 0;
  #agreed = 0;
  /** Keys of the last searched block that come before the wanted one. */
  before = 0;
  /** Where the entry of the wanted key begins in that block; −1: the block lacks the key. */
  entry = -1;

  want(key: string): void {
    if (this.#wanted.length < key.length * 3) this.#wanted = Buffer.allocUnsafeSlow(key.length * 6);
    const wanted = this.#wanted;
    for (let i = 0; i < key.length; i++) {
      const unit = key.charCodeAt(i);
      if (unit >= 0x80) {
        this.#length = wanted.write(key, 0, 'utf8');
        return;
      }
      wanted[i] = unit;
    }
    this.#length = key.length;
  }

  /** `headOf` the wanted key. */
  get head(): number {
    return headOf(this.#wanted, 0, this.#length);
  }

  /** Compares the wanted key with the one in `bytes` from `from` to before `to`: below, at or above 0. */
  compare(bytes: Buffer, from: number, to: number): number {
    const wanted = this.#wanted;
    const most = Math.min(this.#length, to - from);
    let same = 0;
    while (same < most && wanted[same] === bytes[from + same]) same++;
    if (same === most) return this.#length - (to - from);
    return unitRank(wanted[same]!) - unitRank(bytes[from + same]!);
  }

  /** Whether the key in `bytes` from `from` to before `to` begins with the wanted one. */
  begins(bytes: Buffer, from: number, to: number): boolean {
    const wanted = this.#wanted;
    let same = 0;
    while (same < this.#length && from + same < to && wanted[same] === bytes[from + same]) same++;
    return same === this.#length;
  }

  /**
   * Searches the block in `bytes` from `from` to before `to`, followed by `starts` starts. With `isPast` it looks for
   * the end of the keys that begin with the wanted one, and `before` counts those too.
   */
  lookInto(bytes: Buffer, from: number, to: number, starts: number, isPast = false): void {
    const wanted = this.#wanted;
    const length = this.#length;
    this.#agreed = 0;
    const start = this.#startIn(bytes, to, starts);
    let at =
      start < 0
        ? from
        : from + (bytes[to + start * START_BYTES]! | (bytes[to + start * START_BYTES + 1]! << 8));
    let before = (start + 1) * START_EVERY;
    /** How many bytes of the wanted key the last key, which comes before it, begins with. */
    let agreed = this.#agreed;
    this.entry = -1;
    for (; at < to; before++) {
      let shared = bytes[at++]!;
      if (shared >= 0x80) [shared, at] = restOfVarint(bytes, at, shared);
      let own = bytes[at++]!;
      if (own >= 0x80) [own, at] = restOfVarint(bytes, at, own);
      const end = at + own;
      // The key leaves its predecessor earlier than the wanted one does, so it is above both.
      if (shared < agreed) break;
      if (shared === agreed) {
        while (at < end && agreed < length && bytes[at] === wanted[agreed]) {
          at++;
          agreed++;
        }
        if (agreed === length) {
          if (!isPast) {
            if (at === end) this.entry = end;
            break;
          }
        } else if (at < end && unitRank(bytes[at]!) > unitRank(wanted[agreed]!)) break;
      }
      at = afterEntry(bytes, end);
    }
    this.before = before;
  }

  /**
   * The last start after a key before the wanted one; −1: the beginning of the block. Sets how many bytes both share.
   */
  #startIn(bytes: Buffer, to: number, starts: number): number {
    const wanted = this.#wanted;
    let low = 0;
    let high = starts;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = to + middle * START_BYTES;
      const known = bytes[start + 2]!;
      const key = start + START_HEAD;
      const most = Math.min(known, this.#length);
      let same = 0;
      while (same < most && wanted[same] === bytes[key + same]) same++;
      const isBefore =
        same < most
          ? unitRank(bytes[key + same]!) < unitRank(wanted[same]!)
          : known < this.#length && known < START_KEY_BYTES;
      if (isBefore) {
        low = middle + 1;
        this.#agreed = same;
      } else high = middle;
    }
    return low - 1;
  }
}

/** Bytes of the number that stands for the beginning of a key. */
const HEAD_BYTES = 6;

/** A number for the first bytes of a key: of two keys with different numbers, the lower one comes first. */
function headOf(bytes: Buffer, from: number, to: number): number {
  let head = 0;
  for (let at = from; at < from + HEAD_BYTES; at++) head = head * 256 + (at < to ? unitRank(bytes[at]!) : 0);
  return head;
}

/** The rank of the first differing byte: in UTF-16, four-byte characters (surrogates) come before U+E000 to U+FFFF. */
export function unitRank(byte: number): number {
  if (byte < 0xee) return byte;
  return byte >= 0xf0 ? byte - 2 : byte + 0x10;
}

/** Where the blocks of a dictionary are; small enough to stay in memory. */
export interface BlockIndex {
  /** Offset of each block, and of the end of the last one, in pairs: begin, end. */
  readonly offsets: Float64Array;
  /** First key of each block as UTF-8, one after the other. */
  readonly keys: Uint8Array;
  /** Where each first key begins in `keys`, and the end of the last. */
  readonly keyStarts: Uint32Array;
}

/** Reads keys in their order. */
export class KeyReader {
  /** The current key as UTF-8: the first `length` bytes. */
  key: Buffer = Buffer.alloc(512);
  length = 0;

  /**
   * Reads the next key. Leaves `reader` after it: its user must read or skip the entry. Returns how many bytes the key
   * shares with the one before, of another block too.
   */
  read(reader: ByteReader): number {
    const shared = reader.varint();
    const own = reader.varint();
    const length = shared + own;
    if (length > this.key.length) this.key = Buffer.concat([this.key], length * 2);
    const { key } = this;
    const { bytes, at } = reader;
    // The first key of a block is whole.
    const most = Math.min(length, this.length);
    let common = shared;
    while (common < most && bytes[at + common - shared] === key[common]) common++;
    // Mostly a few bytes: copying them here costs a fraction of a call.
    for (let i = 0; i < own; i++) key[shared + i] = bytes[at + i]!;
    reader.at = at + own;
    this.length = length;
    return common;
  }
}

/** Keys `from <= number < to` of a dictionary, numbered from 0; every block but the last has BLOCK_KEYS of them. */
export interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/** A block in memory, of which the keys `from` to before `to` count. `bytes` are those of the file at `offset`. */
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

/** The bytes that were read last. */
let windowBytes = Buffer.allocUnsafeSlow(0);

/** A search by numbers leaves this many blocks, whose first keys are compared whole. */
const HEAD_EVERY = 4;

/** Shared by all dictionaries of the thread. */
const held = new BlockCache();
const search = new KeySearch();
const entries = new ByteReader(windowBytes);

export class Dictionary {
  readonly #source: ByteSource;
  readonly #index: BlockIndex;
  readonly #keys: Buffer;
  /** `headOf` of the first key of every HEAD_EVERY-th block; 0: not made yet. */
  readonly #heads: Float64Array;
  readonly #held: HeldBlocks = new Map();
  /** The block that `findOnce` read last. */
  #last: HeldBlock = { bytes: Buffer.alloc(0), from: 0, to: 0, starts: 0 };
  #lastNumber = -1;

  constructor(source: ByteSource, index: BlockIndex) {
    this.#source = source;
    this.#index = index;
    this.#keys = Buffer.from(index.keys.buffer as ArrayBuffer, index.keys.byteOffset, index.keys.length);
    this.#heads = new Float64Array(Math.ceil(this.blocks / HEAD_EVERY));
  }

  get blocks(): number {
    return this.#index.offsets.length / 2;
  }

  /** null if the key does not exist. */
  find(key: string): PostingEntry | null {
    search.want(key);
    const block = this.#lastBlock();
    if (block < 0) return null;
    return entryIn(this.#block(block));
  }

  /**
   * Like `find`, for many keys that are asked for once (ids of an import): evicts no cached block. Fastest for keys in
   * order.
   */
  findOnce(key: string): PostingEntry | null {
    search.want(key);
    const block = this.#lastBlock();
    if (block < 0) return null;
    if (block !== this.#lastNumber) this.#readLast(block);
    return entryIn(this.#last);
  }

  /** Announces a look-up of this key (ByteSource.readAhead). */
  readAhead(key: string): void {
    search.want(key);
    const block = this.#lastBlock();
    if (block < 0 || this.#held.has(block)) return;
    this.#source.readAhead?.(this.#index.offsets[block * 2]!, this.#length(block));
  }

  /** The entries of the keys that exist. `keys` ascend by UTF-16 units. Reads each block once. */
  *findAll(keys: readonly string[]): Generator<PostingEntry> {
    for (let at = 0; at < keys.length; ) {
      search.want(keys[at]!);
      const block = this.#lastBlock();
      if (block >= 0) at = yield* this.#findInBlock(block, keys, at);
      const next = block + 1 < this.blocks ? this.#firstKey(block + 1) : null;
      while (at < keys.length && (next === null || keys[at]! < next)) at++;
    }
  }

  /** Does the same for the keys from `from` on that this block can have; returns the first key above it. */
  *#findInBlock(block: number, keys: readonly string[], from: number): Generator<PostingEntry, number> {
    const reader = new ByteReader(this.#read(block, Buffer.allocUnsafe(this.#length(block))));
    const read = new KeyReader();
    let at = from;
    search.want(keys[at]!);
    while (!reader.atEnd) {
      read.read(reader);
      let order = search.compare(read.key, 0, read.length);
      while (order < 0 && ++at < keys.length) {
        search.want(keys[at]!);
        order = search.compare(read.key, 0, read.length);
      }
      if (at === keys.length) break;
      if (order !== 0) {
        skipEntry(reader);
        continue;
      }
      yield readEntry(reader);
      // Another key may have been searched since.
      search.want(keys[at]!);
    }
    return at;
  }

  /** All keys, in order, with their entries. */
  *entries(): Generator<{ readonly key: string; readonly entry: PostingEntry }> {
    for (let block = 0; block < this.blocks; block++) {
      const reader = new ByteReader(this.#read(block, Buffer.allocUnsafe(this.#length(block))));
      const keys = new KeyReader();
      while (!reader.atEnd) {
        keys.read(reader);
        yield { key: keys.key.toString('utf8', 0, keys.length), entry: readEntry(reader) };
      }
    }
  }

  /** The range of keys that start with `prefix`. */
  range(prefix: string): KeyRange {
    search.want(prefix);
    return { from: this.#position(false), to: this.#position(true) };
  }

  /** The blocks of a range, each read at once with up to MAX_WINDOW bytes of its lists. Valid until the next one. */
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

  /** Where the lists of the block begin, which precede it; the block's own beginning if they are long. */
  #windowBegin(block: number): number {
    const { offsets } = this.#index;
    const begin = block === 0 ? Infinity : offsets[block * 2 - 1]!;
    return offsets[block * 2 + 1]! - begin <= MAX_WINDOW && begin <= offsets[block * 2]!
      ? begin
      : offsets[block * 2]!;
  }

  /** Number of keys below the wanted one; `isPast`: including those that begin with it. */
  #position(isPast: boolean): number {
    const block =
      this.#firstKeysBefore((keys, from, to) => {
        return search.compare(keys, from, to) > 0 || (isPast && search.begins(keys, from, to));
      }) - 1;
    if (block < 0) return 0;
    const { bytes, from, to, starts } = this.#block(block);
    search.lookInto(bytes, from, to, starts, isPast);
    return block * BLOCK_KEYS + search.before;
  }

  /** Number of blocks whose first key satisfies `isBefore`; these come first. */
  #firstKeysBefore(isBefore: (keys: Buffer, from: number, to: number) => boolean): number {
    const { keyStarts } = this.#index;
    let low = 0;
    let high = this.blocks;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#keys, keyStarts[middle]!, keyStarts[middle + 1]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The last block whose first key is not above the wanted one; −1: all are above. */
  #lastBlock(): number {
    const { keyStarts } = this.#index;
    const keys = this.#keys;
    const heads = this.#heads;
    const wanted = search.head;
    let low = 0;
    let high = heads.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const head = heads[middle] || this.#makeHead(middle);
      if (head < wanted) low = middle + 1;
      else if (head > wanted) high = middle;
      else {
        const block = middle * HEAD_EVERY;
        if (search.compare(keys, keyStarts[block]!, keyStarts[block + 1]!) >= 0) low = middle + 1;
        else high = middle;
      }
    }
    high = Math.min(low * HEAD_EVERY, this.blocks);
    low = Math.max(0, (low - 1) * HEAD_EVERY);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (search.compare(keys, keyStarts[middle]!, keyStarts[middle + 1]!) >= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #makeHead(number: number): number {
    const { keyStarts } = this.#index;
    const block = number * HEAD_EVERY;
    const head = headOf(this.#keys, keyStarts[block]!, keyStarts[block + 1]!);
    this.#heads[number] = head;
    return head;
  }

  #firstKey(block: number): string {
    const { keyStarts } = this.#index;
    return this.#keys.toString('utf8', keyStarts[block]!, keyStarts[block + 1]!);
  }

  /** Starts are made at the second look into a block: most blocks get only one. */
  #block(number: number): HeldBlock {
    const block = this.#held.get(number);
    if (block === undefined) return this.#hold(number);
    if (block.starts < 0) block.starts = writeStarts(block.bytes, block.from, block.to);
    return block;
  }

  #hold(block: number): HeldBlock {
    return held.hold(this.#held, block, this.#length(block), (into) => this.#read(block, into));
  }

  #readLast(block: number): void {
    const length = this.#length(block);
    const bytes = this.#last.bytes.length < length ? Buffer.allocUnsafeSlow(length * 2) : this.#last.bytes;
    // If reading fails, there is no last block.
    this.#lastNumber = -1;
    this.#read(block, bytes);
    this.#last = { bytes, from: 0, to: length, starts: 0 };
    this.#lastNumber = block;
  }

  #length(block: number): number {
    const { offsets } = this.#index;
    return offsets[block * 2 + 1]! - offsets[block * 2]!;
  }

  /** Reads a block into `into`, which is large enough. */
  #read(block: number, into: Buffer): Buffer {
    this.#source.readInto(into, this.#index.offsets[block * 2]!, this.#length(block));
    return into;
  }
}

/** The entry of the wanted key. */
function entryIn({ bytes, from, to, starts }: HeldBlock): PostingEntry | null {
  search.lookInto(bytes, from, to, starts);
  if (search.entry < 0) return null;
  entries.bytes = bytes;
  entries.at = search.entry;
  return readEntry(entries);
}
