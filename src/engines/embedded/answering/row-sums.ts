// What the rows of a breakdown come to: counts, ratings, counts by time. One walk over the matches, a chunk at a time.

import { MAX_CELLS } from '../../../model/breakdown-limits.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { ratingUnits } from '../../../model/rating.ts';
import type { TimelineStep } from '../../../model/time.ts';
import { bucketStart, nextBucket } from '../../../model/timeline.ts';
import { RATED_IN_ROW, UNRATED } from '../format/fact-columns.ts';
import type { Segment } from '../index/segment.ts';
import { CHUNK_DOCS, isEmpty, membersOf } from '../sets/chunk.ts';
import type { Deadline } from './deadline.ts';
import type { SegmentMatches } from './matching.ts';
import { RowDocs, type RowFinder, readRatings } from './row-finder.ts';

/** All by number of the row. */
export interface RowSums {
  readonly counts: Uint32Array;
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

export interface WantedSums {
  readonly ratings: boolean;
  /** Absent: nothing by time. */
  readonly by?: TimelineStep | undefined;
  /** Only these buckets are counted by time, empty ones too; absent: those that are not empty. */
  readonly within?: RowSums['buckets'];
}

/** Throws `query_timeout`, and an EngineLimit where rows have more than MAX_CELLS buckets together. */
export function sumRows(
  segments: readonly SegmentMatches[],
  finder: RowFinder,
  wanted: WantedSums,
  deadline: Deadline,
): RowSums {
  const counts = new Uint32Array(finder.rows);
  const ratings = wanted.ratings ? new RatingSums(finder.rows) : null;
  const times =
    wanted.by === undefined ? null : new TimeCounts(finder.rows, wanted.by, wanted.within ?? null);
  const room = new Uint16Array(CHUNK_DOCS);
  const found = new RowDocs();
  for (const matches of segments) {
    const { segment } = matches;
    const find = finder.in(segment);
    times?.begin(segment);
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      // Not `step`: a chunk takes longer than many looks at the clock.
      deadline.check();
      const docs = matches.chunk(chunk);
      if (isEmpty(docs)) continue;
      find(chunk, room.subarray(0, membersOf(docs, room)), found);
      for (let i = 0; i < found.length; i++) counts[found.rows[i]!]!++;
      ratings?.add(segment, chunk, found);
      times?.add(chunk, found);
    }
    times?.end();
  }
  return { counts, ratings, buckets: times?.buckets ?? null };
}

class RatingSums implements Ratings {
  readonly sums: Float64Array;
  readonly rated: Uint32Array;
  #units = new Int32Array(CHUNK_DOCS);

  constructor(rows: number) {
    this.sums = new Float64Array(rows);
    this.rated = new Uint32Array(rows);
  }

  add(segment: Segment, chunk: number, { docs, rows, length }: RowDocs): void {
    if (segment.kind === 'post') return;
    if (this.#units.length < length) this.#units = new Int32Array(docs.length);
    const units = this.#units;
    const { sums, rated } = this;
    readRatings(segment, chunk, docs.subarray(0, length), units);
    for (let i = 0; i < length; i++) {
      let unit = units[i]!;
      if (unit === UNRATED) continue;
      if (unit === RATED_IN_ROW) unit = ratingUnits(segment.sentimentAt(chunk * CHUNK_DOCS + docs[i]!)!);
      sums[rows[i]!]! += unit;
      rated[rows[i]!]!++;
    }
  }
}

/** Docs of a segment come in the order of time: the rows of one bucket are counted, then put to those before. */
class TimeCounts {
  readonly buckets: Map<number, number>[];
  readonly #step: TimelineStep;
  readonly #within: RowSums['buckets'];
  #segment!: Segment;
  #cells = 0;
  /** Of the bucket at hand: its start, the docId behind its last doc, counts by row, the rows that have one. */
  #start = 0;
  #end = 0;
  readonly #counts: Uint32Array;
  readonly #touched: Uint32Array;
  #touchedRows = 0;

  constructor(rows: number, step: TimelineStep, within: RowSums['buckets']) {
    this.buckets = Array.from(
      { length: rows },
      (_, row) => new Map(within?.[row]?.keys().map((start) => [start, 0])),
    );
    this.#step = step;
    this.#within = within;
    this.#counts = new Uint32Array(rows);
    this.#touched = new Uint32Array(rows);
  }

  begin(segment: Segment): void {
    this.#segment = segment;
    this.#end = 0;
  }

  add(chunk: number, { docs, rows, length }: RowDocs): void {
    const base = chunk * CHUNK_DOCS;
    const counts = this.#counts;
    const touched = this.#touched;
    for (let i = 0; i < length; ) {
      if (base + docs[i]! >= this.#end) this.#next(base + docs[i]!);
      const end = this.#end - base;
      let touchedRows = this.#touchedRows;
      for (; i < length && docs[i]! < end; i++) {
        const row = rows[i]!;
        if (counts[row]!++ === 0) touched[touchedRows++] = row;
      }
      this.#touchedRows = touchedRows;
    }
  }

  end(): void {
    const { buckets } = this;
    for (let i = 0; i < this.#touchedRows; i++) {
      const row = this.#touched[i]!;
      const known = buckets[row]!.get(this.#start);
      if (known !== undefined) buckets[row]!.set(this.#start, known + this.#counts[row]!);
      else if (this.#within === null) {
        if (++this.#cells > MAX_CELLS) throw new EngineLimit({ limit: 'breakdown_cells' });
        buckets[row]!.set(this.#start, this.#counts[row]!);
      }
      this.#counts[row] = 0;
    }
    this.#touchedRows = 0;
  }

  /** Goes on to the bucket of this doc. */
  #next(doc: number): void {
    this.end();
    this.#start = bucketStart(this.#step, this.#segment.created[doc]!);
    this.#end = this.#segment.firstAt(nextBucket(this.#step, this.#start));
  }
}
