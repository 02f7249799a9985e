// Timelines: counts and sums of matches by bucket of time. Docs of a segment are in the order of time, so a bucket is a
// range of docIds, and its count a count of bits.

import { ratingUnits } from '../../../model/copies.ts';
import type { Timeline, TimelineBucket, TimelineMeasure, TimelineRequest } from '../../../model/engine.ts';
import { type Hash64, hex64, Sum64 } from '../../../model/hash.ts';
import { DAY } from '../../../model/time.ts';
import { type Buckets, endOfBuckets, sharedBuckets, type TimeSpan } from '../../../model/timeline.ts';
import type { NarrowChunk } from '../columns/fact-reader.ts';
import { RATED_IN_ROW, UNRATED } from '../format/segment-columns.ts';
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

interface TimedMatching {
  readonly request: TimelineRequest;
  readonly matching: Matching;
  /** The matches of the question's `of`; null: it has none. */
  readonly of: Matching | null;
}

/**
 * Timelines of at least one matching, in order, with shared buckets (`sharedBuckets`). Throws `query_timeout` or an
 * EngineLimit.
 */
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
  const counted = (matching: Matching) => {
    const counts = known.get(matching) ?? countsOf(matching, buckets, deadline);
    known.set(matching, counts);
    return counts;
  };
  return timed.map(({ request: { measure }, matching, of }) => {
    const parts: BucketParts = {
      counts: counted(matching),
      of: of === null ? null : counted(of),
      sums:
        measure === 'score' || measure === 'sentiment' ? sumsOf(matching, edges, measure, deadline) : null,
      isRated: measure === 'sentiment',
      fingerprints: measure === 'fingerprint' ? fingerprintsOf(matching, edges, deadline) : null,
    };
    return {
      step: buckets.step,
      buckets: buckets.starts.map((start, i) => bucketOf(start, i, parts)),
    };
  });
}

/** By bucket. */
interface BucketParts {
  readonly counts: readonly number[];
  readonly of: readonly number[] | null;
  readonly sums: RatingSums | null;
  readonly isRated: boolean;
  readonly fingerprints: readonly Hash64[] | null;
}

/** Written out, since spreading thousands of buckets takes longer than counting them. */
function bucketOf(
  start: number,
  i: number,
  { counts, of, sums, isRated, fingerprints }: BucketParts,
): TimelineBucket {
  const bucket: { -readonly [Field in keyof TimelineBucket]: TimelineBucket[Field] } = {
    start,
    count: counts[i]!,
  };
  if (of !== null) bucket.of = of[i]!;
  if (sums !== null) bucket.sum = sums.sums[i]!;
  if (sums !== null && isRated) bucket.rated = sums.rated[i]!;
  if (fingerprints !== null) bucket.fingerprint = hex64(fingerprints[i]!);
  return bucket;
}

/**
 * The seconds of the first and the last match; null: there is none. Skips segments whose span is within that of the
 * matches found so far.
 */
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

/** Counts by bucket. */
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

type SummedMeasure = Exclude<TimelineMeasure, 'fingerprint'>;

/** Members of a chunk; shared, since calls are synchronous. */
const members = new Uint16Array(CHUNK_DOCS);

function sumsOf(
  { segments }: Matching,
  edges: BucketEdges,
  measure: SummedMeasure,
  deadline: Deadline,
): RatingSums {
  const sums = new Array<number>(edges.count).fill(0);
  const rated = new Array<number>(edges.count).fill(0);
  for (const matches of segments) {
    const { segment } = matches;
    const ends = edges.of(segment);
    eachChunk(matches, ends, (chunk, base, _limit, bucket) => {
      // Not `step`, since a chunk takes longer than many looks at the clock.
      deadline.check();
      const count = membersOf(matches.chunk(chunk), members);
      const ratings = measure === 'score' || count === 0 ? null : segment.facts.ratingsIn(chunk);
      // Every match is in a bucket, and those of one bucket are neighbours.
      for (let from = 0, at = bucket; from < count; at++) {
        const to = firstNotBelow(members, ends[at + 1]! - base, from, count);
        if (to === from) continue;
        if (measure === 'score') sums[at]! += sumOfScores(segment.score.chunk(chunk), from, to);
        else addRatings({ segment, base, members, from, to, ratings }, at, { sums, rated }, deadline);
        from = to;
      }
    });
  }
  return { sums, rated };
}

/** The sum of the scores at these places. 2^21 scores of 32 bits have an exact sum. */
function sumOfScores(score: Int16Array | Int32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += score[members[i]!]!;
  return sum;
}

/** By row. */
export interface RatingSums {
  readonly sums: number[];
  readonly rated: number[];
}

/** Members of a chunk at these places, all of one row, and the chunk's column if there is one. */
interface RatedMembers {
  readonly segment: Segment;
  /** The first doc of the chunk. */
  readonly base: number;
  readonly members: Uint16Array;
  readonly from: number;
  readonly to: number;
  readonly ratings: NarrowChunk | null;
}

/**
 * Adds ratings of docs to their rows. Reads the column of a chunk, and the records of docs whose rating it does not
 * have, or all records without a column. Throws `query_timeout`.
 */
export function addRatings(
  given: RatedMembers,
  row: number,
  { sums, rated }: RatingSums,
  deadline: Deadline,
): void {
  const { segment, base, members, from, to, ratings } = given;
  const fromColumn = ratings === null ? NONE : ratingsOfColumn(ratings, members, from, to);
  sums[row]! += fromColumn.sum;
  rated[row]! += fromColumn.rated;
  if (ratings !== null && fromColumn.unsaid === 0) return;
  const unsaid = ratings === null ? 0 : RATED_IN_ROW - ratings.base;
  for (let i = from; i < to; i++) {
    if (ratings !== null && ratings.above[members[i]!] !== unsaid) continue;
    deadline.step();
    const sentiment = segment.facts.sentiment(base + members[i]!);
    if (sentiment === null) continue;
    sums[row]! += ratingUnits(sentiment);
    rated[row]!++;
  }
}

interface ColumnSum {
  readonly sum: number;
  readonly rated: number;
  /** Docs whose rating is only in their row. */
  readonly unsaid: number;
}

const NONE: ColumnSum = { sum: 0, rated: 0, unsaid: 0 };

/**
 * Without unpredictable branches: values that are no ratings are added too, counted by their sign bits, and subtracted
 * at the end, when the column's base is added. The sum of a chunk of 16-bit numbers fits into 32 bits.
 */
function ratingsOfColumn(
  { above, base }: NarrowChunk,
  members: Uint16Array,
  from: number,
  to: number,
): ColumnSum {
  let sum = 0;
  let unrated = 0;
  let without = 0;
  const inRow = RATED_IN_ROW - base;
  for (let i = from; i < to; i++) {
    const number = above[members[i]!]!;
    sum = (sum + number) | 0;
    // The two values that are no ratings are the least: UNRATED, then RATED_IN_ROW.
    unrated += (number - inRow) >>> 31;
    without += (number - inRow - 1) >>> 31;
  }
  const unsaid = without - unrated;
  const ratings = (sum >>> 0) + (to - from) * base - unrated * UNRATED - unsaid * RATED_IN_ROW;
  return { sum: ratings, rated: to - from - without, unsaid };
}

/** Where buckets begin in segments. */
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
    return daysOf(segment).edges(this.#name, this.#starts);
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

function daysOf(segment: Segment): SegmentDays {
  let days = knownDays.get(segment);
  if (days === undefined) {
    days = new SegmentDays(segment);
    knownDays.set(segment, days);
  }
  return days;
}

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

/** By bucket, the sum of its matches for the fingerprint of their kind. Throws `query_timeout`. */
function fingerprintsOf({ segments }: Matching, edges: BucketEdges, deadline: Deadline): Hash64[] {
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
        // Every match is in a bucket, and members are in their order.
        while (ends[at + 1]! <= doc) at++;
        sums[at]!.add(mixOf(segment, doc));
      }
    });
  }
  return sums.map((sum) => sum.value());
}
