// Exact breakdowns. Each shard gives only its most frequent names, so the joined list may have wrong counts, or lack
// names. OpenSearch bounds the error; if that does not prove the rows, all names are counted, page by page.

import {
  type Breakdown,
  type BreakdownRequest,
  beginsWith,
  isName,
  type NameField,
} from '../../../model/engine.ts';
import { breakdownDomains } from '../../../model/query.ts';
import { isCutKeyword, keywordOf } from '../cluster/documents.ts';
import type { Dsl, Searcher } from '../cluster/search.ts';

/** The answer of a `terms` aggregation with `show_term_doc_count_error`. */
export interface NamesFound {
  /** The most records that a name may have which no shard gave. */
  readonly doc_count_error_upper_bound: number;
  /** Records of names that were left out, by a shard or at the end; 0: none. */
  readonly sum_other_doc_count: number;
  readonly buckets: readonly {
    readonly key: string;
    readonly doc_count: number;
    /** The most records that this name may have besides. */
    readonly doc_count_error_upper_bound: number;
  }[];
}

type Rows = Breakdown['rows'];

export const FIELDS = { community: 'community', domain: 'domains' } as const;

/** The least names of each shard. */
const SHARD_NAMES = 1_000;
/** If the number of names is wanted: enough to have all of them, mostly. */
const COUNTED_NAMES = 2_000;
/** If more rows are wanted, including those left out at the top, all names are asked for. */
const MAX_PROVABLE_ROWS = 20_000;
/** Names of one page of all: some 0.6 MB, which holds the event loop for few milliseconds. */
const NAMES_OF_PAGE = 10_000;

/** The most frequent names, as an aggregation of a search; null: the rows need all names, or are no names. */
export function frequentNames(request: BreakdownRequest): Dsl | null {
  const { field, prefix = '', distinct = false } = request;
  if (!isName(field)) return null;
  const include = prefix === '' ? undefined : includePattern(prefix);
  const rows = lastRow(request);
  if (rows > MAX_PROVABLE_ROWS || include === null) return null;
  const size = Math.max(2 * rows + 50, distinct ? COUNTED_NAMES : 0);
  const most = { size, shard_size: Math.max(size, SHARD_NAMES), show_term_doc_count_error: true };
  return { terms: { field: FIELDS[field], ...most, ...(include && { include }) } };
}

/** The breakdown: from the names of `frequentNames`, or from all names if those do not prove it. */
export async function breakdownFrom(
  frequent: NamesFound | null,
  request: BreakdownRequest,
  search: NamesSearch,
): Promise<Breakdown> {
  const { field, size, skip = 0, distinct = false } = request;
  const proven = frequent && provenRows(frequent, request);
  const { rows, count } = proven ?? (await allNames(request, search));
  return { field, rows: rows.slice(skip, skip + size), ...(distinct && { distinct: count }) };
}

/** Asks for an aggregation of the names of all matching records. */
export type NamesSearch = <Found>(names: Dsl) => Promise<Found>;

export function namesSearch(searcher: Searcher, pit: string, query: Dsl): NamesSearch {
  return async <Found>(names: Dsl) =>
    (await searcher.aggregate<{ readonly names: Found }>(pit, query, { names })).names;
}

/** Replaces keywords that are cut by the whole names, which a record behind each of them has. */
export async function withWholeNames(searcher: Searcher, pit: string, rows: Rows): Promise<Rows> {
  if (!rows.some(({ name }) => isCutKeyword(name))) return rows;
  const whole = async (keyword: string) => {
    const query = { bool: { filter: [{ term: { domains: keyword } }] } };
    const { hits } = await searcher.search(pit, { query, size: 1, track_total_hits: false });
    return breakdownDomains(hits[0]!._source.r).find((name) => keywordOf(name) === keyword)!;
  };
  return await Promise.all(
    rows.map(async (row) => (isCutKeyword(row.name) ? { ...row, name: await whole(row.name) } : row)),
  );
}

interface Counted {
  /** The first rows in order: at least as many as wanted, or all. */
  readonly rows: Rows;
  readonly count: number;
}

/** null: other names, or other counts, are possible. */
export function provenRows(found: NamesFound, request: BreakdownRequest): Counted | null {
  const rows = rowsOf(found);
  const { doc_count_error_upper_bound: mostLeftOut, sum_other_doc_count: others } = found;
  if (mostLeftOut === 0 && others === 0) return { rows, count: rows.length };
  if (request.distinct === true) return null;
  const wanted = lastRow(request);
  if (wanted === 0) return { rows: [], count: 0 };
  const least = rows[wanted - 1]?.count;
  if (least === undefined) return null;
  // A name that is not here was left out by each shard that has it, or at the end, after all of these.
  const mostElsewhere = rows.at(-1)!.count + mostLeftOut;
  const areExact = found.buckets.every(
    ({ doc_count, doc_count_error_upper_bound: error }) => error === 0 || doc_count + error < least,
  );
  return mostElsewhere < least && areExact ? { rows, count: rows.length } : null;
}

interface NamesPage {
  readonly buckets: readonly { readonly key: { readonly name: string }; readonly doc_count: number }[];
  /** Absent without buckets. */
  readonly after_key?: { readonly name: string };
}

/** Each page is exact: every shard counts the same names, those behind `after` in their order. */
async function allNames(request: BreakdownRequest, search: NamesSearch): Promise<Counted> {
  const { field, prefix = '' } = request;
  const sources = [{ name: { terms: { field: FIELDS[field as NameField] } } }];
  let rows: Rows = [];
  let count = 0;
  for (let after: NamesPage['after_key'] | null = null; after !== undefined; ) {
    const composite: Dsl = { size: NAMES_OF_PAGE, sources, ...(after !== null && { after }) };
    const { buckets, after_key }: NamesPage = await search<NamesPage>({ composite });
    const ofPage = prefix === '' ? buckets : buckets.filter(({ key: { name } }) => beginsWith(name, prefix));
    count += ofPage.length;
    const least = rows[lastRow(request) - 1]?.count ?? 0;
    const better = ofPage.filter(({ doc_count }) => doc_count >= least);
    const found = better.map(({ key: { name }, doc_count }) => ({ name, count: doc_count }));
    rows = [...rows, ...found].sort(compareRows).slice(0, lastRow(request));
    after = after_key;
  }
  return { rows, count };
}

function rowsOf({ buckets }: NamesFound): { name: string; count: number }[] {
  return buckets.map(({ key, doc_count }) => ({ name: key, count: doc_count })).sort(compareRows);
}

/** OpenSearch has names of one count in the order of UTF-8. */
function compareRows(a: Rows[number], b: Rows[number]): number {
  return b.count - a.count || (a.name < b.name ? -1 : 1);
}

function lastRow({ size, skip = 0 }: BreakdownRequest): number {
  return skip + size;
}

/** The longest pattern that OpenSearch accepts (`index.max_regex_length`). */
const MAX_PATTERN = 1_000;
/** Characters, besides the capital, whose lower case is this letter. */
const LOWERED: Readonly<Record<string, string>> = { k: '\u212a' };

/**
 * A Lucene expression for names with this beginning, in any case. null: impossible, since some letters become several
 * in lower case.
 */
export function includePattern(prefix: string): string | null {
  if (!/^[ -~]*$/.test(prefix)) return null;
  const begin = prefix.replace(/[^0-9]/g, (character) =>
    /[a-z]/.test(character)
      ? `[${character}${character.toUpperCase()}${LOWERED[character] ?? ''}]`
      : `\\${character}`,
  );
  const pattern = `${begin}.*`;
  return pattern.length > MAX_PATTERN ? null : pattern;
}
