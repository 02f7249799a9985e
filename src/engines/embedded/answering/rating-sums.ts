// Sums of the ratings of docs, by rows of any sort. From the column of a chunk; the records are read of those alone
// whose ratings it does not say, or of all where there is no column.

import { ratingUnits } from '../../../model/rating.ts';
import { RATED_IN_ROW, UNRATED } from '../format/fact-columns.ts';
import type { NarrowChunk } from '../index/column-reader.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from './deadline.ts';

/** By row. */
export interface RatingSums {
  readonly sums: number[];
  /** How many docs have a value. */
  readonly rated: number[];
}

/** Members of a chunk in these places, all of one row, and the column of the chunk where there is one. */
export interface RatedMembers {
  readonly segment: Segment;
  /** The first doc of the chunk. */
  readonly base: number;
  readonly members: Uint16Array;
  readonly from: number;
  readonly to: number;
  readonly ratings: NarrowChunk | null;
}

/** To what the row has already. Throws `query_timeout`. */
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
