// Matches with the hash of their text, as numbers from 0 up: what copies are found among.

import type { Segment } from '../index/segment.ts';
import { CHUNK_DOCS, has, isEmpty, membersOf, type WordPool } from '../sets/chunk.ts';
import { subtract } from '../sets/chunk-operations.ts';
import type { Deadline } from './deadline.ts';
import type { SegmentMatches } from './matching.ts';

/** Above any number of a doc: a hash times this, and the number, are exact together. */
const NUMBERS = 2 ** 21;

/** Bits of the tables that say which hashes came before. */
const TABLE_BITS = 25;

export class HashedDocs {
  /** In the order of the matches; those without a hash are absent. */
  readonly #hashes: Uint32Array;
  readonly #docs: Uint32Array;
  readonly #count: number;
  /** By segment: the number of its first doc. */
  readonly #firsts: readonly number[];
  readonly #segments: readonly Segment[];

  private constructor(
    segments: readonly Segment[],
    firsts: readonly number[],
    [hashes, docs, count]: readonly [Uint32Array, Uint32Array, number],
  ) {
    this.#segments = segments;
    this.#firsts = firsts;
    this.#hashes = hashes;
    this.#docs = docs;
    this.#count = count;
  }

  /** `most`: how many matches there are, below 2^21. Throws `query_timeout`. */
  static of(segments: readonly SegmentMatches[], most: number, deadline: Deadline): HashedDocs {
    const [hashes, docs] = [new Uint32Array(most), new Uint32Array(most)];
    const room = new Uint16Array(CHUNK_DOCS);
    const firsts: number[] = [];
    let count = 0;
    for (const matches of segments) {
      firsts.push(count);
      for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
        // Not `step`: a chunk takes longer than many looks at the clock.
        deadline.check();
        const found = matches.chunk(chunk);
        if (isEmpty(found)) continue;
        const members = membersOf(found, room);
        const hashOf = hashReader(matches.segment, chunk, members, deadline);
        for (let i = 0; i < members; i++) {
          const hash = hashOf(room[i]!);
          if (hash === 0) continue;
          hashes[count] = hash;
          docs[count++] = chunk * CHUNK_DOCS + room[i]!;
        }
      }
    }
    return new HashedDocs(
      segments.map(({ segment }) => segment),
      firsts,
      [hashes, docs, count],
    );
  }

  /** Numbers of docs that share a hash, ascending, at least two at a time. */
  *alike(): Generator<Float64Array> {
    const keys = this.#repeated().sort();
    for (let from = 0; from < keys.length; ) {
      const hash = Math.floor(keys[from]! / NUMBERS);
      let to = from + 1;
      while (to < keys.length && Math.floor(keys[to]! / NUMBERS) === hash) to++;
      if (to - from > 1) yield keys.subarray(from, to).map((key) => key - hash * NUMBERS);
      from = to;
    }
  }

  created(number: number): number {
    return this.#segmentOf(number).created[this.#docs[number]!]!;
  }

  community(number: number): string {
    const { places, place } = this.#segmentOf(number);
    return places[place[this.#docs[number]!]!]!.community;
  }

  id(number: number): string {
    return this.#segmentOf(number).id(this.#docs[number]!);
  }

  sentiment(number: number): number | null {
    return this.#segmentOf(number).sentimentAt(this.#docs[number]!);
  }

  hash(number: number): number {
    return this.#hashes[number]!;
  }

  /** Whether it is one of these other matches. */
  isAmong(number: number, matches: ReadonlyMap<Segment, SegmentMatches>): boolean {
    const ofSegment = matches.get(this.#segmentOf(number));
    const doc = this.#docs[number]!;
    const chunk = Math.floor(doc / CHUNK_DOCS);
    if (ofSegment === undefined || chunk < ofSegment.firstChunk || chunk > ofSegment.lastChunk) return false;
    return has(ofSegment.chunk(chunk), doc % CHUNK_DOCS);
  }

  /** As `searchedTexts` gives them. */
  texts(number: number): string[] {
    return this.#segmentOf(number).texts(this.#docs[number]!);
  }

  /**
   * Hash and number, in one, of each doc whose hash may stand twice. Two tables of bits, by a part of the hash, say
   * which parts came before, and which came again: few are left of those that stand alone.
   */
  #repeated(): Float64Array {
    const hashes = this.#hashes;
    const mask = 2 ** TABLE_BITS - 1;
    const once = new Uint32Array(2 ** (TABLE_BITS - 5));
    const again = new Uint32Array(2 ** (TABLE_BITS - 5));
    for (let i = 0; i < this.#count; i++) {
      const part = hashes[i]! & mask;
      const bit = 1 << (part & 31);
      if ((once[part >>> 5]! & bit) === 0) once[part >>> 5]! |= bit;
      else again[part >>> 5]! |= bit;
    }
    const isAgain = (hash: number) => ((again[(hash & mask) >>> 5]! >>> (hash & 31)) & 1) === 1;
    let length = 0;
    for (let i = 0; i < this.#count; i++) if (isAgain(hashes[i]!)) length++;
    const keys = new Float64Array(length);
    let at = 0;
    for (let i = 0; i < this.#count; i++) if (isAgain(hashes[i]!)) keys[at++] = hashes[i]! * NUMBERS + i;
    return keys;
  }

  #segmentOf(number: number): Segment {
    const firsts = this.#firsts;
    let [low, high] = [0, firsts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (firsts[middle]! <= number) low = middle;
      else high = middle - 1;
    }
    return this.#segments[low]!;
  }
}

/** The matches with one of these hashes that are not `known`. `scratch` is used and given back. */
export function* docsWith(
  hashes: ReadonlySet<number>,
  segments: readonly SegmentMatches[],
  known: ReadonlyMap<Segment, SegmentMatches>,
  scratch: WordPool,
  deadline: Deadline,
): Generator<{ readonly hash: number; readonly texts: readonly string[] }> {
  const isPart = new Uint8Array(PARTS);
  for (const hash of hashes) isPart[hash & (PARTS - 1)] = 1;
  const room = new Uint16Array(CHUNK_DOCS);
  for (const matches of segments) {
    const { segment } = matches;
    const others = known.get(segment);
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      deadline.check();
      const isKnown = others !== undefined && chunk >= others.firstChunk && chunk <= others.lastChunk;
      const docs = isKnown
        ? subtract(matches.chunk(chunk), others.chunk(chunk), scratch)
        : matches.chunk(chunk);
      const members = membersOf(docs, room);
      const hashOf = hashReader(segment, chunk, members, deadline);
      for (let i = 0; i < members; i++) {
        const hash = hashOf(room[i]!);
        if (isPart[hash & (PARTS - 1)] === 0 || !hashes.has(hash)) continue;
        deadline.step();
        yield { hash, texts: segment.texts(chunk * CHUNK_DOCS + room[i]!) };
      }
      scratch.releaseAll();
    }
  }
}

/** Of hashes, by their lowest bits: few docs have one that is looked for. */
const PARTS = 2 ** 16;

/** Fewer docs of a chunk than these are read one by one. */
const FEW_DOCS = 64;

/** The hash of a doc of this chunk. */
function hashReader(
  segment: Segment,
  chunk: number,
  docs: number,
  deadline: Deadline,
): (doc: number) => number {
  const column = docs < FEW_DOCS ? null : segment.hashesIn(chunk);
  if (column !== null) return (doc) => column[doc]!;
  return (doc) => {
    deadline.step();
    return segment.textHashAt(chunk * CHUNK_DOCS + doc);
  };
}
