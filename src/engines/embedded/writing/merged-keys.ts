// The keys of several dictionaries, in order. Each dictionary says how much a key shares with the one before,
// so most keys can be told apart without a comparison (LCP merge: Ng and Kakehi, "Merging String Sequences by
// Longest Common Prefixes", 2008).

import { Buffer } from 'node:buffer';
import { ByteReader } from '../../../packing/bytes.ts';
import { ByteWindow } from '../format/byte-window.ts';
import type { Segment } from '../index/segment.ts';

/** A walk over the keys of one dictionary. */
export class KeyCursor {
  /** The current key as UTF-8. */
  key: Buffer = Buffer.alloc(512);
  keyLength = 0;
  /** How many bytes the key shares with the last key of all cursors together. */
  shared = 0;
  isAtEnd = false;
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
    this.next();
  }

  /** The entry of the key before must have been read. Sets `shared` to what both keys share. */
  next(): void {
    const { reader } = this;
    const isFirst = reader.at >= this.#blockEnd;
    if (isFirst && !this.#openBlock()) return;
    const shared = reader.varint();
    const own = reader.varint();
    if (shared + own > this.key.length) this.key = Buffer.concat([this.key], (shared + own) * 2);
    const { bytes, at } = reader;
    // The first key of a block is whole.
    let common = shared;
    if (isFirst) {
      while (common < Math.min(own, this.keyLength) && bytes[at + common] === this.key[common]) common++;
    }
    const { key } = this;
    for (let i = 0; i < own; i++) key[shared + i] = bytes[at + i]!;
    reader.at = at + own;
    this.keyLength = shared + own;
    this.shared = common;
  }

  #openBlock(): boolean {
    if (++this.#block * 2 >= this.#offsets.length) {
      this.isAtEnd = true;
      return false;
    }
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

  constructor(segments: readonly Segment[]) {
    this.cursors = segments.map((segment) => new KeyCursor(segment));
    this.holders = new Uint32Array(segments.length);
    for (const cursor of this.cursors) cursor.shared = 0;
  }

  /** The current key: its bytes stand there, `keyLength` of them. */
  get current(): KeyCursor {
    return this.cursors[this.holders[0]!]!;
  }

  /** Moves to the next key; false: there are no more. The entries of the key before have been read. */
  next(): boolean {
    for (let i = 0; i < this.holding; i++) this.cursors[this.holders[i]!]!.next();
    this.holding = 0;
    let least: KeyCursor | null = null;
    for (const cursor of this.cursors) {
      if (!cursor.isAtEnd && (least === null || isBefore(cursor, least))) least = cursor;
    }
    if (least === null) return false;
    const { shared } = least;
    for (let number = 0; number < this.cursors.length; number++) {
      const cursor = this.cursors[number]!;
      if (cursor.isAtEnd) continue;
      // All keys come behind the last one: who shares less with it differs from the least one where it differs from it.
      if (cursor.shared === shared) cursor.shared = sharedBytes(cursor, least, shared);
      if (cursor.shared === least.keyLength && cursor.keyLength === least.keyLength) {
        this.holders[this.holding++] = number;
      }
    }
    return true;
  }
}

/** Both share with the last key what their `shared` says. */
function isBefore(a: KeyCursor, b: KeyCursor): boolean {
  if (a.shared !== b.shared) return a.shared > b.shared;
  const common = sharedBytes(a, b, a.shared);
  if (common === b.keyLength) return false;
  return common === a.keyLength || rank(a.key[common]!) < rank(b.key[common]!);
}

/** At least `from`. */
function sharedBytes(a: KeyCursor, b: KeyCursor, from: number): number {
  const most = Math.min(a.keyLength, b.keyLength);
  let common = from;
  while (common < most && a.key[common] === b.key[common]) common++;
  return common;
}

/** Of a byte of UTF-8: keys are in the order of UTF-16, where U+E000 to U+FFFF come behind all that is longer. */
function rank(byte: number): number {
  return byte === 0xee || byte === 0xef ? byte + 0x10 : byte;
}
