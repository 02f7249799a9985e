// The keys of several dictionaries, in order. Each dictionary says how much a key shares with the one before,
// so most keys can be told apart without a comparison (LCP merge: Ng and Kakehi, "Merging String Sequences by
// Longest Common Prefixes", 2008).

import { Buffer } from 'node:buffer';
import { ByteReader } from '../../../packing/bytes.ts';
import { ByteWindow } from '../format/segment-file.ts';
import type { Segment } from '../index/segment.ts';

/** A walk over the keys of one dictionary. */
class KeyCursor {
  /** The current key as UTF-8. */
  key: Buffer = Buffer.alloc(512);
  keyLength = 0;
  /** Is after the key: whoever uses the key must read its entry. */
  readonly reader: ByteReader;
  readonly #offsets: Float64Array;
  readonly #window: ByteWindow;
  #block = -1;
  #blockEnd = 0;

  constructor({ source, data }: Segment) {
    const { offset, length } = data.footer.sections.postings!;
    this.#offsets = data.columns.offsets;
    this.#window = new ByteWindow(source, offset + length);
    this.reader = new ByteReader(this.#window.bytes);
  }

  /** The entry of the key before must have been read. Returns how many bytes both keys share; −1: there are no more. */
  next(): number {
    const { reader } = this;
    const isFirst = reader.at >= this.#blockEnd;
    if (isFirst && !this.#openBlock()) return -1;
    const shared = reader.varint();
    const own = reader.varint();
    const length = shared + own;
    if (length > this.key.length) this.key = Buffer.concat([this.key], length * 2);
    const { key } = this;
    const { bytes, at } = reader;
    // The first key of a block is whole.
    let common = shared;
    if (isFirst) {
      while (common < Math.min(own, this.keyLength) && bytes[at + common] === key[common]) common++;
    }
    for (let i = 0; i < own; i++) key[shared + i] = bytes[at + i]!;
    reader.at = at + own;
    this.keyLength = length;
    return common;
  }

  #openBlock(): boolean {
    if (++this.#block * 2 >= this.#offsets.length) return false;
    const begin = this.#offsets[this.#block * 2]!;
    const length = this.#offsets[this.#block * 2 + 1]! - begin;
    this.reader.at = this.#window.at(begin, length);
    this.reader.bytes = this.#window.bytes;
    this.#blockEnd = this.reader.at + length;
    return true;
  }
}

/** Walks over several dictionaries side by side. */
export class MergedKeys {
  readonly cursors: readonly KeyCursor[];
  /** The cursors that stand at the current key, by number, up: the first `holding` of them. */
  readonly holders: Uint32Array;
  holding = 0;
  /** By cursor: how many bytes its key shares with the last key of all together; −1: it has no more. */
  readonly #shared: Int32Array;
  /** Those that share the most with the last key. */
  readonly #nearest: Uint32Array;

  constructor(segments: readonly Segment[]) {
    this.cursors = segments.map((segment) => new KeyCursor(segment));
    this.holders = new Uint32Array(segments.length);
    this.#nearest = new Uint32Array(segments.length);
    this.#shared = Int32Array.from(this.cursors, (cursor) => Math.min(0, cursor.next()));
  }

  /** The current key: its bytes stand there, `keyLength` of them. */
  get current(): KeyCursor {
    return this.cursors[this.holders[0]!]!;
  }

  /** Moves to the next key; false: there are no more. The entries of the key before have been read. */
  next(): boolean {
    const shared = this.#shared;
    for (let i = 0; i < this.holding; i++) {
      const number = this.holders[i]!;
      shared[number] = this.cursors[number]!.next();
    }
    // All keys come behind the last one: the more a key shares with it, the nearer it is.
    const nearest = this.#nearest;
    let most = 0;
    let found = 0;
    for (let number = 0; number < shared.length; number++) {
      const own = shared[number]!;
      if (own < most) continue;
      if (own > most) {
        most = own;
        found = 0;
      }
      nearest[found++] = number;
    }
    this.#findHolders(found, most);
    return found > 0;
  }

  /** Of the first `found` of the nearest ones, which share `most` bytes: those with the least key. */
  #findHolders(found: number, most: number): void {
    const { cursors, holders } = this;
    const shared = this.#shared;
    const nearest = this.#nearest;
    holders[0] = nearest[0]!;
    let holding = 1;
    let least = cursors[nearest[0]!]!;
    for (let i = 1; i < found; i++) {
      const number = nearest[i]!;
      const cursor = cursors[number]!;
      const common = sharedBytes(cursor, least, most);
      if (common < least.keyLength && (common === cursor.keyLength || isBelow(cursor, least, common))) {
        // What is above the one that was least shares with this one what that one does, or less.
        for (let j = 0; j < i; j++) shared[nearest[j]!] = Math.min(shared[nearest[j]!]!, common);
        for (let j = 0; j < holding; j++) shared[holders[j]!] = common;
        least = cursor;
        holders[0] = number;
        holding = 1;
      } else if (common === least.keyLength && common === cursor.keyLength) holders[holding++] = number;
      else shared[number] = common;
    }
    this.holding = found === 0 ? 0 : holding;
  }
}

/** At least `from`. */
function sharedBytes(a: KeyCursor, b: KeyCursor, from: number): number {
  const [one, other] = [a.key, b.key];
  const most = Math.min(a.keyLength, b.keyLength);
  let common = from;
  while (common < most && one[common] === other[common]) common++;
  return common;
}

/** Both have a byte behind the `common` ones that they share. */
function isBelow(a: KeyCursor, b: KeyCursor, common: number): boolean {
  return rank(a.key[common]!) < rank(b.key[common]!);
}

/** Of a byte of UTF-8: keys are in the order of UTF-16, where U+E000 to U+FFFF come behind all that is longer. */
function rank(byte: number): number {
  return byte === 0xee || byte === 0xef ? byte + 0x10 : byte;
}
