// Prefixes of a query: the docs of every token that begins so, gathered from the dictionaries.

import { Buffer } from 'node:buffer';
import { ServiceError } from '../../errors.ts';
import { ByteReader } from '../../model/bytes.ts';
import { MAX_PREFIX_TOKENS, type Word } from '../../model/query.ts';
import { CHUNK_WORDS, type WordPool } from './chunk.ts';
import { addChunks, addDeltas } from './chunk-bits.ts';
import type { Deadline } from './deadline.ts';
import type { BlockWindow, KeyRange } from './dictionary.ts';
import { DistinctKeys } from './distinct-keys.ts';
import { TOKEN } from './keys.ts';
import { decodeChunks, MAX_DELTAS, MAX_INLINE, type PostingEntry, readDeltas } from './posting-codec.ts';
import { bitsList, type PostingList } from './posting-list.ts';
import type { Segment } from './segment.ts';

/** The docs of one prefix, gathered for each segment when they are asked for. */
export class Prefix {
  readonly #ranges = new Map<Segment, KeyRange>();
  readonly #lists = new Map<Segment, PostingList | null>();
  readonly #deadline: Deadline;

  /** Throws `prefix_too_broad` for more than MAX_PREFIX_TOKENS different tokens in all segments together. */
  constructor(
    { prefix, typed }: Word & { kind: 'prefix' },
    segments: readonly Segment[],
    deadline: Deadline,
  ) {
    this.#deadline = deadline;
    let keys = 0;
    let most = 0;
    for (const segment of segments) {
      const range = segment.dictionary.range(TOKEN + prefix);
      this.#ranges.set(segment, range);
      keys += range.to - range.from;
      most = Math.max(most, range.to - range.from);
    }
    // Tokens that several segments hold were counted several times.
    const isTooBroad =
      most > MAX_PREFIX_TOKENS || (keys > MAX_PREFIX_TOKENS && this.#distinct() > MAX_PREFIX_TOKENS);
    if (!isTooBroad) return;
    throw new ServiceError(
      'prefix_too_broad',
      `expected at most 100,000 different words behind a prefix, found more behind \`${typed}*\``,
    );
  }

  /** The list in memory of `pool`; null where the segment has no such token. */
  list(segment: Segment, pool: WordPool): PostingList | null {
    let list = this.#lists.get(segment);
    if (list === undefined) {
      const range = this.#ranges.get(segment)!;
      list = range.from === range.to ? null : gather(segment, range, pool, this.#deadline);
      this.#lists.set(segment, list);
    }
    return list;
  }

  #distinct(): number {
    const keys = new DistinctKeys();
    for (const [segment, range] of this.#ranges) {
      for (const window of segment.dictionary.windows(range)) {
        this.#deadline.check();
        keys.addBlock(window);
        if (keys.size > MAX_PREFIX_TOKENS) return keys.size;
      }
    }
    return keys.size;
  }
}

/** As bits of the whole segment: the lists are many, mostly short, and in no order. */
function gather(segment: Segment, range: KeyRange, pool: WordPool, deadline: Deadline): PostingList {
  const words = pool.roomForWords(segment.chunks * CHUNK_WORDS).fill(0);
  let docs = 0;
  for (const window of segment.dictionary.windows(range)) {
    deadline.check();
    docs += addBlock(segment, window, words);
  }
  return bitsList(words, docs);
}

/** For a list that stands apart from its block. */
let apart = Buffer.alloc(0);

/** Sets the bits of all docs of the keys; returns how many docs. Hot: no object is made for a key. */
function addBlock(
  segment: Segment,
  { bytes, offset, at, from, to }: BlockWindow,
  words: Uint32Array,
): number {
  const reader = new ByteReader(bytes, at);
  let docs = 0;
  for (let key = 0; key < to; key++) {
    reader.varint();
    const own = reader.varint();
    reader.at += own;
    const count = reader.varint();
    if (count <= MAX_INLINE) {
      reader.at = addDeltas(bytes, reader.at, key < from ? 0 : count, words);
      if (key < from) for (let left = count; left > 0; left--) reader.varint();
    } else {
      const begin = reader.varint();
      const length = reader.varint();
      if (key < from) continue;
      const isHere = begin >= offset && begin + length <= offset + bytes.length;
      addList(
        segment,
        isHere ? bytes : readApart(segment, begin, length),
        isHere ? begin - offset : 0,
        count,
        words,
      );
    }
    if (key >= from) docs += count;
  }
  return docs;
}

function addList(segment: Segment, bytes: Buffer, at: number, count: number, words: Uint32Array): void {
  if (count <= MAX_DELTAS) addDeltas(bytes, at, count, words);
  else addChunks(bytes, at, words, segment.docs);
}

function readApart(segment: Segment, offset: number, length: number): Buffer {
  if (apart.length < length) apart = Buffer.allocUnsafeSlow(length);
  segment.source.readInto(apart, offset, length);
  return apart;
}

/** Every docId of an entry, up. */
export function entryDocs(segment: Segment, entry: PostingEntry): Uint32Array {
  if (entry.kind === 'inline') return entry.docs;
  const bytes = Buffer.allocUnsafeSlow(entry.length);
  segment.source.readInto(bytes, entry.offset, entry.length);
  const docs = new Uint32Array(entry.count);
  if (entry.kind === 'deltas') readDeltas(new ByteReader(bytes), docs, entry.count);
  else decodeChunks(bytes, docs, segment.docs);
  return docs;
}
