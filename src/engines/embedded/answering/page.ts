// A page of records in any order. Contract 4.1 and 4.3.

import { EMPTY_PAGE, type Page } from '../../../model/engine.ts';
import {
  MAX_GIVEN_IN_SECOND,
  type PageRequest,
  type TimePageRequest,
  type TimePosition,
} from '../../../model/order.ts';
import { PageBudget } from '../../../model/page-budget.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { WordPool } from '../sets/chunk.ts';
import type { Matching } from './matching.ts';
import { type Direction, TimeWalk } from './time-walk.ts';
import { topPage } from './top-page.ts';

/** `scratch` is used and given back. */
export function pageOf(matching: Matching, request: PageRequest, scratch: WordPool): Page {
  if (request.limit === 0) return EMPTY_PAGE;
  return request.order === 'top' ? topPage(matching, request, scratch) : timePage(matching, request);
}

function timePage(matching: Matching, { order, after, limit, maxBytes }: TimePageRequest): Page {
  const walk = new TimeWalk(matching, order, firstSecond(order, after));
  const budget = new PageBudget(maxBytes);
  const records: StoredRecord[] = [];
  let second = -1;
  /** Matches of that second walked over so far. */
  let place = 0;
  /** True behind the limit or the budget: the page goes on to the end of its last second. */
  let isExtended = false;
  while (walk.next()) {
    const isNewSecond = walk.created !== second;
    if (isNewSecond) {
      second = walk.created;
      place = 0;
    }
    if (!isGiven(after, second, place)) {
      const last = records.at(-1);
      const isFull = records.length >= limit;
      const record = isFull ? null : walk.matches.segment.record(walk.doc);
      const fits = record === null || budget.fits(record);
      if (last !== undefined && (isFull || !fits || isExtended)) {
        const isShort = !isFull && !fits;
        if (isNewSecond) {
          return { records, next: { second: last.created, given: 'all' }, hasMore: true, isShort };
        }
        if (!isExtended && place <= MAX_GIVEN_IN_SECOND) {
          return { records, next: { second, given: place }, hasMore: true, isShort };
        }
        isExtended = true;
      }
      records.push(record ?? walk.matches.segment.record(walk.doc));
    }
    place++;
  }
  const last = records.at(-1);
  if (last === undefined) return EMPTY_PAGE;
  return { records, next: { second: last.created, given: 'all' }, hasMore: false, isShort: false };
}

/** The second that the walk begins with; null: the first there is. */
function firstSecond(direction: Direction, after: TimePosition | null): number | null {
  if (after === null) return null;
  if (after.given !== 'all') return after.second;
  return direction === 'newest' ? after.second - 1 : after.second + 1;
}

function isGiven(after: TimePosition | null, second: number, place: number): boolean {
  return after !== null && after.given !== 'all' && second === after.second && place < after.given;
}

/** Every match in the order of time, in batches. */
export function* scanByTime(
  matching: Matching,
  direction: Direction,
  size: number,
): Generator<StoredRecord[]> {
  const walk = new TimeWalk(matching, direction, null);
  let batch: StoredRecord[] = [];
  while (walk.next()) {
    batch.push(walk.matches.segment.record(walk.doc));
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Every match from the top score down, in batches of `size` or a little more. */
export function* scanByScore(
  matching: Matching,
  size: number,
  scratch: WordPool,
): Generator<readonly StoredRecord[]> {
  let page = topPage(matching, { order: 'top', limit: size, after: null }, scratch);
  while (page.records.length > 0) {
    yield page.records;
    const last = page.next;
    // uncovered: a page of `top` with records has a place where the next one begins
    if (last === null || !('score' in last)) return;
    page = topPage(matching, { order: 'top', limit: size, after: last }, scratch);
  }
}
