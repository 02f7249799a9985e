// What the rows of a breakdown come to: counts, ratings, counts by time. One walk over the matches, a chunk at a time.

import { MAX_CELLS } from '../../../model/analyses.ts';
import { ratingUnits } from '../../../model/copies.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import type { TimelineStep } from '../../../model/time.ts';
import { bucketStart, nextBucket } from '../../../model/timeline.ts';
import type { NarrowChunk } from '../columns/column.ts';
import { RATED_IN_ROW, UNRATED } from '../format/fact-columns.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import type { SegmentMatches } from '../matching/matching.ts';
import { CHUNK_DOCS, isEmpty, membersOf } from '../sets/chunk.ts';
import { type CountingMeans, RowDocs, type RowFinder, ratingsOf } from './row-finder.ts';

/** All by number of the row. */
export interface RowSums {
  /** null: not asked for. */
  readonly counts: Uint32Array | null;
  /** null: not asked for. */
  readonly ratings: Ratings | null;
  /** By start of a bucket, those that are not empty, in no order; null: not asked for. */
  readonly buckets: readonly ReadonlyMap<number, number>[] | null;
}

/** Of the rated docs of each row: the sum in ten-thousandths, and how many. */
interface Ratings {
  readonly sums: Float64Array;
  readonly rated: Uint32Array;
}

interface WantedSums {
  readonly counts: boolean;
  readonly ratings: boolean;
  /** Absent: nothing by time. */
  readonly by?: TimelineStep | undefined;
  /** Only these buckets are counted by time, empty ones too; absent: those that are not empty. */
  readonly within?: RowSums['buckets'];
}

/** Members of a chunk and their rows, for one call after the other: they are synchronous. */
const members = new Uint16Array(CHUNK_DOCS);
const found = new RowDocs();

/**
 * `scratch` is used and given back. Throws `query_timeout`, and an EngineLimit where rows have more than MAX_CELLS
 * buckets together.
 */
export function sumRows(
  segments: readonly SegmentMatches[],
  finder: RowFinder,
  wanted: WantedSums,
  { scratch, deadline }: Pick<CountingMeans, 'scratch' | 'deadline'>,
): RowSums {
  // Docs that no row counts are counted behind the rows: that costs less than looking for them.
  const counts = wanted.counts ? new Uint32Array(finder.rows + 1) : null;
  const ratings = wanted.ratings ? new RowRatings(finder.rows) : null;
  const times =
    wanted.by === undefined ? null : new TimeCounts(finder.rows, wanted.by, wanted.within ?? null);
  for (const matches of segments) {
    const { segment } = matches;
    const find = finder.in(segment, matches.count());
    times?.begin(segment);
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      // Not `step`: a chunk takes longer than many looks at the clock.
      deadline.check();
      const docs = finder.counted(matches, chunk, scratch);
      if (!isEmpty(docs)) {
        const values = docs.kind === 'array' ? docs.values : members.subarray(0, membersOf(docs, members));
        find(chunk, values, found);
        if (counts !== null) addCounts(counts, found);
        ratings?.add(segment, chunk, found);
        times?.add(chunk, found);
      }
      scratch.releaseAll();
    }
  }
  return { counts, ratings, buckets: times?.buckets ?? null };
}

function addCounts(counts: Uint32Array, { rows, length }: RowDocs): void {
  for (let i = 0; i < length; i++) counts[rows[i]!]!++;
}

class RowRatings implements Ratings {
  readonly sums: Float64Array;
  readonly rated: Uint32Array;
  /** Of a chunk: ratings of ten-thousandths are few and small enough for 32 bits, which are summed up faster. */
  readonly #chunkSums: Int32Array;
  #room = new Int32Array(CHUNK_DOCS);

  constructor(rows: number) {
    this.sums = new Float64Array(rows);
    this.rated = new Uint32Array(rows + 1);
    this.#chunkSums = new Int32Array(rows + 1);
  }

  add(segment: Segment, chunk: number, { docs, rows, length }: RowDocs): void {
    if (segment.kind === 'post' || length === 0) return;
    if (this.#room.length < length) this.#room = new Int32Array(docs.length);
    const units = ratingsOf(segment, chunk, docs.subarray(0, length), this.#room);
    const sums = this.#chunkSums;
    const { rated } = this;
    // Without branches: whether a comment is rated cannot be foreseen.
    for (let i = 0; i < length; i++) {
      const row = rows[i]!;
      const isRated = (UNRATED - units[i]!) >>> 31;
      sums[row]! += units[i]! & -isRated;
      rated[row]! += isRated;
    }
    this.#mendRows(segment, chunk, { docs, rows, length }, units);
    for (let row = 0; row < this.sums.length; row++) this.sums[row]! += sums[row]!;
    sums.fill(0);
  }

  /** Ratings that the column cannot say were taken for RATED_IN_ROW. */
  #mendRows(
    segment: Segment,
    chunk: number,
    { docs, rows, length }: Pick<RowDocs, 'docs' | 'rows' | 'length'>,
    units: Int32Array,
  ): void {
    for (let i = 0; i < length; i++) {
      if (units[i] !== RATED_IN_ROW || rows[i]! >= this.sums.length) continue;
      const sentiment = segment.sentimentAt(chunk * CHUNK_DOCS + docs[i]!)!;
      this.sums[rows[i]!]! += ratingUnits(sentiment) - RATED_IN_ROW;
    }
  }
}

/**
 * Docs of a segment come in the order of time: those of a bucket stand together. What each row has of a bucket in a
 * chunk is counted, then put to what it had before.
 */
class TimeCounts {
  readonly buckets: Map<number, number>[];
  readonly #step: TimelineStep;
  readonly #within: RowSums['buckets'];
  #segment!: Segment;
  #cells = 0;
  /** Of the bucket at hand: its start, and the docId behind its last doc. */
  #start = 0;
  #end = 0;
  readonly #counts: Uint32Array;

  constructor(rows: number, step: TimelineStep, within: RowSums['buckets']) {
    this.buckets = Array.from(
      { length: rows },
      (_, row) => new Map(within?.[row]?.keys().map((start) => [start, 0])),
    );
    this.#step = step;
    this.#within = within;
    this.#counts = new Uint32Array(rows + 1);
  }

  begin(segment: Segment): void {
    this.#segment = segment;
    this.#end = 0;
  }

  add(chunk: number, { docs, rows, length }: RowDocs): void {
    const base = chunk * CHUNK_DOCS;
    const counts = this.#counts;
    for (let from = 0; from < length; ) {
      this.#goTo(base + docs[from]!);
      const to = firstFrom(docs, this.#end - base, from, length);
      for (let i = from; i < to; i++) counts[rows[i]!]!++;
      if (to - from > counts.length) for (let row = 0; row < this.buckets.length; row++) this.#put(row);
      else for (let i = from; i < to; i++) this.#put(rows[i]!);
      counts[this.buckets.length] = 0;
      from = to;
    }
  }

  #put(row: number): void {
    const count = this.#counts[row]!;
    if (count === 0 || row === this.buckets.length) return;
    this.#counts[row] = 0;
    const ofRow = this.buckets[row]!;
    const known = ofRow.get(this.#start);
    if (known !== undefined) ofRow.set(this.#start, known + count);
    else if (this.#within === null) {
      if (++this.#cells > MAX_CELLS) throw new EngineLimit({ limit: 'breakdown_cells' });
      ofRow.set(this.#start, count);
    }
  }

  /** The bucket of this doc, which is not before the one at hand. */
  #goTo(doc: number): void {
    if (doc < this.#end) return;
    this.#start = bucketStart(this.#step, this.#segment.created.at(doc));
    this.#end = this.#segment.firstAt(nextBucket(this.#step, this.#start), doc);
  }
}

/** The first place from `from` on whose doc is not below `end`; `to` where there is none. */
function firstFrom(docs: Uint16Array, end: number, from: number, to: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (docs[middle]! < end) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** By row. */
export interface RatingSums {
  readonly sums: number[];
  /** How many docs have a value. */
  readonly rated: number[];
}

/** Members of a chunk in these places, all of one row, and the column of the chunk where there is one. */
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
 * Sums up the ratings of docs, by rows of any sort. From the column of a chunk; the records are read of those alone
 * whose ratings it does not say, or of all where there is no column. Adds to what the row has already. Throws
 * `query_timeout`.
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
    const sentiment = segment.sentimentAt(base + members[i]!);
    if (sentiment === null) continue;
    sums[row]! += ratingUnits(sentiment);
    rated[row]!++;
  }
}

interface ColumnSum {
  readonly sum: number;
  readonly rated: number;
  /** Docs that are in neither: their rows say it. */
  readonly unsaid: number;
}

const NONE: ColumnSum = { sum: 0, rated: 0, unsaid: 0 };

/**
 * Without branches, which cannot be foreseen: a rating that is none is added all the same, counted by its sign bits,
 * and taken away in the end; the base of the column is added then. A chunk's worth of numbers of 16 bits fits into 32.
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
    // The two that are no ratings are the least numbers: UNRATED, then RATED_IN_ROW.
    unrated += (number - inRow) >>> 31;
    without += (number - inRow - 1) >>> 31;
  }
  const unsaid = without - unrated;
  const ratings = (sum >>> 0) + (to - from) * base - unrated * UNRATED - unsaid * RATED_IN_ROW;
  return { sum: ratings, rated: to - from - without, unsaid };
}
