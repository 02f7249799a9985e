// Merges the posting lists of one key in several segments, under new docIds.

import type { ByteReader } from '../../../packing/bytes.ts';
import { ByteWindow } from '../format/byte-window.ts';
import { decodeChunks, MAX_DELTAS, MAX_INLINE } from '../format/posting-codec.ts';
import type { Segment } from '../index/segment.ts';

/** In a map of docIds: the record was left behind. */
export const LEFT_BEHIND = 0xffffffff;

/** A list with more than this share of the docs is ordered by setting bits instead of sorting. */
const DENSE_SHARE = 1 / 64;

/** A segment whose lists are read, one after the other as its dictionary has them. */
export class ListSource {
  readonly #docs: number;
  readonly #window: ByteWindow;
  /** By docId: the new one, or LEFT_BEHIND. */
  readonly #map: Uint32Array;
  readonly #to: number;
  #decoded = new Uint32Array(0);

  /** docIds from `to` on do not matter. */
  constructor({ source, data, docs }: Segment, map: Uint32Array, to: number) {
    const { offset, length } = data.footer.sections.postings!;
    this.#docs = docs;
    this.#window = new ByteWindow(source, offset + length);
    this.#map = map;
    this.#to = to;
  }

  /** Reads the entry at the reader; adds the new docIds of its list. */
  gather(reader: ByteReader, into: Gatherer): void {
    const count = reader.varint();
    if (count <= MAX_INLINE) {
      reader.at = this.#gatherDeltas(reader.bytes, reader.at, count, into);
      return;
    }
    const offset = reader.varint();
    const length = reader.varint();
    const at = this.#window.at(offset, length);
    const { bytes } = this.#window;
    if (count <= MAX_DELTAS) this.#gatherDeltas(bytes, at, count, into);
    else {
      if (this.#decoded.length < count) this.#decoded = new Uint32Array(this.#docs);
      decodeChunks(bytes.subarray(at, at + length), this.#decoded, this.#docs);
      into.reserve(count);
      for (let i = 0; i < count; i++) into.push(this.#map[this.#decoded[i]!]!);
    }
  }

  /** Returns the end of the part of the list that was read. */
  #gatherDeltas(bytes: Uint8Array, start: number, count: number, into: Gatherer): number {
    const map = this.#map;
    // In a block, the next key follows the list, which therefore has to be read to its end.
    const to = count <= MAX_INLINE ? Infinity : this.#to;
    let at = start;
    let doc = 0;
    into.reserve(count);
    for (let i = 0; i < count; i++) {
      let byte = bytes[at++]!;
      let delta = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = bytes[at++]!;
        delta |= (byte & 0x7f) << shift;
      }
      doc += delta;
      if (doc >= to) break;
      into.push(map[doc]!);
    }
    return at;
  }
}

/** New docIds of one key. */
export class Gatherer {
  readonly #docs: number;
  readonly #base: number;
  #words: Uint32Array | null = null;
  #numbers = new Uint32Array(1 << 12);
  #isOrdered = true;
  #last = -1;
  length = 0;

  /** `docs`: how many the new segment has; maps have its docIds with `base` added. */
  constructor(docs: number, base = 0) {
    this.#docs = docs;
    this.#base = base;
  }

  reset(): void {
    this.length = 0;
    this.#last = -1;
    this.#isOrdered = true;
  }

  /** Makes room for `more` docIds. */
  reserve(more: number): void {
    if (this.length + more <= this.#numbers.length) return;
    const larger = new Uint32Array(Math.max(this.#numbers.length * 2, this.length + more));
    larger.set(this.#numbers.subarray(0, this.length));
    this.#numbers = larger;
  }

  /** Adds a docId of a map; `reserve` comes first. Skips docIds outside this segment, such as LEFT_BEHIND. */
  push(mapped: number): void {
    const doc = (mapped - this.#base) >>> 0;
    if (doc >= this.#docs) return;
    if (doc < this.#last) this.#isOrdered = false;
    this.#last = doc;
    this.#numbers[this.length++] = doc;
  }

  /** The docIds, up: the first `length` of them. Valid until the next `reset`. */
  finish(): Uint32Array {
    if (this.#isOrdered) return this.#numbers;
    const docs = this.#numbers.subarray(0, this.length);
    if (docs.length < this.#docs * DENSE_SHARE) docs.sort();
    else this.#orderByBits(docs);
    return this.#numbers;
  }

  #orderByBits(docs: Uint32Array): void {
    this.#words ??= new Uint32Array(Math.ceil(this.#docs / 32));
    const words = this.#words.fill(0);
    for (const doc of docs) words[doc >>> 5]! |= 1 << (doc & 31);
    let at = 0;
    for (let i = 0; i < words.length; i++) {
      for (let word = words[i]!; word !== 0; word &= word - 1)
        docs[at++] = (i << 5) + 31 - Math.clz32(word & -word);
    }
  }
}
