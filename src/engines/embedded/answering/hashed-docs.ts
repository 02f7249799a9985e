// Matches with the hash of their text, as numbers from 0 up: what copies are found among.

import type { NearRows } from '../index/near-rows.ts';
import type { Segment } from '../index/segment.ts';
import { CHUNK_DOCS, has, isEmpty, membersOf, type WordPool } from '../sets/chunk.ts';
import { subtract } from '../sets/chunk-operations.ts';
import { type Alikes, alikesAmong } from './alike-numbers.ts';
import type { Deadline } from './deadline.ts';
import type { SegmentMatches } from './matching.ts';

export class HashedDocs {
  /** In the order of the matches; those without a hash are absent. */
  readonly #hashes: Uint32Array;
  readonly #docs: Uint32Array;
  /** By segment: the number of its first doc. */
  readonly #firsts: readonly number[];
  readonly #segments: readonly Segment[];
  readonly #alikes: Alikes;
  /** Whose rows were read last. */
  #read: Segment | null = null;
  #rows: NearRows | null = null;

  private constructor(
    segments: readonly Segment[],
    firsts: readonly number[],
    [hashes, docs]: readonly [Uint32Array, Uint32Array],
  ) {
    this.#segments = segments;
    this.#firsts = firsts;
    this.#hashes = hashes;
    this.#docs = docs;
    this.#alikes = alikesAmong(hashes);
  }

  /** `most`: how many matches there are. Throws `query_timeout`. */
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
      [hashes.subarray(0, count), docs],
    );
  }

  /** How many docs share each hash that two of them have at the least. */
  get alike(): readonly number[] {
    return this.#alikes.counts;
  }

  /** The docs that share a hash, ascending, and which of these hashes they have. */
  *repeated(): Generator<{ readonly number: number; readonly alike: number }> {
    const { of } = this.#alikes;
    for (let number = 0; number < of.length; number++) {
      if (of[number] !== -1) yield { number, alike: of[number]! };
    }
  }

  /** Calls back with each of these docs, which ascend. */
  each(numbers: readonly number[], call: (segment: Segment, doc: number) => void): void {
    let place = 0;
    for (const number of numbers) {
      while (place + 1 < this.#firsts.length && this.#firsts[place + 1]! <= number) place++;
      call(this.#segments[place]!, this.#docs[number]!);
    }
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

  /** The bytes of its texts (`textBytesOf`); read fastest in the order of `repeated`. */
  textBytes(number: number): Buffer {
    const segment = this.#segmentOf(number);
    if (segment !== this.#read) {
      this.#read = segment;
      this.#rows = segment.nearRows();
    }
    return segment.textBytesOf(this.#rows!.row(this.#docs[number]!));
  }

  /** As `searchedTexts` gives them. */
  texts(number: number): string[] {
    return this.#segmentOf(number).texts(this.#docs[number]!);
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
