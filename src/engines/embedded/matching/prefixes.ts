// Prefixes of a query: the docs of every token that starts with one, gathered from the dictionaries, and whether there
// are too many such tokens.

import { Buffer } from 'node:buffer';
import { MAX_PREFIX_TOKENS } from '../../../model/query.ts';
import { ByteReader } from '../../packing/bytes.ts';
import { ByteTable } from '../format/byte-table.ts';
import { type BlockWindow, type KeyRange, KeyReader } from '../format/dictionary.ts';
import { TOKEN } from '../format/keys.ts';
import { MAX_INLINE, MAX_SPARSE, readCount, skipEntry } from '../format/posting-codec.ts';
import { addChunks, addFew, addSparse, bitsList, type PostingList } from '../index/posting-list.ts';
import type { Segment } from '../index/segment.ts';
import { CHUNK_WORDS, type WordPool } from '../sets/chunk.ts';
import type { Deadline } from './deadline.ts';

/** What is asked of a segment here. */
type Words = Pick<Segment, 'dictionary' | 'source' | 'docs' | 'chunks'>;

/** Microseconds for a key with its docs, measured with 25,000 keys a segment. */
const KEY_COST = 0.13;

/** The docs of one prefix, gathered for each segment when they are asked for. */
export class Prefix {
  readonly #prefix: string;
  readonly #ranges = new Map<Words, KeyRange>();
  readonly #lists = new Map<Words, PostingList>();
  readonly #deadline: Deadline;

  constructor(prefix: string, deadline: Deadline) {
    this.#prefix = prefix;
    this.#deadline = deadline;
  }

  /** True where these segments have more than MAX_PREFIX_TOKENS different tokens behind the prefix. */
  isTooBroad(segments: readonly Words[]): boolean {
    const bySize = segments
      .map((segment) => ({ segment, keys: keysOf(this.#rangeIn(segment)) }))
      .sort((a, b) => b.keys - a.keys);
    // uncovered: asked only where there are segments
    if ((bySize[0]?.keys ?? 0) > MAX_PREFIX_TOKENS) return true;
    // Tokens that several segments hold are counted several times: where that is too many, the different ones are
    // counted until the rest cannot be too many any more.
    let left = bySize.reduce((sum, { keys }) => sum + keys, 0);
    const different = new DistinctKeys();
    for (const { segment, keys } of bySize) {
      if (different.size + left <= MAX_PREFIX_TOKENS) return false;
      for (const window of segment.dictionary.windows(this.#rangeIn(segment))) {
        this.#deadline.check();
        different.addBlock(window);
        if (different.size > MAX_PREFIX_TOKENS) return true;
      }
      left -= keys;
    }
    return false;
  }

  /** The list, in memory of `pool`; null where the segment has no such token. */
  list(segment: Words, pool: WordPool): PostingList | null {
    const range = this.#rangeIn(segment);
    if (keysOf(range) === 0) return null;
    return this.#lists.getOrInsertComputed(segment, () => prefixList(segment, range, pool, this.#deadline));
  }

  #rangeIn(segment: Words): KeyRange {
    return this.#ranges.getOrInsertComputed(segment, () => segment.dictionary.range(TOKEN + this.#prefix));
  }
}

function keysOf({ from, to }: KeyRange): number {
  return to - from;
}

/** As bits: the lists are many, mostly short, and in no order. */
function prefixList(segment: Words, range: KeyRange, pool: WordPool, deadline: Deadline): PostingList {
  const keys = keysOf(range);
  return bitsList({ count: keys * MAX_INLINE, isExact: false, cost: keys * KEY_COST }, () => {
    const words = pool.roomForWords(segment.chunks * CHUNK_WORDS).fill(0);
    for (const window of segment.dictionary.windows(range)) {
      deadline.step();
      addBlock(segment, window, words);
    }
    return words;
  });
}

/** For a list that stands apart from its block. */
let apart = Buffer.alloc(0);

/** Sets the bits of all docs of the keys. Hot: no object is made for a key. */
function addBlock(segment: Words, { bytes, offset, at, from, to }: BlockWindow, words: Uint32Array): void {
  const reader = new ByteReader(bytes, at);
  for (let key = 0; key < to; key++) {
    reader.varint();
    const own = reader.varint();
    reader.at += own;
    if (key < from) {
      skipEntry(reader);
      continue;
    }
    const count = readCount(reader);
    if (count <= MAX_INLINE) {
      reader.at = addFew(bytes, reader.at, count, words);
      continue;
    }
    const begin = reader.varint();
    const length = reader.varint();
    const isHere = begin >= offset && begin + length <= offset + bytes.length;
    if (count > MAX_SPARSE) {
      const list = isHere ? copiedApart(bytes, begin - offset, length) : readApart(segment, begin, length);
      addChunks(list, words, segment.docs);
    } else if (isHere) addSparse(bytes, begin - offset, count, length, segment, words);
    else addSparse(readApart(segment, begin, length), 0, count, length, segment, words);
  }
}

/** At a multiple of 4 of memory. */
function copiedApart(bytes: Buffer, at: number, length: number): Buffer {
  reserveApart(length);
  bytes.copy(apart, 0, at, at + length);
  return apart;
}

function readApart(segment: Words, offset: number, length: number): Buffer {
  reserveApart(length);
  segment.source.readInto(apart, offset, length);
  return apart;
}

function reserveApart(length: number): void {
  if (apart.length < length) apart = Buffer.allocUnsafeSlow(length);
}

/** How many different keys the blocks of several dictionaries hold. */
export class DistinctKeys {
  readonly #keys = new ByteTable();
  readonly #read = new KeyReader();

  get size(): number {
    return this.#keys.size;
  }

  /** The keys of a block that are meant. */
  addBlock({ bytes, at, from, to }: BlockWindow): void {
    const reader = new ByteReader(bytes, at);
    for (let i = 0; i < to; i++) {
      this.#read.read(reader);
      skipEntry(reader);
      if (i >= from) this.#keys.number(this.#read.key, 0, this.#read.length);
    }
  }
}
