// How analyses query the engine: in one view, within one time budget, with queries as written, without an implied
// window. Shares are of a second query, derived from the first. Also the rounding of shares and means, and CSV tables
// of responses.

import { ServiceError } from '../errors.ts';
import type { Answers, OneOfMany, SearchEngine } from '../model/engine.ts';
import type { Query, QueryItem } from '../model/query.ts';
import type { Kind } from '../model/record.ts';
import { csvCells, quotedIfNeeded, SHEET, sheetText } from '../text/quoted.ts';
import { type Dropped, type Interpretation, interpretWithoutWindow } from './language/interpret.ts';
import { printQuery } from './language/syntax.ts';
import { readUnder, sinceOf } from './options.ts';
import { tellingLimitsOf } from './search-service.ts';

export interface AnalysisContext {
  readonly engine: SearchEngine;
  /** Milliseconds for a whole response; Infinity: no limit. */
  readonly queryTimeoutMs: number;
}

export interface AskedQueries {
  readonly kind: Kind;
  /** As written; without an implied window. */
  readonly queries: readonly string[];
  /** Comments only: a query that their post matches; absent, null or empty: any post. */
  readonly under?: string | null;
  /** Only records after this arrival; absent or 0: all. The base of shares is limited in the same way. */
  readonly since?: number;
}

export interface ReadQueries {
  readonly kind: Kind;
  readonly queries: readonly AnalysisQuery[];
  readonly under: ReturnType<typeof readUnder>;
  /** As written; empty: none. */
  readonly underText: string;
  readonly since?: number;
  /** The query compared with, as written; absent or empty: none. */
  readonly againstText?: string;
}

/** Throws a ServiceError if a query is invalid. */
export function readAsked({ kind, queries, under = null, since = 0 }: AskedQueries): ReadQueries {
  return { kind, queries: readQueries(queries), under: readUnder(under), underText: under ?? '', since };
}

/** Parts of the queries, then of `under`, that are not searched for. */
export function droppedOf({ queries, under }: ReadQueries): Dropped[] {
  return [...queries.flatMap(({ dropped }) => dropped), ...(under?.dropped ?? [])];
}

export type Wanted = Omit<OneOfMany, 'kind' | 'query' | 'under' | 'since'>;

/** Asks `wanted` of each query. Throws a ServiceError if the engine refuses one. */
export function askEach(
  context: AnalysisContext,
  read: ReadQueries,
  wanted: (query: AnalysisQuery) => Wanted,
  signal?: AbortSignal,
): Promise<Answers> {
  const { kind, queries, under } = read;
  const questions = queries.map((query) => ({
    ...{ kind, query: query.query },
    ...(under === null ? {} : { under: under.query }),
    ...sinceOf(read),
    ...wanted(query),
  }));
  return askTogether(context, read, questions, signal);
}

export async function askTogether(
  { engine, queryTimeoutMs: timeoutMs }: AnalysisContext,
  { queries, underText, againstText = '' }: ReadQueries,
  questions: readonly OneOfMany[],
  signal?: AbortSignal,
): Promise<Answers> {
  await engine.refresh();
  const texts = { query: queries.map(({ text }) => text), under: underText, against: againstText };
  return await tellingLimitsOf(texts, () => engine.askAll(questions, { timeoutMs }, signal));
}

export interface AnalysisQuery extends Omit<Interpretation, 'implied'> {
  readonly text: string;
}

/**
 * In their order. Throws what the language refuses, and for a `before:` without an `after:`. If there are several, the
 * position says which is meant.
 */
export function readQueries(texts: readonly string[]): AnalysisQuery[] {
  return texts.map((text, number) => {
    try {
      return { text, ...interpretWithoutWindow(text) };
    } catch (error) {
      const isAlone = texts.length === 1;
      if (isAlone || !(error instanceof ServiceError) || error.position === undefined) throw error;
      const position = { query: number, ...error.position };
      throw new ServiceError(error.code, error.message, { position, cause: error });
    }
  });
}

export function readQuery(text: string): AnalysisQuery {
  return readQueries([text])[0]!;
}

export const NORMALISES = ['scope', 'all', 'none'] as const;

/**
 * `scope`: the query without its words, phrases, prefixes and any-ofs, included or excluded. `all`: its dates alone.
 * `none`: there are no shares.
 */
export type Normalise = (typeof NORMALISES)[number];

/** The query that shares are of, and its canonical form; null: no shares. */
export interface Scope {
  readonly query: Query;
  readonly echo: string;
}

export function scopeOf(query: Query, normalise: Normalise): Scope | null {
  if (normalise === 'none') return null;
  const isKept = normalise === 'scope' ? isNoWord : isDate;
  const scope = { items: query.items.filter(isKept) };
  return { query: scope, echo: printQuery(scope) };
}

function isNoWord({ kind }: QueryItem): boolean {
  return kind !== 'words';
}

function isDate({ kind }: QueryItem): boolean {
  return kind === 'before' || kind === 'after';
}

/** With 6 decimals, halves up; null if the base is empty. */
export function shareOf(count: number, of: number): number | null {
  return of === 0 ? null : Math.round((count * 1_000_000) / of) / 1_000_000;
}

/** With 4 decimals, halves up; null for none. `unit`: how many of the summed units make 1. */
export function meanOf(sum: number, n: number, unit = 1): number | null {
  // `+ 0` makes 0 of −0.
  return n === 0 ? null : Math.round((sum * (10_000 / unit)) / n) / 10_000 + 0;
}

export type Cell = string | number | null;

export interface CsvTable {
  readonly columns: readonly string[];
  /** Each as long as `columns`. */
  readonly rows: readonly (readonly Cell[])[];
}

/**
 * Line by line, each with its end: RFC 4180, except that rows end in LF; null is an empty cell. `csv-excel`: for
 * spreadsheets, as in exports.
 */
export function* csvLines({ columns, rows }: CsvTable, form: 'csv' | 'csv-excel' = 'csv'): Generator<string> {
  const { head, end } = form === 'csv' ? { head: '', end: '\n' } : SHEET;
  const textCell = form === 'csv' ? quotedIfNeeded : (text: string) => quotedIfNeeded(sheetText(text));
  yield `${head}${csvCells(columns)}${end}`;
  for (const cells of rows) yield `${csvCells(cells, textCell)}${end}`;
}

/** Column names for each of several queries: `count`, or `count_1`, `share_1`, `count_2` … */
export function columnsOfQueries(names: readonly string[], queries: number): string[] {
  if (queries === 1) return [...names];
  return Array.from({ length: queries }, (_, i) => names.map((name) => `${name}_${i + 1}`)).flat();
}
