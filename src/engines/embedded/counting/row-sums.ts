// Counts, ratings and counts by time of the rows of a breakdown. A column of the segment tells the row of a doc. One
// walk over the matches, chunk by chunk.

import {
  LEAST_SENTIMENT,
  MAX_CELLS,
  SCALES,
  SCORES_AT_LEAST,
  SCORES_AT_MOST,
  type ScaleField,
  scoreBand,
  sentimentPlace,
  weekdayHour,
} from '../../../model/analyses.ts';
import { ratingUnits } from '../../../model/copies.ts';
import type { NameField } from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import type { TimelineStep } from '../../../model/time.ts';
import { bucketStart, nextBucket } from '../../../model/timeline.ts';
import { grown } from '../../packing/bytes.ts';
import type { NarrowChunk } from '../columns/fact-reader.ts';
import { columnSentiment, RATED_IN_ROW, UNRATED } from '../format/segment-columns.ts';
import type { NameTable } from '../index/names.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import type { SegmentMatches } from '../matching/matching.ts';
import type { CountingMeans } from '../paging/sample.ts';
import { CHUNK_DOCS, type Chunk, firstNotBelow, isEmpty, valuesOf, type WordPool } from '../sets/chunk.ts';
import { counted, numbersOf } from './column-counts.ts';

/** Docs of a chunk, ascending, and the row of each; a doc without a row is absent, or has the row after the last. */
class RowDocs {
  docs: Uint16Array = new Uint16Array(0);
  rows = new Uint32Array(CHUNK_DOCS);
  length = 0;
  #own = new Uint16Array(CHUNK_DOCS);

  /** Takes docs that have one row each; the caller writes the rows into the result. */
  each(docs: Uint16Array): Uint32Array {
    this.docs = docs;
    this.length = docs.length;
    return this.rows;
  }

  /** Starts anew, for docs and rows that are added one by one. */
  begin(): void {
    this.docs = this.#own;
    this.length = 0;
  }

  add(doc: number, row: number): void {
    if (this.length === this.#own.length) this.#grow();
    this.docs[this.length] = doc;
    this.rows[this.length++] = row;
  }

  #grow(): void {
    this.#own = grown(this.#own);
    this.docs = this.#own;
    this.rows = grown(this.rows);
  }
}

export interface RowFinder {
  readonly rows: number;
  /** Returns a function that finds rows in this segment, for about `docs` of its docs. */
  in(segment: Segment, docs: number): FindRows;
  /** The matches of a chunk that may have a row. `scratch` is used. */
  counted(matches: SegmentMatches, chunk: number, scratch: WordPool): Chunk;
}

/** Replaces the content of `into` by `members` of a chunk, ascending, and their rows. */
type FindRows = (chunk: number, members: Uint16Array, into: RowDocs) => void;

/**
 * Rows of names: `numbers` has the table's number of each row, in order. Valid until the next call, for segments whose
 * names are in the table.
 */
export function nameRows(field: NameField, table: NameTable, numbers: readonly number[]): RowFinder {
  const none = numbers.length;
  const rows = rowsByName(table, numbers);
  return {
    rows: numbers.length,
    in: (segment, docs) => {
      const numbersOf = table.mapOf(segment);
      // With many docs, one look-up each instead of two.
      const [map, byName] = docs < numbersOf.length ? [numbersOf, rows] : [rowsOf(numbersOf, rows), null];
      return field === 'community'
        ? communityRows(segment, map, byName)
        : domainRows(segment, map, byName, none);
    },
    counted: (matches, chunk, scratch) => counted(matches, chunk, field, scratch),
  };
}

/** The row of each name by number, for the last finder. Calls are synchronous. */
let rowsKept = new Uint32Array(0);

/** The row of each name in the table; names without a row get the one after the last. */
function rowsByName(table: NameTable, numbers: readonly number[]): Uint32Array {
  if (rowsKept.length < table.size) rowsKept = new Uint32Array(table.size * 2);
  rowsKept.fill(numbers.length, 0, table.size);
  for (const [row, number] of numbers.entries()) rowsKept[number] = row;
  return rowsKept;
}

function rowsOf(numbersOf: Uint32Array, rows: Uint32Array): Uint32Array {
  const byNumber = new Uint32Array(numbersOf.length);
  for (let i = 0; i < byNumber.length; i++) byNumber[i] = rows[numbersOf[i]!]!;
  return byNumber;
}

/** `map`: by number of the column, the row; if `byName` is not null, the name, whose row `byName` has. */
function communityRows({ place }: Segment, map: Uint32Array, byName: Uint32Array | null): FindRows {
  return (chunk, members, into) => {
    const rows = into.each(members);
    const { length } = members;
    if (byName !== null) {
      const numbers = numbersOf(place, chunk, members);
      for (let i = 0; i < length; i++) rows[i] = byName[map[numbers[i]!]!]!;
      return;
    }
    const column = place.chunk(chunk);
    if (isRun(members)) {
      const ofRun = column.subarray(members[0]);
      for (let i = 0; i < length; i++) rows[i] = map[ofRun[i]!]!;
    } else for (let i = 0; i < length; i++) rows[i] = map[column[members[i]!]!]!;
  };
}

function domainRows(
  { domain, names: { domainSets } }: Segment,
  map: Uint32Array,
  byName: Uint32Array | null,
  none: number,
): FindRows {
  const rowOf = (number: number) => (byName === null ? map[number]! : byName[map[number]!]!);
  return (chunk, members, into) => {
    const numbers = numbersOf(domain, chunk, members);
    into.begin();
    for (let i = 0; i < members.length; i++) {
      const doc = members[i]!;
      const number = numbers[i]! - 1;
      if (number < map.length) into.add(doc, rowOf(number));
      else {
        for (const one of domainSets[number - map.length]!) {
          const row = rowOf(one);
          if (row !== none) into.add(doc, row);
        }
      }
    }
  };
}

/** Every value of the scale has a row. */
export function scaleRows(field: ScaleField): RowFinder {
  const finders = { score: scoreRows, sentiment: sentimentRows, weekday_hour: weekdayRows };
  return {
    rows: SCALES[field].length,
    in: finders[field],
    counted: (matches, chunk) => matches.chunk(chunk),
  };
}

/** Scores beyond these are in the first and the last band. */
const LEAST = SCORES_AT_MOST[0];
const MOST = SCORES_AT_LEAST.at(-1)!;
const BAND_OF = Uint8Array.from({ length: MOST - LEAST + 1 }, (_, i) => scoreBand(LEAST + i));

function scoreRows({ score }: Segment): FindRows {
  return (chunk, members, into) => {
    const column = score.chunk(chunk);
    const rows = into.each(members);
    for (let i = 0; i < members.length; i++) {
      const value = column[members[i]!]!;
      rows[i] = BAND_OF[(value < LEAST ? LEAST : value > MOST ? MOST : value) - LEAST]!;
    }
  };
}

function weekdayRows({ created }: Segment): FindRows {
  return (chunk, members, into) => {
    const column = created.chunk(chunk);
    const rows = into.each(members);
    for (let i = 0; i < members.length; i++) rows[i] = weekdayHour(column[members[i]!]!);
  };
}

function sentimentRows(segment: Segment): FindRows {
  const room = new Int32Array(CHUNK_DOCS);
  return (chunk, members, into) => {
    const rows = into.each(members);
    const ratings = ratingsOf(segment, chunk, members, room);
    for (let i = 0; i < members.length; i++) rows[i] = PLACES[ratings[i]! & 0xffff]!;
    for (let i = 0; i < members.length; i++) {
      if (rows[i] === IN_ROW)
        rows[i] = sentimentPlace(segment.facts.sentiment(chunk * CHUNK_DOCS + members[i]!));
    }
  };
}

const IN_ROW = SCALES.sentiment.length;
/** By the lowest 16 bits of a rating: without branches, since a rating cannot be predicted. */
const PLACES = placesOfRatings();

function placesOfRatings(): Uint8Array {
  const places = new Uint8Array(2 ** 16).fill(sentimentPlace(0));
  const least = ratingUnits(LEAST_SENTIMENT);
  places.fill(sentimentPlace(1), least, 2 ** 15);
  places.fill(sentimentPlace(-1), 2 ** 15, 2 ** 16 - least + 1);
  places[UNRATED & 0xffff] = sentimentPlace(null);
  places[RATED_IN_ROW & 0xffff] = IN_ROW;
  return places;
}

/** Whether the docs follow each other without a gap. There is at least one. */
function isRun(docs: Uint16Array): boolean {
  return docs[docs.length - 1]! - docs[0]! === docs.length - 1;
}

/** Fewer docs of a chunk than this are read one by one. */
const FEW_DOCS = 64;

/** null: so few docs of the chunk are read one by one. */
export function ratingsFor(segment: Segment, chunk: number, docs: number): NarrowChunk | null {
  return docs < FEW_DOCS ? null : segment.facts.ratingsIn(chunk);
}

/** The ratings of these docs of a chunk, in order, in `room`: ten-thousandths, UNRATED or RATED_IN_ROW. */
function ratingsOf(segment: Segment, chunk: number, docs: Uint16Array, room: Int32Array): Int32Array {
  const { length } = docs;
  const column = ratingsFor(segment, chunk, length);
  if (column === null) {
    const first = chunk * CHUNK_DOCS;
    for (let i = 0; i < length; i++) room[i] = columnSentiment(segment.facts.sentiment(first + docs[i]!));
    return room;
  }
  const { base } = column;
  if (isRun(docs)) {
    const above = column.above.subarray(docs[0]);
    for (let i = 0; i < length; i++) room[i] = above[i]! + base;
  } else {
    const { above } = column;
    for (let i = 0; i < length; i++) room[i] = above[docs[i]!]! + base;
  }
  return room;
}

/** Counts of each row by start of a bucket, without empty ones, in no order. */
type RowBuckets = readonly ReadonlyMap<number, number>[];

interface WantedSums {
  readonly counts: boolean;
  readonly ratings: boolean;
  /** Absent: not by time. */
  readonly by?: TimelineStep | undefined;
  /** Counts only these buckets by time, including empty ones; absent: all that are not empty. */
  readonly within?: RowBuckets | null;
}

/** Shared, since calls are synchronous. */
const found = new RowDocs();

/** By row; null: not asked for. Throws `query_timeout`, and an EngineLimit above MAX_CELLS buckets. */
export function sumRows(
  segments: readonly SegmentMatches[],
  finder: RowFinder,
  wanted: WantedSums,
  { scratch, deadline }: Pick<CountingMeans, 'scratch' | 'deadline'>,
) {
  // Docs without a row are counted after the rows: that is cheaper than looking for them.
  const counts = wanted.counts ? new Uint32Array(finder.rows + 1) : null;
  const ratings = wanted.ratings ? new RatingSums(finder.rows, deadline) : null;
  const times =
    wanted.by === undefined ? null : new TimeCounts(finder.rows, wanted.by, wanted.within ?? null);
  for (const matches of segments) {
    const { segment } = matches;
    const find = finder.in(segment, matches.count());
    times?.begin(segment);
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      // Not `step`, since a chunk takes longer than many looks at the clock.
      deadline.check();
      const docs = finder.counted(matches, chunk, scratch);
      if (!isEmpty(docs)) {
        find(chunk, valuesOf(docs, scratch), found);
        if (counts !== null) addCounts(counts, found);
        ratings?.addEach(segment, chunk, found);
        times?.add(chunk, found);
      }
      scratch.releaseAll();
    }
  }
  return { counts, ratings, buckets: times?.buckets ?? null };
}

export type RowSums = ReturnType<typeof sumRows>;

function addCounts(counts: Uint32Array, { rows, length }: RowDocs): void {
  for (let i = 0; i < length; i++) counts[rows[i]!]!++;
}

/** For each row, the sum of its ratings in ten-thousandths, and their number. */
export class RatingSums {
  readonly sums: Float64Array;
  /** The last number is that of docs without a row. */
  readonly rated: Uint32Array;
  readonly #deadline: Deadline;
  /** Sums of a chunk: its ratings fit into 32 bits, which are faster. */
  readonly #chunkSums: Int32Array;
  #room = new Int32Array(0);
  #segment!: Segment;
  #chunk = 0;
  /** null: the ratings of docs are read one by one. */
  #column: NarrowChunk | null = null;

  constructor(rows: number, deadline: Deadline) {
    this.sums = new Float64Array(rows);
    this.rated = new Uint32Array(rows + 1);
    this.#chunkSums = new Int32Array(rows + 1);
    this.#deadline = deadline;
  }

  /** Goes to a chunk, for runs. */
  begin(segment: Segment, chunk: number, column: NarrowChunk | null): void {
    this.#segment = segment;
    this.#chunk = chunk;
    this.#column = column;
  }

  /**
   * Adds a run of docs of the chunk, those of `docs` from `from` to before `to`, to one row. Without unpredictable
   * branches: values that are no ratings are added too, counted by their sign bits, and subtracted at the end, when the
   * column's base is added. The sum of a chunk of 16-bit numbers fits into 32 bits.
   */
  addRun(row: number, docs: Uint16Array, from: number, to: number): void {
    if (this.#column === null) {
      for (let i = from; i < to; i++) this.addDoc(row, this.#segment, this.#chunk * CHUNK_DOCS + docs[i]!);
      return;
    }
    const { above, base } = this.#column;
    const inRow = RATED_IN_ROW - base;
    let sum = 0;
    let unrated = 0;
    let without = 0;
    for (let i = from; i < to; i++) {
      const number = above[docs[i]!]!;
      sum = (sum + number) | 0;
      // The two values that are no ratings are the least: UNRATED, then RATED_IN_ROW.
      unrated += (number - inRow) >>> 31;
      without += (number - inRow - 1) >>> 31;
    }
    const unsaid = without - unrated;
    this.sums[row]! += (sum >>> 0) + (to - from) * base - unrated * UNRATED - unsaid * RATED_IN_ROW;
    this.rated[row]! += to - from - without;
    for (let i = from; i < to && unsaid > 0; i++) {
      if (above[docs[i]!] === inRow) this.addDoc(row, this.#segment, this.#chunk * CHUNK_DOCS + docs[i]!);
    }
  }

  addDoc(row: number, segment: Segment, doc: number): void {
    this.#deadline.step();
    const sentiment = segment.facts.sentiment(doc);
    if (sentiment === null) return;
    this.sums[row]! += ratingUnits(sentiment);
    this.rated[row]!++;
  }

  /** Adds docs of a chunk to the row of each. */
  addEach(segment: Segment, chunk: number, { docs, rows, length }: RowDocs): void {
    if (segment.kind === 'post' || length === 0) return;
    if (this.#room.length < length) this.#room = new Int32Array(Math.max(CHUNK_DOCS, docs.length));
    const units = ratingsOf(segment, chunk, docs.subarray(0, length), this.#room);
    const sums = this.#chunkSums;
    const { rated } = this;
    // Without branches: whether a comment is rated cannot be predicted.
    for (let i = 0; i < length; i++) {
      const row = rows[i]!;
      const isRated = (UNRATED - units[i]!) >>> 31;
      sums[row]! += units[i]! & -isRated;
      rated[row]! += isRated;
    }
    // The column does not have the ratings of these.
    for (let i = 0; i < length; i++) {
      if (units[i] !== RATED_IN_ROW || rows[i]! >= this.sums.length) continue;
      const sentiment = segment.facts.sentiment(chunk * CHUNK_DOCS + docs[i]!)!;
      this.sums[rows[i]!]! += ratingUnits(sentiment) - RATED_IN_ROW;
    }
    for (let row = 0; row < this.sums.length; row++) this.sums[row]! += sums[row]!;
    sums.fill(0);
  }
}

/** Docs ascend in time, so those of a bucket are neighbours. Counts each row by bucket and chunk, then adds up. */
class TimeCounts {
  readonly buckets: Map<number, number>[];
  readonly #step: TimelineStep;
  readonly #within: RowBuckets | null;
  #segment!: Segment;
  #cells = 0;
  /** The current bucket: its start, and the docId after its last doc. */
  #start = 0;
  #end = 0;
  readonly #counts: Uint32Array;

  constructor(rows: number, step: TimelineStep, within: RowBuckets | null) {
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
      const to = firstNotBelow(docs, this.#end - base, from, length);
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

  /** Goes to the bucket of this doc, which is not before the current one. */
  #goTo(doc: number): void {
    if (doc < this.#end) return;
    this.#start = bucketStart(this.#step, this.#segment.created.at(doc));
    this.#end = this.#segment.firstAt(nextBucket(this.#step, this.#start), doc);
  }
}
