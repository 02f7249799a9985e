// Where buckets of time lie in segments, whose docs are in the order of time: each is a range of docIds. By bucket,
// matches are counted and their fingerprints summed up.

import { type Hash64, Sum64 } from '../../../model/hash.ts';
import { DAY } from '../../../model/time.ts';
import { type Buckets, endOfBuckets } from '../../../model/timeline.ts';
import type { Segment } from '../index/segment.ts';
import { mixOf } from '../index/segment-sums.ts';
import type { Deadline } from '../matching/deadline.ts';
import type { Matching, SegmentMatches } from '../matching/matching.ts';
import { CHUNK_DOCS, membersOf } from '../sets/chunk.ts';

/** Where buckets begin in segments. */
export class BucketEdges {
  readonly count: number;
  readonly #starts: readonly number[];
  /** Of other buckets, another one. */
  readonly #name: string;

  constructor(buckets: Buckets) {
    const { step, starts } = buckets;
    this.count = starts.length;
    this.#starts = [...starts, endOfBuckets(buckets)];
    this.#name = `${step} ${starts[0]} ${starts.length}`;
  }

  /** By bucket the docId with which it begins in this segment; then where the last one ends. Not to be changed. */
  of(segment: Segment): Uint32Array {
    return daysOf(segment).edges(this.#name, this.#starts);
  }
}

/**
 * Where days begin in a segment: buckets but those of hours begin with one, and most questions ask of the same ones.
 * A day is looked for once.
 */
class SegmentDays {
  readonly #segment: Segment;
  readonly #firstDay: number;
  /** By day from the first one on: 1 + the docId with which it begins; 0: not looked for yet. */
  readonly #begins: Uint32Array;
  /** What was asked for last: most questions ask of the same buckets. */
  #name = '';
  #edges = new Uint32Array(0);

  constructor(segment: Segment) {
    const { firstCreated, lastCreated } = segment.data.footer;
    this.#segment = segment;
    this.#firstDay = Math.floor(firstCreated / DAY);
    this.#begins = new Uint32Array(Math.floor(lastCreated / DAY) - this.#firstDay + 1);
  }

  /** Where these begin, which go up and are known by this name. */
  edges(name: string, starts: readonly number[]): Uint32Array {
    if (name === this.#name) return this.#edges;
    const edges = new Uint32Array(starts.length);
    let from = 0;
    for (let i = 0; i < edges.length; i++) {
      from = this.#firstAt(starts[i]!, from);
      edges[i] = from;
    }
    this.#name = name;
    this.#edges = edges;
    return edges;
  }

  #firstAt(second: number, least: number): number {
    const day = second / DAY;
    const place = day - this.#firstDay;
    if (place <= 0) return least;
    if (place >= this.#begins.length || !Number.isInteger(day)) return this.#segment.firstAt(second, least);
    if (this.#begins[place] === 0) this.#begins[place] = 1 + this.#segment.firstAt(second, least);
    return this.#begins[place]! - 1;
  }
}

const knownDays = new WeakMap<Segment, SegmentDays>();

function daysOf(segment: Segment): SegmentDays {
  let days = knownDays.get(segment);
  if (days === undefined) {
    days = new SegmentDays(segment);
    knownDays.set(segment, days);
  }
  return days;
}

/** Calls back for each chunk that has docs of a bucket, with the bucket in which its first such doc is. */
export function eachChunk(
  { firstChunk, lastChunk, segment }: SegmentMatches,
  edges: Uint32Array,
  call: (chunk: number, base: number, limit: number, bucket: number) => void,
): void {
  const last = edges.length - 1;
  let bucket = 0;
  for (let chunk = firstChunk; chunk <= lastChunk; chunk++) {
    const base = chunk * CHUNK_DOCS;
    const limit = Math.min(base + CHUNK_DOCS, segment.docs);
    while (bucket < last && edges[bucket + 1]! <= base) bucket++;
    if (bucket === last) return;
    if (edges[bucket]! < limit) call(chunk, base, limit, bucket);
  }
}

/** Of a chunk, as members of it; calls are synchronous. */
const members = new Uint16Array(CHUNK_DOCS);

/** By bucket the sum of what each match adds to the fingerprint of its kind. Throws `query_timeout`. */
export function fingerprintsOf({ segments }: Matching, edges: BucketEdges, deadline: Deadline): Hash64[] {
  const sums = Array.from({ length: edges.count }, () => new Sum64());
  if (edges.count === 0) return [];
  for (const matches of segments) {
    const { segment } = matches;
    const ends = edges.of(segment);
    eachChunk(matches, ends, (chunk, base, _limit, bucket) => {
      const count = membersOf(matches.chunk(chunk), members);
      let at = bucket;
      for (let i = 0; i < count; i++) {
        deadline.step();
        const doc = base + members[i]!;
        // A match is in a bucket, and members come in the order of theirs.
        while (ends[at + 1]! <= doc) at++;
        sums[at]!.add(mixOf(segment, doc));
      }
    });
  }
  return sums.map((sum) => sum.value());
}
