// A page of records in any order. Contract 4.1 and 4.3.

import {
  MAX_GIVEN_IN_SECOND,
  PageBudget,
  type PageRequest,
  type TimePageRequest,
  type TimePosition,
} from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Matching } from '../matching/matching.ts';
import { RowsAhead } from '../matching/plan.ts';
import type { WordPool } from '../sets/chunk.ts';
import type { MatchPlace } from './match-walk.ts';
import { firstSecond, TimeWalk } from './time-walk.ts';
import { NOWHERE, type PlacedPage, topPage } from './top-page.ts';

/** `scratch` is used and given back. */
export function pageOf(matching: Matching, request: PageRequest, scratch: WordPool): PlacedPage {
  if (request.limit === 0) return NOWHERE;
  return request.order === 'top' ? topPage(matching, request, scratch) : timePage(matching, request);
}

function timePage(matching: Matching, { order, after, limit, maxBytes }: TimePageRequest): PlacedPage {
  const walk = new TimeWalk(matching.segments, order, firstSecond(order, after));
  const budget = new PageBudget(maxBytes);
  const records: StoredRecord[] = [];
  const places: MatchPlace[] = [];
  const ahead = new RowsAhead();
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
      if (!isFull) ahead.look(() => walkedPlaces(matching, { order, after, limit }));
      const record = isFull ? null : walk.matches.segment.record(walk.doc);
      const fits = record === null || budget.fits(record);
      if (last !== undefined && (isFull || !fits || isExtended)) {
        const isShort = !isFull && !fits;
        if (isNewSecond) {
          const next: TimePosition = { second: last.created, given: 'all' };
          return { page: { records, next, hasMore: true, isShort }, places };
        }
        if (!isExtended && place <= MAX_GIVEN_IN_SECOND) {
          return { page: { records, next: { second, given: place }, hasMore: true, isShort }, places };
        }
        isExtended = true;
      }
      const { segment } = walk.matches;
      records.push(record ?? segment.record(walk.doc));
      places.push({ segment, doc: walk.doc });
    }
    place++;
  }
  const last = records.at(-1);
  if (last === undefined) return NOWHERE;
  const next: TimePosition = { second: last.created, given: 'all' };
  return { page: { records, next, hasMore: false, isShort: false }, places };
}

/** Where the page's records are, without reading one: as many as it has at least. */
function* walkedPlaces(
  { segments }: Matching,
  { order, after, limit }: Pick<TimePageRequest, 'order' | 'after' | 'limit'>,
): Generator<MatchPlace> {
  const walk = new TimeWalk(segments, order, firstSecond(order, after));
  const given = after === null || after.given === 'all' ? 0 : after.given;
  for (let place = 0; place < given + limit && walk.next(); place++) {
    yield { segment: walk.matches.segment, doc: walk.doc };
  }
}

function isGiven(after: TimePosition | null, second: number, place: number): boolean {
  return after !== null && after.given !== 'all' && second === after.second && place < after.given;
}
