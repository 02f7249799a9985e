// The posting lists of several segments as one: keys of all dictionaries in order, and the lists of each key under new
// docIds. Each dictionary says how much a key shares with the one before, so most keys can be told apart without a
// comparison (LCP merge: Ng and Kakehi, "Merging String Sequences by Longest Common Prefixes", 2008).

import { ByteReader, grown } from '../../packing/bytes.ts';
import { KeyReader, unitRank } from '../format/dictionary.ts';
import { UNKNOWN_PAYLOAD } from '../format/neighbours.ts';
import {
  decodeChunks,
  MAX_INLINE,
  MAX_SPARSE,
  PAYLOAD_MARK,
  readDeltas,
  readSparse,
} from '../format/posting-codec.ts';
import { ByteWindow } from '../format/segment-file.ts';
import type { Segment } from '../index/segment.ts';

/** Bytes that are read at once. */
const WINDOW_BYTES = 1 << 18;

/** All of them are read, in order: whatever comes next is near. */
function postingsOf({ source, data }: Segment): ByteWindow {
  return new ByteWindow(source, data.footer.sections.postings!, WINDOW_BYTES, Infinity);
}

/** A walk over the keys of one dictionary. Whoever uses a key must read its entry. */
class KeyCursor extends KeyReader {
  readonly reader: ByteReader;
  readonly #offsets: Float64Array;
  readonly #window: ByteWindow;
  #block = -1;
  #blockEnd = 0;

  constructor(segment: Segment) {
    super();
    this.#offsets = segment.data.columns.offsets;
    this.#window = postingsOf(segment);
    this.reader = new ByteReader(this.#window.bytes);
  }

  /** The entry of the key before must have been read. Returns how many bytes both keys share; −1: there are no more. */
  next(): number {
    return this.reader.at < this.#blockEnd || this.#openBlock() ? this.read(this.reader) : -1;
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

  /** The current key: its bytes stand there, `length` of them. */
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
      if (common < least.length && (common === cursor.length || isBelow(cursor, least, common))) {
        // What is above the one that was least shares with this one what that one does, or less.
        for (let j = 0; j < i; j++) shared[nearest[j]!] = Math.min(shared[nearest[j]!]!, common);
        for (let j = 0; j < holding; j++) shared[holders[j]!] = common;
        least = cursor;
        holders[0] = number;
        holding = 1;
      } else if (common === least.length && common === cursor.length) holders[holding++] = number;
      else shared[number] = common;
    }
    this.holding = found === 0 ? 0 : holding;
  }
}

/** At least `from`. */
function sharedBytes(a: KeyCursor, b: KeyCursor, from: number): number {
  const [one, other] = [a.key, b.key];
  const most = Math.min(a.length, b.length);
  let common = from;
  while (common < most && one[common] === other[common]) common++;
  return common;
}

/** Both have a byte behind the `common` ones that they share. */
function isBelow(a: KeyCursor, b: KeyCursor, common: number): boolean {
  return unitRank(a.key[common]!) < unitRank(b.key[common]!);
}

/** In a map of docIds: the record was left behind. */
export const LEFT_BEHIND = 0xffffffff;

/** A list with more than this share of the docs is ordered by setting bits. */
const DENSE_SHARE = 1 / 64;
/** Shorter ones are ordered by insertion. */
const INSERTED = 24;

/** In `steps` of a NearMap: look into the map itself. */
const FAR = 0xff;
const MAX_GROUP_BITS = 5;
/** Groups are as large as may be expected to span about half of what a step can say. */
const GROUP_SPAN = FAR / 2;

/**
 * A map of docIds in a quarter of the memory: the lists of a segment look up every docId in no order that a cache
 * could foresee, those of all sources by turns. The records of a source keep their order, so neighbours are
 * neighbours: of each group of them the first new docId, and of each the step from that one.
 */
interface NearMap {
  /** A group has 1 << `bits` docIds. */
  readonly bits: number;
  readonly heads: Uint32Array;
  readonly steps: Uint8Array;
}

/** Of the docIds from `from` to `to` in a segment of `docs` records, whose maps have `base` added. */
function nearMap(map: Uint32Array, from: number, to: number, base: number, docs: number): NearMap {
  const wanted = Math.log2((GROUP_SPAN * Math.max(1, to - from)) / docs);
  const bits = Math.max(0, Math.min(MAX_GROUP_BITS, Math.floor(wanted)));
  const heads = new Uint32Array((map.length >>> bits) + 1);
  const steps = new Uint8Array(map.length).fill(FAR);
  let group = -1;
  let head = 0;
  for (let doc = from; doc < to; doc++) {
    const mapped = map[doc]!;
    if (mapped === LEFT_BEHIND) continue;
    if (doc >>> bits !== group) {
      group = doc >>> bits;
      head = mapped;
      heads[group] = head - base;
    }
    if (mapped - head < FAR) steps[doc] = mapped - head;
  }
  return { bits, heads, steps };
}

/** A segment whose lists are read, one after the other as its dictionary has them. */
export class ListSource {
  readonly #segment: Segment;
  readonly #window: ByteWindow;
  readonly #into: Gatherer;
  /** By docId: the new one, or LEFT_BEHIND. */
  readonly #map: Uint32Array;
  readonly #near: NearMap;
  readonly #to: number;
  #decoded = new Uint32Array(0);

  /** What is read goes into `into`. docIds before `from`, and from `to` on, are not in its segment. */
  constructor(segment: Segment, map: Uint32Array, from: number, to: number, into: Gatherer) {
    this.#segment = segment;
    this.#window = postingsOf(segment);
    this.#into = into;
    this.#map = map;
    this.#near = nearMap(map, from, to, into.base, into.docs);
    this.#to = to;
  }

  /** Reads the entry at the reader; adds the new docIds of its list. `width`: bytes of each payload, if there are. */
  gather(reader: ByteReader, width: number): void {
    let count = reader.varint();
    let payloads = 0;
    if (count === PAYLOAD_MARK) {
      payloads = reader.varint();
      count = reader.varint();
    } else if (count <= MAX_INLINE) {
      reader.at = this.#gatherFew(reader.bytes, reader.at, count);
      return;
    }
    const docs = this.#roomFor(count);
    if (count <= MAX_INLINE) readDeltas(reader, docs, count);
    else this.#readDocs(docs, count, reader.varint(), reader.varint());
    const start = this.#into.length;
    this.#gatherDocs(docs, count);
    if (payloads > 0 && this.#segment.hasPayloads) this.#gatherPayloads(docs, count, payloads, width, start);
  }

  #readDocs(docs: Uint32Array, count: number, offset: number, length: number): void {
    const at = this.#window.at(offset, length);
    const { bytes } = this.#window;
    if (count <= MAX_SPARSE) readSparse(bytes, at, count, length, this.#segment, docs);
    else decodeChunks(bytes.subarray(at, at + length), docs, this.#segment.docs);
  }

  /** Of the docs, which were gathered from `start` on, but for those that are left behind. */
  #gatherPayloads(docs: Uint32Array, count: number, offset: number, width: number, start: number): void {
    const at = this.#window.at(offset, count * width);
    const { bytes } = this.#window;
    const { base } = this.#into;
    const numbers = this.#into.room(0);
    const into = this.#into.payloads();
    let next = start;
    for (let i = 0; i < count && next < this.#into.length; i++) {
      if (this.#map[docs[i]!]! - base !== numbers[next]) continue;
      const from = at + i * width;
      const others = width === 1 ? 0 : (bytes[from + 1]! << 8) | (bytes[from + 2]! << 16);
      into[numbers[next++]!] = bytes[from]! | others;
    }
  }

  /** Of differences in the dictionary: returns their end. */
  #gatherFew(bytes: Uint8Array, start: number, count: number): number {
    const { bits, heads, steps } = this.#near;
    const numbers = this.#into.room(count);
    let length = this.#into.length;
    let at = start;
    let doc = 0;
    for (let i = 0; i < count; i++) {
      let byte = bytes[at++]!;
      let delta = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = bytes[at++]!;
        delta |= (byte & 0x7f) << shift;
      }
      doc += delta;
      const step = steps[doc]!;
      if (step !== FAR) numbers[length++] = heads[doc >>> bits]! + step;
      else length = this.#addFar(doc, numbers, length);
    }
    this.#into.endRun(length);
    return at;
  }

  #roomFor(count: number): Uint32Array {
    if (this.#decoded.length < count) {
      const { docs } = this.#segment;
      this.#decoded = new Uint32Array(count <= MAX_SPARSE ? Math.min(MAX_SPARSE, docs) : docs);
    }
    return this.#decoded;
  }

  #gatherDocs(docs: Uint32Array, count: number): void {
    const { bits, heads, steps } = this.#near;
    const numbers = this.#into.room(count);
    const to = this.#to;
    let length = this.#into.length;
    for (let i = 0; i < count; i++) {
      const doc = docs[i]!;
      if (doc >= to) break;
      const step = steps[doc]!;
      if (step !== FAR) numbers[length++] = heads[doc >>> bits]! + step;
      else length = this.#addFar(doc, numbers, length);
    }
    this.#into.endRun(length);
  }

  /** Returns the new length: the docId may be outside of the new segment, or left behind. */
  #addFar(doc: number, numbers: Uint32Array, length: number): number {
    const mapped = (this.#map[doc]! - this.#into.base) >>> 0;
    if (mapped >= this.#into.docs) return length;
    numbers[length] = mapped;
    return length + 1;
  }
}

/** New docIds of one key: those of one source after the other, each a run that goes up. */
export class Gatherer {
  /** How many docs the new segment has; maps have its docIds with `base` added. */
  readonly docs: number;
  readonly base: number;
  #words: Uint32Array | null = null;
  #numbers = new Uint32Array(1 << 12);
  /** Where the first run begins that is not in order with the one before; 0: all are. */
  #unordered = 0;
  length = 0;
  /** By new docId: its payload for the key, UNKNOWN_PAYLOAD for others; made for the first key that has some. */
  #payloads = new Uint32Array(0);
  #hasPayloads = false;
  #taken = new Uint32Array(0);

  constructor(docs: number, base = 0) {
    this.docs = docs;
    this.base = base;
  }

  reset(): void {
    this.length = 0;
    this.#unordered = 0;
    this.#hasPayloads = false;
  }

  /** Where docIds are put, from `length` on; it has room for `more` of them. */
  room(more: number): Uint32Array {
    if (this.length + more > this.#numbers.length) {
      this.#numbers = grown(this.#numbers, this.length + more);
    }
    return this.#numbers;
  }

  /** A run was put there: `length` is where it ends. */
  endRun(length: number): void {
    const start = this.length;
    this.length = length;
    if (start === 0 || start === length || this.#unordered > 0) return;
    if (this.#numbers[start]! < this.#numbers[start - 1]!) this.#unordered = start;
  }

  /** Where payloads are put, by new docId. */
  payloads(): Uint32Array {
    if (this.#payloads.length === 0) this.#payloads = new Uint32Array(this.docs).fill(UNKNOWN_PAYLOAD);
    this.#hasPayloads = true;
    return this.#payloads;
  }

  /** Those of the docIds that `finish` gave, in their order; undefined: no source has any. Call it once a key. */
  takePayloads(): Uint32Array | undefined {
    if (!this.#hasPayloads) return undefined;
    if (this.#taken.length < this.length) this.#taken = new Uint32Array(this.length * 2);
    for (let i = 0; i < this.length; i++) {
      const doc = this.#numbers[i]!;
      this.#taken[i] = this.#payloads[doc]!;
      this.#payloads[doc] = UNKNOWN_PAYLOAD;
    }
    return this.#taken;
  }

  /** The docIds, up: the first `length` of them. Valid until the next `reset`. */
  finish(): Uint32Array {
    if (this.#unordered === 0) return this.#numbers;
    if (this.length <= INSERTED) this.#insert();
    else if (this.length < this.docs * DENSE_SHARE) this.#numbers.subarray(0, this.length).sort();
    else this.#orderByBits();
    return this.#numbers;
  }

  #insert(): void {
    const numbers = this.#numbers;
    for (let i = this.#unordered; i < this.length; i++) {
      const doc = numbers[i]!;
      let at = i;
      for (; at > 0 && numbers[at - 1]! > doc; at--) numbers[at] = numbers[at - 1]!;
      numbers[at] = doc;
    }
  }

  #orderByBits(): void {
    const docs = this.#numbers;
    this.#words ??= new Uint32Array(Math.ceil(this.docs / 32));
    const words = this.#words.fill(0);
    for (let i = 0; i < this.length; i++) words[docs[i]! >>> 5]! |= 1 << (docs[i]! & 31);
    let at = 0;
    for (let i = 0; i < words.length; i++) {
      for (let word = words[i]!; word !== 0; word &= word - 1)
        docs[at++] = (i << 5) + 31 - Math.clz32(word & -word);
    }
  }
}
