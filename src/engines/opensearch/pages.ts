// A page of records in any order. Contract 4.1 and 4.3.

import type { ArrivalTime } from '../../model/arrival-time.ts';
import { EMPTY_PAGE, type Page } from '../../model/engine.ts';
import {
  MAX_GIVEN_IN_SECOND,
  type Order,
  type PagePosition,
  type PageRequest,
  rankingScore,
  type TimePageRequest,
  type TimePosition,
  type TopPageRequest,
} from '../../model/order.ts';
import { PageBudget } from '../../model/page-budget.ts';
import type { StoredRecord } from '../../model/record.ts';
import { timeOf } from './arrivals.ts';
import type { RecordSource } from './documents.ts';
import type { Dsl, Hit, SortValue } from './search.ts';

/** A page, and when each of its records came in, to the second. */
export interface TimedPage {
  readonly page: Page;
  readonly arrived: readonly ArrivalTime[];
}

export const NO_PAGE: TimedPage = { page: EMPTY_PAGE, arrived: [] };

const SORTS: Readonly<Record<Order, readonly Dsl[]>> = {
  newest: [{ created: 'desc' }, { key: 'desc' }],
  oldest: [{ created: 'asc' }, { key: 'asc' }],
  top: [{ rank: 'desc' }, { created: 'desc' }, { key: 'desc' }],
};

export function sortOf(order: Order): readonly Dsl[] {
  return SORTS[order];
}

/** Before and behind every key (documents.ts). */
const FIRST_KEY = '';
const LAST_KEY = '~';

/**
 * Behind what a page or walk begins; undefined: at the first match. Inside a second it begins at the start of that
 * second: what was given of it comes again.
 */
export function searchAfter(order: Order, after: PagePosition | null): readonly SortValue[] | undefined {
  if (after === null) return undefined;
  if ('score' in after) return [after.score, after.second, FIRST_KEY];
  const isWhole = after.given === 'all';
  return [after.second, isWhole === (order === 'newest') ? FIRST_KEY : LAST_KEY];
}

/** How many hits a page looks at first: those behind `after`, and the one that tells that there are more. */
export function hitsOf({ order, after, limit }: PageRequest): number {
  if (limit === 0) return 0;
  const givenAlready = order !== 'top' && after !== null && after.given !== 'all' ? after.given : 0;
  return givenAlready + limit + 1;
}

/** From the matches behind `searchAfter`, in order. Takes as few as it needs. */
export async function pageOf(hits: AsyncIterable<Hit>, request: PageRequest): Promise<TimedPage> {
  if (request.limit === 0) return NO_PAGE;
  return request.order === 'top' ? await topPage(hits, request) : await timePage(hits, request);
}

async function timePage(
  hits: AsyncIterable<Hit>,
  { after, limit, maxBytes }: TimePageRequest,
): Promise<TimedPage> {
  const budget = new PageBudget(maxBytes);
  const given: RecordSource[] = [];
  let second = -1;
  /** Matches of that second before this one. */
  let place = 0;
  /** True behind the limit or the budget: the page goes on to the end of its last second. */
  let isExtended = false;
  for await (const { _source: source } of hits) {
    const { created } = source.r;
    const isNewSecond = created !== second;
    place = isNewSecond ? 0 : place + 1;
    second = created;
    if (isGiven(after, second, place)) continue;
    const last = given.at(-1)?.r;
    const isFull = given.length >= limit;
    const fits = isFull || budget.fits(source.r);
    if (last !== undefined && (isFull || !fits || isExtended)) {
      const ends = isNewSecond || (!isExtended && place <= MAX_GIVEN_IN_SECOND);
      const next: TimePosition = isNewSecond
        ? { second: last.created, given: 'all' }
        : { second, given: place };
      if (ends) return timedPage(given, { next, hasMore: true, isShort: !isFull });
      isExtended = true;
    }
    given.push(source);
  }
  const last = given.at(-1)?.r;
  if (last === undefined) return NO_PAGE;
  return timedPage(given, { next: { second: last.created, given: 'all' }, hasMore: false, isShort: false });
}

function isGiven(after: TimePosition | null, second: number, place: number): boolean {
  return after !== null && after.given !== 'all' && second === after.second && place < after.given;
}

async function topPage(hits: AsyncIterable<Hit>, { limit, maxBytes }: TopPageRequest): Promise<TimedPage> {
  const budget = new PageBudget(maxBytes);
  const given: RecordSource[] = [];
  /** How many of them are of ties that are given whole. */
  let whole = 0;
  for await (const { _source: source } of hits) {
    const last = given.at(-1)?.r;
    const isNewTie = last !== undefined && !isTie(last, source.r);
    if (isNewTie) whole = given.length;
    if (isNewTie && given.length >= limit) return topEnd(given, { hasMore: true, isShort: false });
    if (!budget.fits(source.r) && whole > 0) {
      return topEnd(given.slice(0, whole), { hasMore: true, isShort: true });
    }
    given.push(source);
  }
  return given.length === 0 ? NO_PAGE : topEnd(given, { hasMore: false, isShort: false });
}

function isTie(a: StoredRecord, b: StoredRecord): boolean {
  return a.created === b.created && rankingScore(a.score) === rankingScore(b.score);
}

function topEnd(given: readonly RecordSource[], end: Pick<Page, 'hasMore' | 'isShort'>): TimedPage {
  const { score, created } = given.at(-1)!.r;
  return timedPage(given, { next: { score: rankingScore(score), second: created }, ...end });
}

function timedPage(given: readonly RecordSource[], end: Omit<Page, 'records'>): TimedPage {
  return { page: { records: given.map(({ r }) => r), ...end }, arrived: given.map(({ a }) => timeOf(a)) };
}
