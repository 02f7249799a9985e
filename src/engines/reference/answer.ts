// What is asked of the matching records: page, breakdowns, timeline. The specification as code.

import type { Conditions } from '../../model/conditions.ts';
import {
  type Breakdown,
  type BreakdownRequest,
  beginsWith,
  EMPTY_PAGE,
  type Page,
  type Timeline,
  type TimelineRequest,
} from '../../model/engine.ts';
import {
  comparator,
  MAX_GIVEN_IN_SECOND,
  type PageRequest,
  rankingScore,
  type TimePageRequest,
  type TopPageRequest,
} from '../../model/order.ts';
import { countedBytes } from '../../model/page-budget.ts';
import { MAX_TIME, type StoredRecord } from '../../model/record.ts';
import { breakdownDomains } from '../../model/sites.ts';
import type { ThreadRequest } from '../../model/thread.ts';
import { type ThreadPage, threadPage } from '../../model/thread-page.ts';
import { timelineBuckets } from '../../model/timeline.ts';

/** `matching` in any order. */
export function pageOf(matching: readonly StoredRecord[], request: PageRequest): Page {
  const ordered = [...matching].sort(comparator(request.order));
  return request.order === 'top' ? topPage(ordered, request) : timePage(ordered, request);
}

function timePage(
  ordered: readonly StoredRecord[],
  { order, after, limit, maxBytes = Infinity }: TimePageRequest,
): Page {
  const sign = order === 'newest' ? -1 : 1;
  const start = ordered.findIndex((record, i) => {
    if (after === null) return true;
    const ahead = (record.created - after.second) * sign;
    const givenAlready = after.given === 'all' ? Infinity : after.given;
    return ahead > 0 || (ahead === 0 && placeInSecond(ordered, i) >= givenAlready);
  });
  if (start === -1 || limit === 0) return EMPTY_PAGE;
  const fitting = Math.max(1, howManyFit(ordered.slice(start, start + limit), maxBytes));
  const wanted = Math.min(limit, ordered.length - start);
  let end = start + fitting;
  if (sameSecond(ordered, end) && placeInSecond(ordered, end) > MAX_GIVEN_IN_SECOND) {
    while (sameSecond(ordered, end)) end++;
  }
  const given = sameSecond(ordered, end) ? placeInSecond(ordered, end) : 'all';
  return {
    records: ordered.slice(start, end),
    next: { second: ordered[end - 1]!.created, given },
    hasMore: end < ordered.length,
    isShort: end - start < wanted,
  };
}

/** How many records from the first on are within so many bytes. */
function howManyFit(records: readonly StoredRecord[], maxBytes: number): number {
  let bytes = 0;
  const beyond = records.findIndex((record) => {
    bytes += countedBytes(record);
    return bytes > maxBytes;
  });
  return beyond === -1 ? records.length : beyond;
}

/** How many of the records before `i` share its second. */
function placeInSecond(ordered: readonly StoredRecord[], i: number): number {
  let place = 0;
  while (sameSecond(ordered, i - place)) place++;
  return place;
}

/** True where the records before and at `i` share a second: a page that ends between them splits it. */
function sameSecond(ordered: readonly StoredRecord[], i: number): boolean {
  return i > 0 && ordered[i - 1]!.created === ordered[i]?.created;
}

function topPage(
  ordered: readonly StoredRecord[],
  { after, limit, maxBytes = Infinity }: TopPageRequest,
): Page {
  const start = ordered.findIndex((record) => {
    if (after === null) return true;
    const score = rankingScore(record.score);
    return score < after.score || (score === after.score && record.created < after.second);
  });
  if (start === -1 || limit === 0) return EMPTY_PAGE;
  const wanted = endOfTie(ordered, Math.min(start + limit, ordered.length));
  let end = wanted;
  while (end > start && howManyFit(ordered.slice(start, end), maxBytes) < end - start) {
    end = startOfTie(ordered, end - 1);
  }
  if (end === start) end = endOfTie(ordered, start + 1);
  const last = ordered[end - 1]!;
  return {
    records: ordered.slice(start, end),
    next: { score: rankingScore(last.score), second: last.created },
    hasMore: end < ordered.length,
    isShort: end < wanted,
  };
}

/** The end of a page that would end at `end`, which does not split a tie. */
function endOfTie(ordered: readonly StoredRecord[], end: number): number {
  let at = end;
  while (sameTie(ordered[at - 1]!, ordered[at])) at++;
  return at;
}

/** Where the tie of the record at `i` begins. */
function startOfTie(ordered: readonly StoredRecord[], i: number): number {
  let at = i;
  while (at > 0 && sameTie(ordered[at - 1]!, ordered[at])) at--;
  return at;
}

function sameTie(a: StoredRecord, b: StoredRecord | undefined): boolean {
  return b !== undefined && a.created === b.created && rankingScore(a.score) === rankingScore(b.score);
}

/** `matching` in any order. */
export function threadOf(matching: readonly StoredRecord[], request: ThreadRequest): ThreadPage {
  const comments = matching.filter((record) => record.kind === 'comment').sort(comparator('oldest'));
  return threadPage(comments, request, (number) => comments[number]!);
}

export function breakdownOf(
  matching: readonly StoredRecord[],
  { field, size, skip = 0, prefix = '', distinct = false }: BreakdownRequest,
): Breakdown {
  const counts = new Map<string, number>();
  for (const record of matching) {
    const names = field === 'community' ? [record.community] : breakdownDomains(record);
    for (const name of names) {
      if (beginsWith(name, prefix)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const rows = [...counts].map(([name, count]) => ({ name, count }));
  rows.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return { field, rows: rows.slice(skip, skip + size), ...(distinct && { distinct: rows.length }) };
}

/** Bounds are the query's where it has them, else those of the matches; without matches there is no bucket. */
export function timelineOf(
  matching: readonly StoredRecord[],
  { from, to }: Conditions,
  { step: given, measure }: TimelineRequest,
): Timeline {
  if (matching.length === 0) return { step: given ?? 'day', buckets: [] };
  const matches = { first: Infinity, last: -Infinity };
  for (const { created } of matching) {
    matches.first = Math.min(matches.first, created);
    matches.last = Math.max(matches.last, created);
  }
  const bounds = {
    first: from > 0 ? from : matches.first,
    last: to <= MAX_TIME ? to - 1 : matches.last,
  };
  const { step, starts } = timelineBuckets(bounds, matches, given);
  const buckets = starts.map((start) => ({ start, count: 0, ...(measure && { sum: 0 }) }));
  for (const { created, score } of matching) {
    const bucket = buckets[starts.findLastIndex((start) => start <= created)]!;
    bucket.count++;
    if (bucket.sum !== undefined) bucket.sum += score;
  }
  return { step, buckets };
}
