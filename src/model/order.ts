// The total order of records, and where a page ends and the next begins. Contract 4.1 and 4.3;
// search/cursor.ts makes of this the number that callers see.

import type { StoredRecord } from './record.ts';

export type Order = 'newest' | 'oldest' | 'top';

export const ORDERS: readonly Order[] = ['newest', 'oldest', 'top'];

/** Scores beyond ± this rank as equal to it. */
export const SCORE_BOUND = 1_000_000;

/** A page that would end after more than this many records of one second goes on to the end of that second. */
export const MAX_GIVEN_IN_SECOND = 999;

/** Ids compare by length, then by code unit, so base-36 numbers are in numeric order. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The least, by `compareIds`, of the ids that records give one thing; an empty one does not count. */
export function leastId(a: string, b: string): string {
  if (a === '' || b === '') return a || b;
  return compareIds(a, b) <= 0 ? a : b;
}

/** The score as it ranks: clamped to ±SCORE_BOUND. */
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

/** Where the next page of `newest` or `oldest` begins. */
export interface TimePosition {
  readonly second: number;
  /**
   * How many matching records of that second have been given, in the total order; 'all': the next page begins
   * after that second.
   */
  readonly given: number | 'all';
}

/**
 * Where the next page of `top` begins: after every record of this score (clamped to the bound) and second.
 */
export interface TopPosition {
  readonly score: number;
  readonly second: number;
}

/** Where the next page begins, in the form that belongs to the order. */
export type PagePosition = TimePosition | TopPosition;

export interface PageSize {
  /** How many records. */
  readonly limit: number;
  /**
   * The page ends before the record that would take it over this many bytes (page-budget.ts), if the next
   * page can begin there; it has at least one record. Absent: no budget.
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

/** A page to give: how many records, in which order, after which position. */
export type PageRequest = TimePageRequest | TopPageRequest;

/** Throws a TypeError if the position does not belong to this order. */
export function pageRequest(order: Order, after: PagePosition | null, size: PageSize): PageRequest {
  if (order === 'top') {
    if (after === null || isOfTop(after)) return { ...size, order, after };
  } else if (after === null || !isOfTop(after)) return { ...size, order, after };
  throw new TypeError(`expected a place of the order ${order}, found ${JSON.stringify(after)}`);
}

export function isOfTop(position: PagePosition): position is TopPosition {
  return 'score' in position;
}
