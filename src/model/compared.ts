// Queries of one kind beside each other: what they have in common, and what each comes to, in one view.

import type { Query } from './query.ts';

/** What is asked of a question's own query and others of its kind. */
export interface ComparedRequest {
  /** The others. The question's `under` holds for them too. */
  readonly with: readonly Query[];
  /** How many communities of each query are in the rows, from the highest count down. */
  readonly communities: number;
}

/** Queries have numbers: 0 is the question's own, then come the others in their order. */
export interface Compared {
  /** By number of one, then of another: exactly how many records match both; of one and itself, its matches. */
  readonly both: readonly (readonly number[])[];
  /** Counts of all queries together down, then name by code unit. */
  readonly communities: readonly ComparedCommunity[];
  /** By number of the query: exact. Absent where the engine keeps no ratings apart. */
  readonly ratings?: readonly SummedRatings[];
}

export interface ComparedCommunity {
  readonly name: string;
  /** By number of the query, whether or not the community is among its highest. */
  readonly counts: readonly number[];
}

/** Of the ratings of records (rating.ts), and how many there are. */
export interface SummedRatings {
  readonly sum: number;
  readonly rated: number;
}

export function inOrderOfAll(communities: readonly ComparedCommunity[]): ComparedCommunity[] {
  const all = new Map(communities.map((one) => [one, one.counts.reduce((sum, count) => sum + count, 0)]));
  return [...communities].sort((a, b) => all.get(b)! - all.get(a)! || (a.name < b.name ? -1 : 1));
}
