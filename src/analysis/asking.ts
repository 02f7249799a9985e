// How everything in this room asks the engine: what is fresh, in one view, within one time budget.

import type { Answers, OneOfMany, SearchEngine } from '../model/engine.ts';
import type { Kind } from '../model/record.ts';
import { tellingLimitsOf } from '../search/engine-limits.ts';
import type { Dropped } from '../search/language/dropped.ts';
import { sinceOf } from '../search/since.ts';
import { readUnder } from '../search/under.ts';
import { type AnalysisQuery, readQueries } from './analysis-query.ts';

/** What an analysis needs. */
export interface AnalysisContext {
  readonly engine: SearchEngine;
  /** Milliseconds that a whole answer may take; Infinity: there is no limit. */
  readonly queryTimeoutMs: number;
}

/** What questions are about, in the caller's words. */
export interface AskedQueries {
  readonly kind: Kind;
  /** As written; without an implied window. */
  readonly queries: readonly string[];
  /** Of comments alone: a query that their post matches; absent, null or empty: whatever the post. */
  readonly under?: string | null;
  /** Only what came in behind this arrival; absent or 0: all. Shares are of what came in then too. */
  readonly since?: number;
}

/** The same, understood. */
export interface ReadQueries {
  readonly kind: Kind;
  readonly queries: readonly AnalysisQuery[];
  readonly under: ReturnType<typeof readUnder>;
  /** As written; empty: none. */
  readonly underText: string;
  readonly since?: number;
  /** What the query is held against, as written; absent or empty: none. */
  readonly againstText?: string;
}

/** Throws a ServiceError where a query cannot be understood. */
export function readAsked({ kind, queries, under = null, since = 0 }: AskedQueries): ReadQueries {
  return { kind, queries: readQueries(queries), under: readUnder(under), underText: under ?? '', since };
}

/** What of the queries, then of `under`, is not searched for. */
export function droppedOf({ queries, under }: ReadQueries): Dropped[] {
  return [...queries.flatMap(({ dropped }) => dropped), ...(under?.dropped ?? [])];
}

/** What a question about one of the queries asks besides. */
export type Wanted = Omit<OneOfMany, 'kind' | 'query' | 'under' | 'since'>;

/** Of each query what `wanted` says. Throws a ServiceError for what the engine refuses. */
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

/** Any questions that were made of these queries, one or more of each. */
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
