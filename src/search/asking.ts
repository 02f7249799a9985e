// How a request asks the engine. What it has beside a query: a cursor, ids, the query in `under` (contract 4.9), an
// arrival. Analyses ask in one view, within one time budget, with queries as written, without an implied window; their
// shares are of a second query, derived from the first. The engine knows queries, not their texts: its limits become
// errors of the API here, with the position of the word. Also the rounding of shares and means, and CSV tables.
//
// The cursor is the number that callers see in `sort_key` and pass as `after` (contract 4.3 and 4.6):
//
//   newest, oldest   second × 1000 + k      k = 0: the whole second has been given; 1 … 999: so many of it
//   top              (score + 2^20) × 2^32 + second
//
// Times stay below 2^42 and `top` at or above 2^47, so a cursor tells which orders it can belong to.

import { type Position, type ProblemCode, parameterFault, ServiceError } from '../errors.ts';
import { type Answers, MAX_NAMED_RECORDS, type OneOfMany, type SearchEngine } from '../model/engine.ts';
import { EngineLimit, type LimitReached } from '../model/engine-errors.ts';
import { isOfTop, type Order, type PagePosition, type TimePosition } from '../model/pages.ts';
import type { Query, QueryItem } from '../model/query.ts';
import { type Kind, readRecordName } from '../model/record.ts';
import { csvCells, quoted, quotedIfNeeded, SHEET, sheetText } from '../text/quoted.ts';
import { type Dropped, type Interpretation, interpretWithoutWindow } from './language/interpret.ts';
import { parse } from './language/parser.ts';
import { printQuery } from './language/syntax.ts';

const TIME_END = 2 ** 42;
const TOP_START = 2 ** 47;
const SCORE_OFFSET = 2 ** 20;
const SECONDS = 2 ** 32;

export function cursorOf(position: PagePosition): number {
  if (isOfTop(position)) return (position.score + SCORE_OFFSET) * SECONDS + position.second;
  return position.second * 1000 + (position.given === 'all' ? 0 : position.given);
}

/** Takes `n` and `[[n]]`; null: absent or empty. Throws `bad_cursor`, `cursor_of_other_order`. */
export function readCursor(text: string | null, order: 'newest' | 'oldest'): TimePosition | null;
export function readCursor(text: string | null, order: Order): PagePosition | null;
export function readCursor(text: string | null, order: Order): PagePosition | null {
  if (text === null || text === '') return null;
  const digits = /^(?:\[\[(\d+)\]\]|(\d+))$/.exec(text);
  const cursor = Number(digits?.[1] ?? digits?.[2] ?? NaN);
  if (!Number.isSafeInteger(cursor)) {
    throw new ServiceError(
      'bad_cursor',
      'parameter `after`: expected the number of a `sort_key` (a whole number from 0 to 2^53 − 1), ' +
        `found ${quoted(text)}`,
    );
  }
  if (order === 'top') {
    if (cursor < TOP_START) throw otherOrder(cursor, order);
    return { score: Math.floor(cursor / SECONDS) - SCORE_OFFSET, second: cursor % SECONDS };
  }
  if (cursor >= TIME_END) throw otherOrder(cursor, order);
  const given = cursor % 1000;
  return { second: Math.floor(cursor / 1000), given: given === 0 ? 'all' : given };
}

function otherOrder(cursor: number, order: Order): ServiceError {
  return new ServiceError(
    'cursor_of_other_order',
    `parameter \`after\`: expected a cursor of \`order_by=${order}\`, found \`${cursor}\`, which belongs to another ` +
      'order; repeat the request with the order that gave it, or without `after`',
  );
}

/** Most characters of a text in a message; most links are shorter. */
const MAX_SHOWN = 120;

interface AskedName {
  readonly typed: string;
  readonly id: string | null;
}

/**
 * The records that a comma-separated list names, each once, in its order. Empty parts are ignored. `base`: as in
 * `readRecordName`. Throws `bad_ids` for an empty list or an invalid id, and `too_many_ids`.
 */
export function readAskedNames(list: string, kind: Kind, base: string): readonly AskedName[] {
  const asked = new Map<string, AskedName>();
  const strange: string[] = [];
  for (const typed of list.split(',').map((piece) => piece.trim())) {
    if (typed === '') continue;
    const name = readRecordName(typed, base);
    if (name === null) strange.push(typed);
    else {
      const of = name.of ?? kind;
      const key = `${of} ${name.id}`;
      if (!asked.has(key)) asked.set(key, { typed, id: of === kind ? name.id : null });
    }
  }
  if (strange.length > 0) throw badIds(`${quoted(strange[0]!, MAX_SHOWN)}${andOthers(strange.length - 1)}`);
  if (asked.size === 0) throw badIds('none');
  if (asked.size <= MAX_NAMED_RECORDS) return [...asked.values()];
  const [most, found] = [MAX_NAMED_RECORDS, asked.size].map((number) => number.toLocaleString('en'));
  throw parameterFault('too_many_ids', 'ids', `at most ${most} different ids`, found!);
}

function badIds(found: string): ServiceError {
  return parameterFault('bad_ids', 'ids', 'ids or permalinks of records, separated by commas', found);
}

function andOthers(count: number): string {
  return count === 0 ? '' : ` and ${count.toLocaleString('en')} more that are none`;
}

/** The largest arrival that a caller may give. */
export const MAX_SINCE = 999_999_999;

/** As part of a request: absent if everything is wanted. */
export function sinceOf({ since = 0 }: { readonly since?: number | undefined }): { readonly since?: number } {
  return since === 0 ? {} : { since };
}

/**
 * null: absent, empty, or only separators. Throws what the language refuses, with positions in `under`, and for a
 * `before:` without an `after:`.
 */
export function readUnder(text: string | null): Omit<Interpretation, 'implied'> | null {
  const under = readBeside('under', text);
  return under === null || under.query.items.length === 0 ? null : under;
}

/** null: absent or empty. Throws what the language refuses, with positions in the parameter. */
export function readBeside(
  parameter: 'under' | 'against',
  text: string | null,
): Omit<Interpretation, 'implied'> | null {
  return text === null || text === '' ? null : readAt({ parameter }, text, `parameter \`${parameter}\`: `);
}

/** `place`: where a fault is, besides its position in the text. `head`: of its message. */
function readAt(place: Partial<Position>, text: string, head = ''): Omit<Interpretation, 'implied'> {
  try {
    return interpretWithoutWindow(text);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.position === undefined) throw error;
    const position = { ...place, ...error.position };
    throw new ServiceError(error.code, `${head}${error.message}`, { position, cause: error });
  }
}

/** The same as part of a request: absent if null. */
export function underQuery(text: string | null = null): { readonly under?: Query } {
  const under = readUnder(text);
  return under === null ? {} : { under: under.query };
}

/**
 * The result of `work`. Throws `query_timeout` after this many milliseconds (Infinity: no limit); the work goes on, for
 * the next caller.
 */
export async function withinBudget<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  if (timeoutMs === Infinity) return await work();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const words = `what is known of the whole index took longer than ${timeoutMs} ms`;
    late.reject(new ServiceError('query_timeout', words, { retryAfter: 1 }));
  }, timeoutMs);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface AskedTexts {
  readonly query: readonly string[];
  readonly under?: string;
  readonly against?: string;
}

/** Runs `ask`; a limit that the engine reports is located in `text`, or in `under`, from which the query was read. */
export function tellingLimits<T>(text: string, ask: () => Promise<T>, under = ''): Promise<T> {
  return tellingLimitsOf({ query: [text], under }, ask);
}

/** The same for several queries: the position of a word says in which it is. */
export async function tellingLimitsOf<T>(asked: AskedTexts, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof EngineLimit)) throw error;
    const { reached, message } = error;
    const code = CODES[reached.limit];
    if (reached.limit !== 'prefix_tokens') throw new ServiceError(code, message, { cause: error });
    const { isUnder = false, word } = reached;
    const inQuery = isUnder ? undefined : placeAmong(asked.query, word.prefix);
    if (!isUnder && (inQuery !== undefined || !asked.against)) {
      throw new ServiceError(code, message, { ...(inQuery && { position: inQuery }), cause: error });
    }
    const parameter = isUnder ? 'under' : 'against';
    const position = placeOfPrefix(asked[parameter] ?? '', word.prefix);
    throw new ServiceError(code, `parameter \`${parameter}\`: ${message}`, {
      ...(position && { position: { ...position, parameter } }),
      cause: error,
    });
  }
}

const CODES: Readonly<Record<LimitReached['limit'], ProblemCode>> = {
  prefix_tokens: 'prefix_too_broad',
  posts_under: 'too_many_posts',
  timeline_buckets: 'too_many_buckets',
  breakdown_cells: 'too_many_cells',
  coverage_cells: 'too_many_cells',
  copied_records: 'too_many_matches',
  not_here: 'not_on_this_engine',
  sample_groups: 'sample_too_large',
  sample_bytes: 'sample_too_large',
  named_bytes: 'records_too_large',
};

function placeAmong(texts: readonly string[], prefix: string): Position | undefined {
  for (const [query, text] of texts.entries()) {
    const position = placeOfPrefix(text, prefix);
    if (position !== undefined) return texts.length === 1 ? position : { query, ...position };
  }
  // uncovered: the engine names a word of one of them
  return undefined;
}

/** In the first item that contains it. */
function placeOfPrefix(text: string, prefix: string): Position | undefined {
  for (const item of parse(text).items) {
    if (item.kind !== 'understood') continue;
    const words = item.meaning.flatMap((part) => (part.kind === 'words' ? part.words : []));
    if (words.some((word) => word.kind === 'prefix' && word.prefix === prefix)) return item.position;
  }
  return undefined;
}

export interface AnalysisContext {
  readonly engine: SearchEngine;
  /** Milliseconds for a whole response; Infinity: no limit. */
  readonly config: { readonly queryTimeoutMs: number };
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

export async function askTogether(
  { engine, config: { queryTimeoutMs: timeoutMs } }: AnalysisContext,
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
  return texts.map((text, query) => ({ text, ...readAt(texts.length === 1 ? {} : { query }, text) }));
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
  const isDate = (kind: QueryItem['kind']) => kind === 'before' || kind === 'after';
  const isKept = ({ kind }: QueryItem) => (normalise === 'scope' ? kind !== 'words' : isDate(kind));
  const scope = { items: query.items.filter(isKept) };
  return { query: scope, echo: printQuery(scope) };
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
