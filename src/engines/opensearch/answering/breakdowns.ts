// Breakdowns, exact. Each shard gives its most frequent names alone, so a list put together of them may be wrong: in
// its counts, and in which names are on it. OpenSearch tells how wrong it may be; where that does not prove the rows,
// all names are asked for.

import {
  type Breakdown,
  type BreakdownRequest,
  beginsWith,
  isName,
  type NameField,
} from '../../../model/engine.ts';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import { breakdownDomains } from '../../../model/query.ts';
import { isCutKeyword, keywordOf } from '../cluster/documents.ts';
import type { Dsl, Searcher } from '../cluster/search.ts';

/** A `terms` aggregation with `show_term_doc_count_error`, as it is answered. */
export interface NamesFound {
  /** Of a name that no shard gave: so many records may have it. */
  readonly doc_count_error_upper_bound: number;
  /** Records under names that were left out, by a shard or at the end; 0: none were. */
  readonly sum_other_doc_count: number;
  readonly buckets: readonly {
    readonly key: string;
    readonly doc_count: number;
    /** So many more records may have it. */
    readonly doc_count_error_upper_bound: number;
  }[];
}

type Rows = Breakdown['rows'];

export const FIELDS = { community: 'community', domain: 'domains' } as const;

/** Of each shard, at the least. */
const SHARD_NAMES = 1_000;
/** Where their number is asked for: as many as may be all of them. */
const COUNTED_NAMES = 2_000;
/** More rows than this, those passed over included, are taken from all names. */
const MAX_PROVABLE_ROWS = 20_000;
/** Of one answer with all names, or a part of them. */
const ALL_NAMES = 250_000;
/** Into how many times as many parts names are divided that are too many. */
const FINER = 16;
const MAX_PARTS = 65_536;

/** The most frequent names, as an aggregation of a search; null: only all names give the rows, or they are no names. */
export function frequentNames(request: BreakdownRequest): Dsl | null {
  const { field, prefix = '', distinct = false } = request;
  if (!isName(field)) return null;
  const include = prefix === '' ? undefined : includePattern(prefix);
  const rows = lastRow(request);
  if (rows > MAX_PROVABLE_ROWS || include === null) return null;
  const size = Math.max(2 * rows + 50, distinct ? COUNTED_NAMES : 0);
  return terms(field, { size, shard_size: Math.max(size, SHARD_NAMES), ...(include && { include }) });
}

/** The breakdown, from the names that `frequentNames` found or, where these do not prove it, from all. */
export async function breakdownFrom(
  frequent: NamesFound | null,
  request: BreakdownRequest,
  searchAll: (names: Dsl) => Promise<NamesFound>,
): Promise<Breakdown> {
  const { field, size, skip = 0, distinct = false } = request;
  const proven = frequent && provenRows(frequent, request);
  const { rows, count } = proven ?? (await allNames(request, searchAll));
  return { field, rows: rows.slice(skip, skip + size), ...(distinct && { distinct: count }) };
}

/** What asks all records that match for names. */
export function namesSearch(
  searcher: Searcher,
  pit: string,
  query: Dsl,
): (names: Dsl) => Promise<NamesFound> {
  return async (names) =>
    (await searcher.aggregate<{ readonly names: NamesFound }>(pit, query, { names })).names;
}

/** With the names that keywords stand for, where these are cut. */
export async function withWholeNames(
  breakdown: Breakdown,
  wholeName: (keyword: string) => Promise<string>,
): Promise<Breakdown> {
  const { rows } = breakdown;
  if (!rows.some(({ name }) => isCutKeyword(name))) return breakdown;
  const whole = rows.map(async (row) =>
    isCutKeyword(row.name) ? { ...row, name: await wholeName(row.name) } : row,
  );
  return { ...breakdown, rows: await Promise.all(whole) };
}

/** What finds the name of a domain that a keyword stands for, in a record that it counts. */
export function wholeNameSearch(searcher: Searcher, pit: string): (keyword: string) => Promise<string> {
  return async (keyword) => {
    const query = { bool: { filter: [{ term: { domains: keyword } }] } };
    const { hits } = await searcher.search(pit, { query, size: 1, track_total_hits: false });
    return breakdownDomains(hits[0]!._source.r).find((name) => keywordOf(name) === keyword)!;
  };
}

interface Counted {
  /** The first rows in order, at least as many as are asked for, or all. */
  readonly rows: Rows;
  readonly count: number;
}

/** null: other names, or other counts, may belong there. */
export function provenRows(found: NamesFound, request: BreakdownRequest): Counted | null {
  const rows = rowsOf(found);
  if (isWhole(found)) return { rows, count: rows.length };
  if (request.distinct === true) return null;
  const wanted = lastRow(request);
  if (wanted === 0) return { rows: [], count: 0 };
  const least = rows[wanted - 1]?.count;
  if (least === undefined) return null;
  // A name that is not here was left out by each shard that has it, or at the end, behind all that are.
  const mostElsewhere = rows.at(-1)!.count + found.doc_count_error_upper_bound;
  const areExact = found.buckets.every(
    ({ doc_count, doc_count_error_upper_bound: error }) => error === 0 || doc_count + error < least,
  );
  return mostElsewhere < least && areExact ? { rows, count: rows.length } : null;
}

async function allNames(
  request: BreakdownRequest,
  search: (names: Dsl) => Promise<NamesFound>,
): Promise<Counted> {
  for (let parts = 1; parts <= MAX_PARTS; parts *= FINER) {
    const counted = await namesInParts(request, parts, search);
    if (counted !== null) return counted;
  }
  throw new EngineUnavailable(
    'OpenSearch: a breakdown has more names than can be counted; ask for a narrower query, or without it',
  );
}

/** null: a part is too large. */
async function namesInParts(
  request: BreakdownRequest,
  parts: number,
  search: (names: Dsl) => Promise<NamesFound>,
): Promise<Counted | null> {
  const { field, prefix = '' } = request;
  let rows: Rows = [];
  let count = 0;
  for (let partition = 0; partition < parts; partition++) {
    const include = parts === 1 ? {} : { include: { partition, num_partitions: parts } };
    const found = await search(terms(field, { size: ALL_NAMES, shard_size: ALL_NAMES, ...include }));
    if (!isWhole(found)) return null;
    const ofPart = rowsOf(found).filter(({ name }) => beginsWith(name, prefix));
    count += ofPart.length;
    rows = [...rows, ...ofPart].sort(compareRows).slice(0, lastRow(request));
  }
  return { rows, count };
}

function terms(field: BreakdownRequest['field'], parameters: Dsl): Dsl {
  return { terms: { field: FIELDS[field as NameField], show_term_doc_count_error: true, ...parameters } };
}

/** Nothing was left out anywhere. */
function isWhole({ doc_count_error_upper_bound: error, sum_other_doc_count: others }: NamesFound): boolean {
  return error === 0 && others === 0;
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

/** What OpenSearch takes (`index.max_regex_length`). */
const MAX_PATTERN = 1_000;
/** Characters other than its capital that are this letter in lower case. */
const LOWERED: Readonly<Record<string, string>> = { k: '\u212a' };

/**
 * A Lucene expression for names with this beginning, in any case. null: impossible, since some letters change their
 * number in lower case.
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
