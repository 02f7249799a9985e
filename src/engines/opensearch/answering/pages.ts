// Records in any order (contract 4.1 and 4.3): a page, the number of records after a place, where a walk over them
// begins, and every match in batches.

import { EMPTY_PAGE, type Page } from '../../../model/engine.ts';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import {
  PageBudget,
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
import { type Ordered, OrderedMatches } from './ordered.ts';

/** A page, and the arrival of each of its records, to the second. */
export interface TimedPage {
  readonly page: Page;
  readonly arrived: readonly ArrivalTime[];
}

const NO_PAGE: TimedPage = { page: EMPTY_PAGE, arrived: [] };

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

type Walk = Pick<Ordered, 'query' | 'order' | 'after'>;

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
  const matches = new OrderedMatches(searcher, { query, order, after });
  for (let left = count; left > 0; ) {
    const hits = await matches.next(pit, Math.min(MAX_HITS, left), { _source: false });
    if (hits.length === 0) {
      throw new EngineUnavailable(`OpenSearch: expected ${left} more matches to pass over, found none`);
    }
    left -= hits.length;
  }
  return matches.behind;
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

interface Scan extends Ordered {
  readonly view: HeldView;
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
  { view: first, fields, ...ordered }: Scan,
): AsyncGenerator<readonly Hit[]> {
  const steps = new Steps();
  const matches = new OrderedMatches(searcher, ordered);
  const parts = fields === undefined ? {} : { docvalue_fields: fields };
  const held = new Set([first]);
  let pit = first.view.pit;
  let size = FIRST_STEP;
  try {
    while (pit !== null) {
      const hits = await matches.next(pit, size, parts).catch(async (error) => {
        if (!(error instanceof ViewLost)) throw error;
        const again = await sameView(views, [...held].at(-1)!, error);
        held.add(again);
        pit = again.view.pit;
        return await matches.next(pit!, size, parts);
      });
      if (hits.length > 0) yield hits;
      if (hits.length < size) return;
      steps.add(hits);
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
