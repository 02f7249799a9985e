// The matches of a view in an order, the next ones at each call.
//
// An index keeps its newest records first (cluster/indices.ts), so a search for the newest ends early. One for the
// oldest, or for the top, would look at every match. So the oldest are asked for in spans of time, one behind the
// other, each long enough for about twice as many as are wanted; and the top from a score up, which falls.

import { type Order, type PagePosition, SCORE_BOUND } from '../../../model/pages.ts';
import type { Dsl, Hit, SearchBody, Searcher, SortValue } from '../cluster/search.ts';
import { BOUNDS, type Bounds } from './row-counts.ts';

export const SORTS: Readonly<Record<Order, readonly Dsl[]>> = {
  newest: [{ created: 'desc' }, { key: 'desc' }],
  oldest: [{ created: 'asc' }, { key: 'asc' }],
  top: [{ rank: 'desc' }, { created: 'desc' }, { key: 'desc' }],
};

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

export interface Ordered {
  readonly query: Dsl;
  readonly order: Order;
  readonly after: PagePosition | null;
  /** Sort values to begin after, in place of `after`. */
  readonly behind?: readonly SortValue[] | undefined;
  /** How many there are in all, about. Absent: nobody knows. */
  readonly matches?: number;
}

/** Unix seconds. */
interface Span {
  readonly from: number;
  readonly seconds: number;
  /** The last record of the index. */
  readonly last: number;
}

/** The part of the time from the first record to the last that the first span has where nobody knows how many match. */
const FIRST_SHARE = 1 / 4_096;
/** A span is so much longer than one that had too few. */
const GROWTH = 8;
/** The scores from which the top are asked for, where many match. */
const SCORES: readonly number[] = [10_000, 1_000, 100, 10];
/** Of fewer matches a search may look at all. */
const MANY = 20_000;

export class OrderedMatches {
  readonly #searcher: Searcher;
  readonly #query: Dsl;
  readonly #order: Order;
  readonly #matches: number | undefined;
  #behind: readonly SortValue[] | undefined;
  #span: Span | null = null;
  /** How many of SCORES are behind. */
  #passed: number;
  /** Of the spans before, if a search for more of them failed. */
  #found: Hit[] = [];

  constructor(searcher: Searcher, { query, order, after, behind, matches }: Ordered) {
    this.#searcher = searcher;
    this.#query = query;
    this.#order = order;
    this.#matches = matches;
    this.#passed = (matches ?? Infinity) < MANY ? SCORES.length : 0;
    this.#behind = behind ?? searchAfter(order, after);
  }

  /** Sort values of the last one that was given; undefined: none was, and they begin at the first match. */
  get behind(): readonly SortValue[] | undefined {
    return this.#behind;
  }

  /**
   * The next `size` at most; fewer: there are no more. Throws what `Searcher.search` does; after a ViewLost it may be
   * asked again, of the same view in another point in time.
   */
  async next(
    pit: string,
    size: number,
    parts: Pick<SearchBody, 'docvalue_fields' | '_source'> = {},
  ): Promise<readonly Hit[]> {
    if (this.#order === 'oldest') return await this.#oldest(pit, size, parts);
    if (this.#order === 'top') return await this.#top(pit, size, parts);
    const isBehind = this.#behind !== undefined;
    return await this.#search(pit, size, parts, isBehind ? { created: { lte: this.#behind![0] } } : null);
  }

  async #oldest(pit: string, size: number, parts: Partial<SearchBody>): Promise<readonly Hit[]> {
    this.#span ??= await this.#firstSpan(pit, size);
    const { last } = this.#span;
    for (;;) {
      const { from, seconds }: Span = this.#span;
      const to: number = from + seconds;
      const wanted = size - this.#found.length;
      const created = to > last ? { gte: from } : { gte: from, lt: to };
      const hits = await this.#search(pit, wanted, parts, { created });
      this.#found.push(...hits);
      if (hits.length < wanted && to <= last) {
        this.#span = { from: to, seconds: seconds * GROWTH, last };
        continue;
      }
      if (hits.length === wanted) {
        const reached = hits.at(-1)!.sort[0] as number;
        this.#span = { from: reached, seconds: Math.max(1, 2 * (reached - from)), last };
      }
      return this.#taken();
    }
  }

  async #top(pit: string, size: number, parts: Partial<SearchBody>): Promise<readonly Hit[]> {
    for (;;) {
      const most = (this.#behind?.[0] as number | undefined) ?? SCORE_BOUND;
      while (most < SCORES[this.#passed]!) this.#passed++;
      const least = SCORES[this.#passed];
      // Scores from the bound on rank as it does.
      const score = { ...(most < SCORE_BOUND && { lte: most }), ...(least !== undefined && { gte: least }) };
      const wanted = size - this.#found.length;
      const hits = await this.#search(pit, wanted, parts, Object.keys(score).length === 0 ? null : { score });
      this.#found.push(...hits);
      if (hits.length === wanted || least === undefined) return this.#taken();
      this.#passed++;
    }
  }

  #taken(): readonly Hit[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  async #firstSpan(pit: string, size: number): Promise<Span> {
    const body = { size: 0, track_total_hits: false, aggs: BOUNDS } as const;
    const { aggregations } = await this.#searcher.search<Bounds>(pit, body);
    const first = aggregations.first.value ?? 0;
    const last = aggregations.last.value ?? 0;
    const from = Math.max(first, (this.#behind?.[0] as number | undefined) ?? first);
    const share = this.#matches === undefined ? FIRST_SHARE : (2 * size) / Math.max(1, this.#matches);
    return { from, seconds: Math.max(1, Math.ceil((last - from + 1) * share)), last };
  }

  /** `range`: it has the next ones; null: they may be anywhere. */
  async #search(
    pit: string,
    size: number,
    parts: Partial<SearchBody>,
    range: Dsl | null,
  ): Promise<readonly Hit[]> {
    const query = this.#query;
    const { hits } = await this.#searcher.search(pit, {
      ...{ size, sort: SORTS[this.#order], track_total_hits: false, ...parts },
      query: range === null ? query : { bool: { filter: [query, { range }] } },
      ...(this.#behind !== undefined && { search_after: this.#behind }),
    });
    this.#behind = hits.at(-1)?.sort ?? this.#behind;
    return hits;
  }
}
