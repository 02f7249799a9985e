// Counts the matches of a query by community, domain, score band, sentiment, hour of the week, or copies of a text.
// Rows have shares, the mean sentiment, and counts by time.

import { ServiceError } from '../../errors.ts';
import { type CopiesFound, isScale } from '../../model/analyses.ts';
import { RATING_UNIT } from '../../model/copies.ts';
import {
  type Breakdown,
  type BreakdownBucket,
  type BreakdownField,
  type BreakdownRow,
  isName,
} from '../../model/engine.ts';
import { KIND_NAMES, type Kind } from '../../model/record.ts';
import {
  type AnalysisContext,
  askEach,
  type Cell,
  type CsvTable,
  droppedOf,
  meanOf,
  type Normalise,
  readAsked,
  scopeOf,
  shareOf,
} from '../../search/asking.ts';
import { quoted } from '../../text/quoted.ts';

export type AskedField = 'subreddit' | 'domain' | 'score' | 'sentiment' | 'copies' | 'weekday_hour';

/** Posts have no sentiment. */
export const BROKEN_DOWN_BY: Readonly<Record<Kind, readonly AskedField[]>> = {
  post: ['subreddit', 'domain', 'score', 'copies', 'weekday_hour'],
  comment: ['subreddit', 'domain', 'score', 'sentiment', 'copies', 'weekday_hour'],
};

/** The length of the time buckets of each row; `none`: rows have no buckets. */
export const ROW_STEPS = ['none', 'day', 'week', 'month', 'quarter', 'year'] as const;

export type RowStep = (typeof ROW_STEPS)[number];

export const MAX_ROWS = 10_000;
export const DEFAULT_ROWS = 100;

export interface BreakdownWish {
  readonly kind: Kind;
  readonly query: string;
  /** Only for comments: a query that their post must match; absent, null or empty: any post. */
  readonly under?: string | null;
  readonly field: AskedField;
  readonly step: RowStep;
  /** 1 to MAX_ROWS. */
  readonly limit: number;
  /** The `next` of the previous answer, unparsed; null or empty: the first rows. */
  readonly after: string | null;
  readonly normalise: Normalise;
  /** In lower case; keeps rows whose names start with it, in any case. Absent or null: all. Only for names. */
  readonly prefix?: string | null;
}

export type BreakdownAnswer = Awaited<ReturnType<typeof breakdownOf>>['answer'];

export interface PresentedRow extends Counted, Partial<CopiesFound> {
  readonly name: string;
  /** null if no record is rated. Both are absent if the search engine does not support them. */
  readonly mean_sentiment?: number | null;
  readonly rated?: number;
  /** Non-empty buckets, ascending. */
  readonly buckets?: readonly PresentedCell[];
}

export interface PresentedCell extends Counted {
  /** Unix seconds, UTC. */
  readonly start: number;
}

interface Counted {
  readonly count: number;
  readonly of?: number;
  /** null if `of` is 0. */
  readonly share?: number | null;
}

/** Throws a ServiceError if the request is invalid or cannot be answered. */
export async function breakdownOf(context: AnalysisContext, wish: BreakdownWish, signal?: AbortSignal) {
  const { kind, query, under = null, field, step, limit } = wish;
  checkWish(wish);
  const skip = readNext(wish);
  const read = readAsked({ kind, queries: [query], under });
  const scope = scopeOf(read.queries[0]!.query, wish.normalise);
  const request = {
    ...{ field: engineField(field), size: limit, skip, distinct: true, measure: 'sentiment' as const },
    ...(step === 'none' ? {} : { by: step }),
    ...(wish.prefix == null ? {} : { prefix: wish.prefix }),
  };
  const wanted = { breakdowns: [request], ...(scope === null ? {} : { of: scope.query }) };
  const { answers, index } = await askEach(context, read, () => wanted, signal);
  const { total, ofTotal, breakdowns } = answers[0]!;
  const breakdown = breakdowns![0]!;
  const answer = {
    ...{ type: 'breakdown', kind: KIND_NAMES[kind], query: read.queries[0]!.echo, index },
    ...(read.under === null ? {} : { under: read.under.echo }),
    field,
    ...(step === 'none' ? {} : { step }),
    ...(scope === null ? {} : { of_query: scope.echo }),
    total_count: total,
    ...(scope === null ? {} : { of: ofTotal! }),
    distinct: breakdown.distinct!,
    rest: restOf(total, breakdown),
    next: nextOf(breakdown, skip),
    rows: breakdown.rows.map(presentedRow),
  };
  return { answer, dropped: droppedOf(read) };
}

function checkWish({ field, step, prefix }: BreakdownWish): void {
  if (prefix != null && !isName(engineField(field)))
    throw new ServiceError(
      'bad_value',
      `parameter \`prefix\`: expected it with \`field=subreddit\` or \`domain\`, found \`${field}\``,
    );
  if (field !== 'copies' || step === 'none') return;
  throw new ServiceError(
    'bad_value',
    `parameter \`step\`: expected none with \`field=copies\`, found \`${step}\``,
  );
}

function readNext({ after, field }: BreakdownWish): number {
  if (after === null || after === '') return 0;
  const fault = (expected: string) =>
    new ServiceError('bad_cursor', `parameter \`after\`: expected ${expected}, found ${quoted(after)}`);
  if (isScale(field)) throw fault(`none, since \`field=${field}\` gives all rows at once`);
  if (!/^\d{1,9}$/.test(after)) throw fault('the `next` of the answer before, a whole number');
  return Number(after);
}

function engineField(field: AskedField): BreakdownField {
  return field === 'subreddit' ? 'community' : field;
}

function restOf(total: number, { field, rows }: Breakdown): number | null {
  return field === 'domain' ? null : rows.reduce((rest, { count }) => rest - count, total);
}

function nextOf({ field, rows, distinct = 0 }: Breakdown, skip: number): number | null {
  const given = skip + rows.length;
  return (isName(field) || field === 'copies') && rows.length > 0 && given < distinct ? given : null;
}

function presentedRow({ name, sum, rated, by, copies, ...counts }: BreakdownRow): PresentedRow {
  return {
    name,
    ...counted(counts),
    ...(sum === undefined || rated === undefined
      ? {}
      : { mean_sentiment: meanOf(sum, rated, RATING_UNIT), rated }),
    ...copies,
    ...(by === undefined ? {} : { buckets: by.map(presentedCell) }),
  };
}

/** Called up to 100,000 times per answer, so it creates no intermediate objects. */
function presentedCell({ start, count, of }: BreakdownBucket): PresentedCell {
  return of === undefined ? { start, count } : { start, count, of, share: shareOf(count, of) };
}

function counted({ count, of }: Pick<BreakdownBucket, 'count' | 'of'>): Counted {
  return of === undefined ? { count } : { count, of, share: shareOf(count, of) };
}

/** One line per row; with `step`, one per bucket of each row. */
export function breakdownTable({ field, step, of_query, rows }: BreakdownAnswer): CsvTable {
  const counts = ['count', ...(of_query === undefined ? [] : (['of', 'share'] as const))] as const;
  if (step !== undefined) {
    const cells = rows.flatMap(({ name, buckets = [] }) =>
      buckets.map((bucket): Cell[] => [name, bucket.start, ...counts.map((column) => bucket[column]!)]),
    );
    return { columns: ['name', 'start', ...counts], rows: cells };
  }
  const hasRatings = rows.every(({ rated }) => rated !== undefined);
  const columns = [
    ...(['name', ...counts] as const),
    ...(hasRatings ? (['mean_sentiment', 'rated'] as const) : []),
    ...(field === 'copies' ? (['id', 'first', 'last', 'communities'] as const) : []),
  ];
  return { columns, rows: rows.map((row) => columns.map((column): Cell => row[column]!)) };
}
