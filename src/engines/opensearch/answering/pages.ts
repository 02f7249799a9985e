// Records in any order (contract 4.1 and 4.3): a page, the number of records after a place, where a walk over them
// begins, and every match in batches.

import { EMPTY_PAGE, type Page } from '../../../model/engine.ts';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import {
  type Order,
  PageBudget,
  type PagePosition,
  type PageRequest,
  rankingScore,
  SCORE_BOUND,
  TimeCut,
  type TimePageRequest,
  type TopPageRequest,
} from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { ArrivalTime } from '../../../model/time.ts';
import { type RecordSource, timeOf } from '../cluster/documents.ts';
import { FIRST_STEP, Steps } from '../cluster/hit-walk.ts';
import { type Dsl, type Hit, MAX_HITS, type Searcher, type SortValue, ViewLost } from '../cluster/search.ts';
import type { HeldView, Views } from '../state/views.ts';

/** A page, and the arrival of each of its records, to the second. */
export interface TimedPage {
  readonly page: Page;
  readonly arrived: readonly ArrivalTime[];
}

const NO_PAGE: TimedPage = { page: EMPTY_PAGE, arrived: [] };

const SORTS: Readonly<Record<Order, readonly Dsl[]>> = {
  newest: [{ created: 'desc' }, { key: 'desc' }],
  oldest: [{ created: 'asc' }, { key: 'asc' }],
  top: [{ rank: 'desc' }, { created: 'desc' }, { key: 'desc' }],
};

export function sortOf(order: Order): readonly Dsl[] {
  return SORTS[order];
}

/** Sort before and after every key (cluster/documents.ts). */
const FIRST_KEY = '';
const LAST_KEY = '~';

/**
 * Sort values before the page; undefined: the first match. A page inside a second begins at the second's start, and
 * repeats what was given.
 */
export function searchAfter(order: Order, after: PagePosition | null): readonly SortValue[] | undefined {
  if (after === null) return undefined;
  if ('score' in after) return [after.score, after.second, FIRST_KEY];
  const isWhole = after.given === 'all';
  return [after.second, isWhole === (order === 'newest') ? FIRST_KEY : LAST_KEY];
}

/** Hits that a page asks for first: those after `after`, and one that tells that there are more. */
export function hitsOf({ order, after, limit }: PageRequest): number {
  if (limit === 0) return 0;
  const givenAlready = order !== 'top' && after !== null && after.given !== 'all' ? after.given : 0;
  return givenAlready + limit + 1;
}

/** Builds the page from the matches after `searchAfter`, in order. Takes as few as it needs. */
export async function pageOf(hits: AsyncIterable<Hit>, request: PageRequest): Promise<TimedPage> {
  if (request.limit === 0) return NO_PAGE;
  return request.order === 'top' ? await topPage(hits, request) : await timePage(hits, request);
}

async function timePage(hits: AsyncIterable<Hit>, request: TimePageRequest): Promise<TimedPage> {
  const cut = new TimeCut(request);
  const given: RecordSource[] = [];
  for await (const { _source: source } of hits) {
    const taken = cut.take(source.r.created, () => source.r);
    if (taken === 'end') break;
    if (taken !== null) given.push(source);
  }
  return timedPage(given, cut.end);
}

async function topPage(hits: AsyncIterable<Hit>, { limit, maxBytes }: TopPageRequest): Promise<TimedPage> {
  const budget = new PageBudget(maxBytes);
  const given: RecordSource[] = [];
  /** Records of ties that are given whole. */
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

interface Walk {
  readonly query: Dsl;
  readonly order: Order;
  readonly after: PagePosition | null;
}

interface Behind {
  readonly count: number;
  /** Matches to skip between the place of `searchAfter` and the page. */
  readonly given: number;
}

/** `matches`: the total. */
export async function countBehind(
  searcher: Searcher,
  pit: string,
  { query, order, after }: Walk,
  matches: number,
): Promise<Behind> {
  if (after === null) return { count: matches, given: 0 };
  const count = (clause: Dsl) => searcher.count(pit, { bool: { filter: [query, clause] } });
  if ('score' in after) return { count: await count(belowTie(after.score, after.second)), given: 0 };
  const { second, given } = after;
  const beyond = await count({ range: { created: order === 'newest' ? { lt: second } : { gt: second } } });
  if (given === 'all') return { count: beyond, given: 0 };
  const same = await count({ term: { created: second } });
  const passed = Math.min(given, same);
  return { count: beyond + same - passed, given: passed };
}

/** Sort values after skipping so many matches; undefined: the first match. Throws what `Searcher.search` throws. */
export async function passOver(
  searcher: Searcher,
  pit: string,
  { query, order, after }: Walk,
  count: number,
): Promise<readonly SortValue[] | undefined> {
  let behind = searchAfter(order, after);
  for (let left = count; left > 0; ) {
    const { hits } = await searcher.search(pit, {
      ...{ query, size: Math.min(MAX_HITS, left), sort: sortOf(order) },
      ...(behind !== undefined && { search_after: behind }),
      ...{ track_total_hits: false, _source: false },
    });
    if (hits.length === 0) {
      throw new EngineUnavailable(`OpenSearch: expected ${left} more matches to pass over, found none`);
    }
    behind = hits.at(-1)!.sort;
    left -= hits.length;
  }
  return behind;
}

/** The score ranks below this one, or ranks equal and the record is older. */
function belowTie(rank: number, second: number): Dsl {
  const below = rank <= -SCORE_BOUND ? { match_none: {} } : { range: { score: { lt: rank } } };
  const bounds = {
    ...(rank > -SCORE_BOUND && { gte: rank }),
    ...(rank < SCORE_BOUND && { lte: rank }),
  };
  const older = { bool: { filter: [{ range: { score: bounds } }, { range: { created: { lt: second } } }] } };
  return { bool: { should: [below, older], minimum_should_match: 1 } };
}

const BATCH = 1_000;

interface Scan {
  readonly query: Dsl;
  readonly order: Order;
  readonly after: PagePosition | null;
  /** Sort values to begin after, in place of `after`. */
  readonly behind?: readonly SortValue[] | undefined;
  /** Fields that come with the hits. Absent: none. */
  readonly fields?: readonly string[];
}

/**
 * Every match in an order, in one view, a search for each batch of at most `BATCH` hits. Disposes of the view. Throws
 * an EngineUnavailable if the view is lost for good.
 */
export async function* scanHits(
  searcher: Searcher,
  views: Views,
  { view: first, query, order, after, behind: start, fields }: Scan & { readonly view: HeldView },
): AsyncGenerator<readonly Hit[]> {
  const steps = new Steps();
  const held = new Set([first]);
  let pit = first.view.pit;
  let behind = start ?? searchAfter(order, after);
  let size = FIRST_STEP;
  const next = async () => {
    const body = { ...{ query: ahead(query, order, behind), size, sort: sortOf(order) } };
    return await searcher.search(pit!, {
      ...body,
      ...(behind !== undefined && { search_after: behind }),
      ...(fields !== undefined && { docvalue_fields: fields }),
      track_total_hits: false,
    });
  };
  try {
    while (pit !== null) {
      const { hits } = await next().catch(async (error) => {
        if (!(error instanceof ViewLost)) throw error;
        const again = await sameView(views, [...held].at(-1)!, error);
        held.add(again);
        pit = again.view.pit;
        return await next();
      });
      if (hits.length > 0) yield hits;
      if (hits.length < size) return;
      steps.add(hits);
      behind = hits.at(-1)!.sort;
      size = Math.min(BATCH, steps.most());
    }
  } finally {
    for (const view of held) view[Symbol.dispose]();
  }
}

async function sameView(views: Views, lost: HeldView, cause: ViewLost): Promise<HeldView> {
  try {
    return await views.holdSame(lost);
  } catch (error) {
    throw new EngineUnavailable((error as Error).message, { cause });
  }
}

/** Also excludes what is before the place by its time, so that the cluster does not look at it again. */
function ahead(query: Dsl, order: Order, behind: readonly SortValue[] | undefined): Dsl {
  if (order === 'top' || behind === undefined) return query;
  const range = { created: order === 'newest' ? { lte: behind[0] } : { gte: behind[0] } };
  return { bool: { filter: [query, { range }] } };
}
