// Timelines: counts and sums of matches by bucket of time. Docs of a segment are in the order of time, so a bucket is a
// range of docIds, and its count a count of bits.

import type { Timeline, TimelineBucket, TimelineRequest } from '../../../model/engine.ts';
import { type Hash64, hex64, Sum64 } from '../../../model/hash.ts';
import { DAY } from '../../../model/time.ts';
import { type Buckets, endOfBuckets, sharedBuckets, type TimeSpan } from '../../../model/timeline.ts';
import type { Segment } from '../index/segment.ts';
import { mixOf } from '../index/segment-sums.ts';
import type { Deadline } from '../matching/deadline.ts';
import type { Matching, SegmentMatches } from '../matching/matching.ts';
import {
  CHUNK_DOCS,
  countBetween,
  EMPTY,
  firstNotBelow,
  membersOf,
  nextMember,
  previousMember,
} from '../sets/chunk.ts';
import type { Kernels } from '../sets/kernels.ts';
import { RatingSums } from './row-sums.ts';

interface TimedMatching {
  readonly request: TimelineRequest;
  readonly matching: Matching;
  /** The matches of the question's `of`; null: it has none. */
  readonly of: Matching | null;
}

/** Of at least one matching, in order, with shared buckets. Throws `query_timeout` or an EngineLimit. */
export function timelinesOf(timed: readonly TimedMatching[], deadline: Deadline): Timeline[] {
  const buckets = sharedBuckets(
    timed.map(({ matching }) => {
      const { from, to } = matching.conditions;
      return { from, to, matches: spanOf(matching) };
    }),
    timed.map(({ request }) => request),
  );
  const edges = new BucketEdges(buckets);
  const known = new Map<Matching, readonly number[]>();
  const count = (matching: Matching) => countsOf(matching, buckets, deadline);
  const counted = (matching: Matching) => known.getOrInsertComputed(matching, count);
  return timed.map(({ request: { measure }, matching, of }) => {
    const counts = counted(matching);
    const ofCounts = of && counted(of);
    const isSummed = measure === 'score' || measure === 'sentiment';
    const sums = isSummed ? sumsOf(matching, edges, measure, deadline) : null;
    const fingerprints = measure === 'fingerprint' ? fingerprintsOf(matching, edges, deadline) : null;
    // Written out, since spreading thousands of buckets takes longer than counting them.
    const bucketAt = (start: number, i: number) => {
      const bucket: { -readonly [Field in keyof TimelineBucket]: TimelineBucket[Field] } = {
        start,
        count: counts[i]!,
      };
      if (ofCounts !== null) bucket.of = ofCounts[i]!;
      if (sums !== null) bucket.sum = sums.sums[i]!;
      if (sums !== null && measure === 'sentiment') bucket.rated = sums.rated[i]!;
      if (fingerprints !== null) bucket.fingerprint = hex64(fingerprints[i]!);
      return bucket;
    };
    return { step: buckets.step, buckets: buckets.starts.map(bucketAt) };
  });
}

/** Seconds of the first and the last match; null: there is none. Skips segments within the span found so far. */
export function spanOf({ segments }: Matching): TimeSpan | null {
  let [first, last] = [Infinity, -Infinity];
  // The newest segments come first.
  for (const matches of segments) {
    if (matches.segment.data.footer.lastCreated > last) last = Math.max(last, lastSecond(matches));
  }
  if (last === -Infinity) return null;
  for (const matches of segments.toReversed()) {
    if (matches.segment.data.footer.firstCreated < first) first = Math.min(first, firstSecond(matches));
  }
  return { first, last };
}

/** The second of the last match; −Infinity: there is none. */
function lastSecond(matches: SegmentMatches): number {
  for (let chunk = matches.lastChunk; chunk >= matches.firstChunk; chunk--) {
    const member = previousMember(matches.chunk(chunk), CHUNK_DOCS - 1);
    if (member >= 0) return matches.segment.created.at(chunk * CHUNK_DOCS + member);
  }
  return -Infinity;
}

/** The second of the first match; Infinity: there is none. */
function firstSecond(matches: SegmentMatches): number {
  for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
    const member = nextMember(matches.chunk(chunk), 0);
    if (member >= 0) return matches.segment.created.at(chunk * CHUNK_DOCS + member);
  }
  return Infinity;
}

export function countsOf(
  { segments, pool: { kernels } }: Matching,
  buckets: Buckets,
  deadline: Deadline,
): number[] {
  const edges = new BucketEdges(buckets);
  const counts = new Array<number>(edges.count).fill(0);
  if (edges.count === 0) return counts;
  for (const matches of segments)
    addCounts(matches, edges.of(matches.segment), counts, { kernels, deadline });
  return counts;
}

function addCounts(
  matches: SegmentMatches,
  edges: Uint32Array,
  counts: number[],
  { kernels, deadline }: { readonly kernels: Kernels; readonly deadline: Deadline },
): void {
  const last = counts.length;
  const { run } = matches;
  if (run !== null) {
    for (let at = 0; at < last; at++) {
      counts[at]! += Math.max(0, Math.min(edges[at + 1]!, run.to) - Math.max(edges[at]!, run.from));
    }
    return;
  }
  eachChunk(matches, edges, (chunk, base, limit, bucket) => {
    deadline.step();
    if (edges[bucket]! <= base && edges[bucket + 1]! >= limit) {
      counts[bucket]! += matches.chunkCount(chunk);
      return;
    }
    const docs = matches.chunk(chunk);
    if (docs === EMPTY) return;
    if (docs.kind === 'array') {
      addMembers(docs.values, base, edges, bucket, counts);
      return;
    }
    for (let at = bucket; at < last && edges[at]! < limit; at++) {
      const from = Math.max(edges[at]!, base);
      const to = Math.min(edges[at + 1]!, limit);
      if (from < to) counts[at]! += countBetween(docs, from - base, to - base, kernels);
    }
  });
}

/** Members are in the order of buckets. Searches for the end of each bucket, so empty buckets cost nothing. */
function addMembers(
  members: Uint16Array,
  base: number,
  edges: Uint32Array,
  bucket: number,
  counts: number[],
): void {
  const last = counts.length;
  const { length } = members;
  let from = firstNotBelow(members, edges[bucket]! - base, 0);
  for (let at = bucket; from < length; ) {
    const doc = base + members[from]!;
    while (at < last && edges[at + 1]! <= doc) at++;
    if (at === last) return;
    const to = firstNotBelow(members, edges[at + 1]! - base, from);
    counts[at]! += to - from;
    from = to;
  }
}

const members = new Uint16Array(CHUNK_DOCS);

function sumsOf(
  matching: Matching,
  edges: BucketEdges,
  measure: 'score' | 'sentiment',
  deadline: Deadline,
): RatingSums {
  const sums = new RatingSums(edges.count, deadline);
  eachRun(matching, edges, deadline, (segment, chunk) => {
    if (measure === 'sentiment') {
      sums.begin(segment, chunk, segment.facts.ratingsIn(chunk));
      return (bucket, from, to) => sums.addRun(bucket, members, from, to);
    }
    const score = segment.score.chunk(chunk);
    return (bucket, from, to) => {
      sums.sums[bucket]! += sumOfScores(score, from, to);
    };
  });
  return sums;
}

/** The sum of the scores at these places. 2^21 scores of 32 bits have an exact sum. */
function sumOfScores(score: Int16Array | Int32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += score[members[i]!]!;
  return sum;
}

/** By bucket, the sum of its matches for the fingerprint of their kind. Throws `query_timeout`. */
function fingerprintsOf(matching: Matching, edges: BucketEdges, deadline: Deadline): Hash64[] {
  const sums = Array.from({ length: edges.count }, () => new Sum64());
  eachRun(matching, edges, deadline, (segment, chunk) => (bucket, from, to) => {
    for (let i = from; i < to; i++) {
      deadline.step();
      sums[bucket]!.add(mixOf(segment, chunk * CHUNK_DOCS + members[i]!));
    }
  });
  return sums.map((sum) => sum.value());
}

/** What `begin` gives for a chunk takes the `members` of each bucket, which are neighbours. */
function eachRun(
  { segments }: Matching,
  edges: BucketEdges,
  deadline: Deadline,
  begin: (segment: Segment, chunk: number) => (bucket: number, from: number, to: number) => void,
): void {
  for (const matches of segments) {
    const ends = edges.of(matches.segment);
    eachChunk(matches, ends, (chunk, base, _limit, bucket) => {
      // Not `step`, since a chunk takes longer than many looks at the clock.
      deadline.check();
      const count = membersOf(matches.chunk(chunk), members);
      if (count === 0) return;
      const take = begin(matches.segment, chunk);
      // Every match is in a bucket.
      for (let from = 0, at = bucket; from < count; at++) {
        const to = firstNotBelow(members, ends[at + 1]! - base, from, count);
        if (to > from) take(at, from, to);
        from = to;
      }
    });
  }
}

class BucketEdges {
  readonly count: number;
  readonly #starts: readonly number[];
  /** Identifies these buckets. */
  readonly #name: string;

  constructor(buckets: Buckets) {
    const { step, starts } = buckets;
    this.count = starts.length;
    this.#starts = [...starts, endOfBuckets(buckets)];
    this.#name = `${step} ${starts[0]} ${starts.length}`;
  }

  /** The docId at which each bucket begins in this segment, then the end of the last. Not to be changed. */
  of(segment: Segment): Uint32Array {
    const days = knownDays.getOrInsertComputed(segment, () => new SegmentDays(segment));
    return days.edges(this.#name, this.#starts);
  }
}

/** Where days begin in a segment. Buckets of a day or longer begin with one, so each day is searched for once. */
class SegmentDays {
  readonly #segment: Segment;
  readonly #firstDay: number;
  /** By day, from the first on: 1 + the docId at which it begins; 0: not searched for yet. */
  readonly #begins: Uint32Array;
  /** The buckets that were asked for last: most questions have the same. */
  #name = '';
  #edges = new Uint32Array(0);

  constructor(segment: Segment) {
    const { firstCreated, lastCreated } = segment.data.footer;
    this.#segment = segment;
    this.#firstDay = Math.floor(firstCreated / DAY);
    this.#begins = new Uint32Array(Math.floor(lastCreated / DAY) - this.#firstDay + 1);
  }

  /** Where these buckets begin, which ascend and are identified by `name`. */
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

/** Calls back for each chunk with docs of a bucket, with the first such bucket. */
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
