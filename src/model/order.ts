// The total order of records, and where a page ends and goes on. Contract 4.1 and 4.3;
// the number that callers see is made of this in search/cursor.ts.

import type { StoredRecord } from './record.ts';

export type Order = 'newest' | 'oldest' | 'top';

export const ORDERS: readonly Order[] = ['newest', 'oldest', 'top'];

/** Beyond ± this, scores rank as equal to it. */
export const SCORE_BOUND = 1_000_000;

/** A page that would end after more than this many records of one second goes on to the end of that second. */
export const MAX_GIVEN_IN_SECOND = 999;

/** Ids compare by length, then by code unit: base-36 numbers come in their numeric order. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The least of ids that records give one thing, by `compareIds`; an empty one is none. */
export function leastId(a: string, b: string): string {
  if (a === '' || b === '') return a || b;
  return compareIds(a, b) <= 0 ? a : b;
}

/** The score as it ranks: held to ±SCORE_BOUND. */
export function rankingScore(score: number): number {
  return Math.max(-SCORE_BOUND, Math.min(SCORE_BOUND, score));
}

type Ordered = Pick<StoredRecord, 'created' | 'id' | 'score'>;

const comparators: Record<Order, (a: Ordered, b: Ordered) => number> = {
  newest: (a, b) => b.created - a.created || compareIds(b.id, a.id),
  oldest: (a, b) => a.created - b.created || compareIds(a.id, b.id),
  top: (a, b) => rankingScore(b.score) - rankingScore(a.score) || comparators.newest(a, b),
};

/** Compares two records of one kind; 0 only for the same record. */
export function comparator(order: Order): (a: Ordered, b: Ordered) => number {
  return comparators[order];
}

/** Where a page of `newest` or `oldest` goes on. */
export interface TimePosition {
  readonly second: number;
  /** How many matching records of that second have been given, in the total order; 'all' goes on behind it. */
  readonly given: number | 'all';
}

/** Where a page of `top` goes on: behind every record of this score (held to the bound) and second. */
export interface TopPosition {
  readonly score: number;
  readonly second: number;
}

/** Where a page goes on: of the shape that its order has. */
export type PagePosition = TimePosition | TopPosition;

export interface PageSize {
  /** How many records. */
  readonly limit: number;
  /**
   * The page ends before the record with which it would be over so many bytes (page-budget.ts), where the next page can
   * go on there; it has one record at least. Absent: no budget.
   */
  readonly maxBytes?: number;
}

/** `after` null: from the start. */
export interface TimePageRequest extends PageSize {
  readonly order: 'newest' | 'oldest';
  readonly after: TimePosition | null;
}

/** `after` null: from the start. */
export interface TopPageRequest extends PageSize {
  readonly order: 'top';
  readonly after: TopPosition | null;
}

/** A page to give: how many records, in which order, behind which place. */
export type PageRequest = TimePageRequest | TopPageRequest;

/** Throws a TypeError where the place is not one of this order. */
export function pageRequest(order: Order, after: PagePosition | null, size: PageSize): PageRequest {
  if (order === 'top') {
    if (after === null || isOfTop(after)) return { ...size, order, after };
  } else if (after === null || !isOfTop(after)) return { ...size, order, after };
  throw new TypeError(`expected a place of the order ${order}, found ${JSON.stringify(after)}`);
}

export function isOfTop(position: PagePosition): position is TopPosition {
  return 'score' in position;
}
