// Timelines: matches by bucket of time. Docs of a segment are in the order of time, so a bucket is a range of docIds,
// and its count a count of bits.

import type { Timeline, TimelineMeasure, TimelineRequest } from '../../../model/engine.ts';
import { ratingUnits } from '../../../model/rating.ts';
import { type Buckets, endOfBuckets, sharedBuckets, type TimeSpan } from '../../../model/timeline.ts';
import { RATED_IN_ROW, UNRATED } from '../format/fact-columns.ts';
import type { Segment } from '../index/segment.ts';
import { CHUNK_DOCS, countBetween, membersOf } from '../sets/chunk.ts';
import type { Deadline } from './deadline.ts';
import type { Matching, SegmentMatches } from './matching.ts';
import { TimeWalk } from './time-walk.ts';

/** What a timeline is made of. */
export interface TimedMatching {
  readonly request: TimelineRequest;
  readonly matching: Matching;
  /** Of the question's `of`; null: it has none. */
  readonly of: Matching | null;
}

/** In the order given, over the same buckets (`sharedBuckets`). Throws `query_timeout`, an EngineLimit. */
export function timelinesOf(timed: readonly TimedMatching[], deadline: Deadline): Timeline[] {
  if (timed.length === 0) return [];
  const buckets = sharedBuckets(
    timed.map(({ matching }) => {
      const { from, to } = matching.conditions;
      return { from, to, matches: spanOf(matching) };
    }),
    timed.map(({ request }) => request),
  );
  const edges = new BucketEdges(buckets);
  const known = new Map<Matching, readonly number[]>();
  const counted = (matching: Matching) => {
    const counts = known.get(matching) ?? countsOf(matching, edges, deadline);
    known.set(matching, counts);
    return counts;
  };
  return timed.map(({ request: { measure }, matching, of }) => {
    const counts = counted(matching);
    const ofCounts = of === null ? null : counted(of);
    const sums = measure === undefined ? null : sumsOf(matching, edges, measure, deadline);
    return {
      step: buckets.step,
      buckets: buckets.starts.map((start, i) => ({
        ...{ start, count: counts[i]! },
        ...(ofCounts !== null && { of: ofCounts[i]! }),
        ...(sums !== null && { sum: sums.sums[i]! }),
        ...(measure === 'sentiment' && { rated: sums!.rated[i]! }),
      })),
    };
  });
}

function spanOf({ segments }: Matching): TimeSpan | null {
  const earliest = new TimeWalk(segments, 'oldest', null);
  const latest = new TimeWalk(segments, 'newest', null);
  if (!earliest.next() || !latest.next()) return null;
  return { first: earliest.created, last: latest.created };
}

/** Where buckets begin in segments. */
class BucketEdges {
  readonly count: number;
  readonly #starts: readonly number[];
  readonly #known = new Map<Segment, Uint32Array>();

  constructor(buckets: Buckets) {
    this.count = buckets.starts.length;
    this.#starts = [...buckets.starts, endOfBuckets(buckets)];
  }

  /** By bucket the docId with which it begins in this segment; then where the last one ends. */
  of(segment: Segment): Uint32Array {
    let edges = this.#known.get(segment);
    if (edges === undefined) {
      edges = new Uint32Array(this.#starts.length);
      let from = 0;
      for (const [i, start] of this.#starts.entries()) {
        from = segment.firstAt(start, from);
        edges[i] = from;
      }
      this.#known.set(segment, edges);
    }
    return edges;
  }
}

/** By bucket. */
function countsOf({ segments }: Matching, edges: BucketEdges, deadline: Deadline): number[] {
  const counts = new Array<number>(edges.count).fill(0);
  if (edges.count === 0) return counts;
  for (const matches of segments) addCounts(matches, edges.of(matches.segment), counts, deadline);
  return counts;
}

/** Calls back for each chunk that has docs of a bucket, with the bucket in which its first such doc is. */
function eachChunk(
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

function addCounts(matches: SegmentMatches, edges: Uint32Array, counts: number[], deadline: Deadline): void {
  const last = counts.length;
  eachChunk(matches, edges, (chunk, base, limit, bucket) => {
    deadline.step();
    if (edges[bucket]! <= base && edges[bucket + 1]! >= limit) {
      counts[bucket]! += matches.chunkCount(chunk);
      return;
    }
    const docs = matches.chunk(chunk);
    if (docs.kind === 'array') {
      addMembers(docs.values, docs.values.length, base, edges, bucket, counts);
      return;
    }
    for (let at = bucket; at < last && edges[at]! < limit; at++) {
      const from = Math.max(edges[at]!, base);
      const to = Math.min(edges[at + 1]!, limit);
      if (from < to) counts[at]! += countBetween(docs, from - base, to - base);
    }
  });
}

/** The members come in the order of their buckets. */
function addMembers(
  members: Uint16Array,
  length: number,
  base: number,
  edges: Uint32Array,
  bucket: number,
  counts: number[],
): void {
  const last = counts.length;
  let at = bucket;
  for (let i = 0; i < length; i++) {
    const doc = base + members[i]!;
    if (doc < edges[at]!) continue;
    while (at < last && edges[at + 1]! <= doc) at++;
    if (at === last) return;
    counts[at]!++;
  }
}

/** By bucket. */
interface Sums {
  readonly sums: number[];
  /** How many matches have a value. */
  readonly rated: number[];
}

/** Of a chunk, as members of it; calls are synchronous. */
const members = new Uint16Array(CHUNK_DOCS);

function sumsOf(
  { segments }: Matching,
  edges: BucketEdges,
  measure: TimelineMeasure,
  deadline: Deadline,
): Sums {
  const sums = new Array<number>(edges.count).fill(0);
  const rated = new Array<number>(edges.count).fill(0);
  const add = measure === 'score' ? addScores : addRatings;
  for (const matches of segments) {
    const { segment } = matches;
    const ends = edges.of(segment);
    eachChunk(matches, ends, (chunk, base, _limit, bucket) => {
      // Not `step`: a chunk takes longer than many looks at the clock.
      deadline.check();
      const count = membersOf(matches.chunk(chunk), members);
      if (count > 0) add({ segment, chunk, base, count }, ends, bucket, { sums, rated }, deadline);
    });
  }
  return { sums, rated };
}

/** Matches of a chunk: the first `count` of `members`. */
interface ChunkMembers {
  readonly segment: Segment;
  readonly chunk: number;
  readonly base: number;
  readonly count: number;
}

/** A score has 32 bits: the sum of 2^21 of them is exact. */
function addScores(
  { segment, base, count }: ChunkMembers,
  edges: Uint32Array,
  bucket: number,
  { sums }: Sums,
): void {
  const { score } = segment;
  let at = bucket;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const doc = base + members[i]!;
    while (edges[at + 1]! <= doc) {
      sums[at]! += sum;
      sum = 0;
      at++;
    }
    sum += score[doc]!;
  }
  sums[at]! += sum;
}

function addRatings(
  { segment, chunk, base, count }: ChunkMembers,
  edges: Uint32Array,
  bucket: number,
  { sums, rated }: Sums,
  deadline: Deadline,
): void {
  const ratings = segment.ratingsIn(chunk);
  let at = bucket;
  let sum = 0;
  let have = 0;
  for (let i = 0; i < count; i++) {
    const member = members[i]!;
    while (edges[at + 1]! <= base + member) {
      sums[at]! += sum;
      rated[at]! += have;
      sum = 0;
      have = 0;
      at++;
    }
    const rating = ratings === null ? RATED_IN_ROW : ratings[member]!;
    if (rating === UNRATED) continue;
    if (rating !== RATED_IN_ROW) {
      sum += rating;
      have++;
      continue;
    }
    deadline.step();
    const sentiment = segment.sentimentAt(base + member);
    if (sentiment === null) continue;
    sum += ratingUnits(sentiment);
    have++;
  }
  sums[at]! += sum;
  rated[at]! += have;
}
