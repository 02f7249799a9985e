// What is asked of the matching records: page, timeline. The specification as code.

import { type ThreadPage, threadPage } from '../../src/engines/shared/thread-page.ts';
import type { SamplePage } from '../../src/model/analyses.ts';
import { ratingUnits } from '../../src/model/copies.ts';
import { EMPTY_PAGE, type Page, type Timeline, type TimelineRequest } from '../../src/model/engine.ts';
import { hex64, recordMix, Sum64 } from '../../src/model/hash.ts';
import {
  countedBytes,
  MAX_GIVEN_IN_SECOND,
  type PageRequest,
  rankingScore,
  type ThreadRequest,
  type TimePageRequest,
  type TopPageRequest,
} from '../../src/model/pages.ts';
import type { Conditions } from '../../src/model/query.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import { type Buckets, bucketStart, sharedBuckets, type TimeSpan } from '../../src/model/timeline.ts';
import { samplePageOf } from './matching.ts';
import { comparator } from './order.ts';

/** `matching` in any order. */
export function pageOf(matching: readonly StoredRecord[], request: PageRequest | SamplePage): Page {
  if (request.order === 'sample') return samplePageOf(matching, request);
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

/** What a timeline is made of. */
interface TimedMatches {
  readonly conditions: Conditions;
  readonly request: TimelineRequest;
  readonly matching: readonly StoredRecord[];
  /** null: the question has no `of`. */
  readonly of: readonly StoredRecord[] | null;
}

/** In the order given, over the same buckets (`sharedBuckets`). */
export function timelinesOf(timed: readonly TimedMatches[]): Timeline[] {
  if (timed.length === 0) return [];
  const buckets = sharedBuckets(
    timed.map(({ conditions: { from, to }, matching }) => ({ from, to, matches: spanOf(matching) })),
    timed.map(({ request }) => request),
  );
  return timed.map(({ matching, of, request: { measure } }) => {
    const within = inBuckets(matching, buckets);
    const ofWithin = of && inBuckets(of, buckets);
    return {
      step: buckets.step,
      buckets: buckets.starts.map((start) => {
        const records = within.get(start)!;
        return {
          ...{ start, count: records.length },
          ...(ofWithin && { of: ofWithin.get(start)!.length }),
          ...(measure === 'score' && { sum: sumOf(records.map(({ score }) => score)) }),
          ...(measure === 'sentiment' && ratingsOf(records)),
          ...(measure === 'fingerprint' && { fingerprint: fingerprintOf(records) }),
        };
      }),
    };
  });
}

/** By start of their bucket; records of other times are left out. */
function inBuckets(
  records: readonly StoredRecord[],
  { step, starts }: Buckets,
): ReadonlyMap<number, readonly StoredRecord[]> {
  const within = new Map<number, StoredRecord[]>(starts.map((start) => [start, []]));
  for (const record of records) within.get(bucketStart(step, record.created))?.push(record);
  return within;
}

/** Of the ratings of records, and how many there are. */
export function ratingsOf(records: readonly StoredRecord[]): { sum: number; rated: number } {
  const ratings = records.flatMap((record) =>
    record.kind === 'post' || record.sentiment === null ? [] : ratingUnits(record.sentiment),
  );
  return { sum: sumOf(ratings), rated: ratings.length };
}

function fingerprintOf(records: readonly StoredRecord[]): string {
  const sum = new Sum64();
  for (const record of records) sum.add(recordMix(record));
  return hex64(sum.value());
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function spanOf(records: readonly StoredRecord[]): TimeSpan | null {
  if (records.length === 0) return null;
  const span = { first: Infinity, last: -Infinity };
  for (const { created } of records) {
    span.first = Math.min(span.first, created);
    span.last = Math.max(span.last, created);
  }
  return span;
}
