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
import { firstSecond, TimeWalk } from './time-walk.ts';
import { topPage } from './top-page.ts';

/** `scratch` is used and given back. */
export function pageOf(matching: Matching, request: PageRequest, scratch: WordPool): Page {
  if (request.limit === 0) return EMPTY_PAGE;
  return request.order === 'top' ? topPage(matching, request, scratch) : timePage(matching, request);
}

function timePage(matching: Matching, { order, after, limit, maxBytes }: TimePageRequest): Page {
  const walk = new TimeWalk(matching.segments, order, firstSecond(order, after));
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

function isGiven(after: TimePosition | null, second: number, place: number): boolean {
  return after !== null && after.given !== 'all' && second === after.second && place < after.given;
}
