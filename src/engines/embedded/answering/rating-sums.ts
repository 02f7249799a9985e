// Sums of the ratings of docs, by rows of any sort. From the column of a chunk where it says them all, else record by
// record.

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
  const fromColumn = ratings === null ? null : ratingsOfColumn(ratings, members, from, to);
  if (fromColumn !== null) {
    sums[row]! += fromColumn.sum;
    rated[row]! += fromColumn.rated;
    return;
  }
  for (let i = from; i < to; i++) {
    deadline.step();
    const sentiment = segment.sentimentAt(base + members[i]!);
    if (sentiment === null) continue;
    sums[row]! += ratingUnits(sentiment);
    rated[row]!++;
  }
}

/**
 * null: the row of one of them says it. Without branches, which cannot be foreseen: a rating that is none is added all
 * the same, counted by its sign bits, and taken away in the end; the base of the column is added then. A chunk's
 * worth of numbers of 16 bits fits into 32.
 */
function ratingsOfColumn(
  { above, base }: NarrowChunk,
  members: Uint16Array,
  from: number,
  to: number,
): { readonly sum: number; readonly rated: number } | null {
  let sum = 0;
  let unrated = 0;
  let unsaid = 0;
  const inRow = RATED_IN_ROW - base;
  for (let i = from; i < to; i++) {
    const number = above[members[i]!]!;
    sum = (sum + number) | 0;
    // The two that are no ratings are the least numbers: UNRATED, then RATED_IN_ROW.
    unrated += (number - inRow) >>> 31;
    unsaid += (number - inRow - 1) >>> 31;
  }
  if (unsaid > unrated) return null;
  const ratings = (sum >>> 0) + (to - from) * base - unrated * UNRATED;
  return { sum: ratings, rated: to - from - unrated };
}
