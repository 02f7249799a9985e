// A page of records in any order. Contract 4.1 and 4.3.

import type { Page } from '../../model/engine.ts';
import { MAX_GIVEN_IN_SECOND, type PageRequest, type TimePosition } from '../../model/order.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { WordPool } from './chunk.ts';
import type { Matching } from './matching.ts';
import type { Segment } from './segment.ts';
import { type Direction, TimeWalk } from './time-walk.ts';
import { topPage } from './top-page.ts';

/** `scratch` is used and given back. */
export function pageOf(matching: Matching, request: PageRequest, scratch: WordPool): Page {
  if (request.limit === 0) return { records: [], next: null };
  if (request.order === 'top') return topPage(matching, request.after, request.limit, scratch);
  return timePage(matching, request.order, request.after, request.limit);
}

function timePage(matching: Matching, direction: Direction, after: TimePosition | null, limit: number): Page {
  const walk = new TimeWalk(matching, direction, firstSecond(direction, after));
  const found: [Segment, number][] = [];
  let second = -1;
  /** Matches of that second walked over so far. */
  let place = 0;
  /** True behind the limit: the page goes on to the end of its last second. */
  let isExtended = false;
  let next: TimePosition | null = null;
  while (walk.next()) {
    const isNewSecond = walk.created !== second;
    if (isNewSecond) {
      second = walk.created;
      place = 0;
    }
    if (found.length >= limit) {
      if (isNewSecond) break;
      if (!isExtended && place <= MAX_GIVEN_IN_SECOND) {
        next = { second, given: place };
        break;
      }
      isExtended = true;
    }
    if (!isGiven(after, second, place)) found.push([walk.matches.segment, walk.doc]);
    place++;
  }
  const records = found.map(([segment, doc]) => segment.record(doc));
  const last = records.at(-1);
  return { records, next: last === undefined ? null : (next ?? { second: last.created, given: 'all' }) };
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
  let page = topPage(matching, null, size, scratch);
  while (page.records.length > 0) {
    yield page.records;
    const last = page.next;
    if (last === null || !('score' in last)) return;
    page = topPage(matching, last, size, scratch);
  }
}
