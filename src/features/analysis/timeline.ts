// When the matches of queries were written: counts by hour, day, week, month, quarter or year, with shares and means.
//
// How many records match each of several queries, and what share of others that is.

import { RATING_UNIT } from '../../model/copies.ts';
import type { OneAnswer, TimelineBucket } from '../../model/engine.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import { KIND_NAMES, type Kind, type KindName } from '../../model/record.ts';
import type { TimelineStep } from '../../model/time.ts';
import { TIMELINE_STEPS } from '../../model/timeline.ts';
import {
  type AnalysisContext,
  type AnalysisQuery,
  type AskedQueries,
  askEach,
  type Cell,
  type CsvTable,
  columnsOfQueries,
  droppedOf,
  meanOf,
  type Normalise,
  readAsked,
  type Scope,
  scopeOf,
  shareOf,
} from '../../search/asking.ts';
import type { Dropped } from '../../search/language/interpret.ts';

export const MAX_SERIES = 8;

/** `auto`: the finest from `day` on that needs at most MAX_BUCKETS buckets (model/timeline.ts). */
export const ASKED_STEPS = ['auto', ...TIMELINE_STEPS] as const;

export type AskedStep = 'auto' | TimelineStep;

export type Measure = 'count' | 'score' | 'sentiment';

export const MEASURES: Readonly<Record<Kind, readonly Measure[]>> = {
  post: ['count', 'score'],
  comment: ['count', 'score', 'sentiment'],
};

export interface TimelineWish extends AskedQueries {
  readonly step: AskedStep;
  readonly measure: Measure;
  readonly normalise: Normalise;
}

export interface TimelineAnswer {
  readonly type: 'timeline';
  readonly kind: KindName;
  /** In canonical form; null where there are several. */
  readonly query: string | null;
  readonly index: IndexFingerprint;
  /** In canonical form; absent where none was given. */
  readonly under?: string;
  readonly step: TimelineStep;
  readonly series: readonly Series[];
}

export interface Series {
  readonly query: string;
  /** What shares are of, in canonical form; absent with `normalise=none`. */
  readonly of_query?: string;
  readonly total_count: number;
  /** Those of every series begin at the same times. */
  readonly buckets: readonly SeriesBucket[];
}

export interface SeriesBucket {
  /** Unix seconds, UTC; of the first bucket this may lie before the bound. */
  readonly start: number;
  readonly count: number;
  /** Absent with `normalise=none`, as `share` is. */
  readonly of?: number;
  /** null where `of` is 0. */
  readonly share?: number | null;
  /** Of score or sentiment; null of none. Absent with `measure=count`, as `n` and `unrated` are. */
  readonly mean?: number | null;
  readonly n?: number;
  readonly unrated?: number;
}

/** Throws a ServiceError where the request cannot be understood or answered. */
export async function timelineOf(
  context: AnalysisContext,
  wish: TimelineWish,
  signal?: AbortSignal,
): Promise<{
  readonly answer: TimelineAnswer;
  readonly dropped: readonly Dropped[];
  readonly arrival: number;
}> {
  const { kind, step, measure } = wish;
  const read = readAsked(wish);
  const scopes = new Map(read.queries.map((query) => [query, scopeOf(query.query, wish.normalise)]));
  const timeline = {
    ...(step === 'auto' ? {} : { step }),
    ...(measure === 'count' ? {} : { measure }),
    keepsBounds: true,
  };
  const { answers, index, arrival } = await askEach(
    context,
    read,
    (query) => {
      const scope = scopes.get(query)!;
      return { timeline, ...(scope === null ? {} : { of: scope.query }) };
    },
    signal,
  );
  const series = read.queries.map((query, i) => seriesOf(query, scopes.get(query)!, measure, answers[i]!));
  return {
    answer: {
      ...{
        type: 'timeline',
        kind: KIND_NAMES[kind],
        query: series.length === 1 ? series[0]!.query : null,
        index,
      },
      ...(read.under === null ? {} : { under: read.under.echo }),
      step: answers[0]!.timeline!.step,
      series,
    },
    dropped: droppedOf(read),
    arrival,
  };
}

function seriesOf(
  { echo }: AnalysisQuery,
  scope: Scope | null,
  measure: Measure,
  { total, timeline }: OneAnswer,
): Series {
  return {
    query: echo,
    ...(scope === null ? {} : { of_query: scope.echo }),
    total_count: total,
    buckets: timeline!.buckets.map((bucket) => presented(bucket, measure)),
  };
}

/** There may be thousands, and a spread of each takes long. */
function presented(
  { start, count, of, sum = 0, rated = count }: TimelineBucket,
  measure: Measure,
): SeriesBucket {
  const bucket: { -readonly [Field in keyof SeriesBucket]: SeriesBucket[Field] } = { start, count };
  if (of !== undefined) {
    bucket.of = of;
    bucket.share = shareOf(count, of);
  }
  if (measure !== 'count') {
    bucket.mean = meanOf(sum, rated, measure === 'score' ? 1 : RATING_UNIT);
    bucket.n = rated;
    bucket.unrated = count - rated;
  }
  return bucket;
}

/** A row a bucket; for each query the columns that its buckets have. */
export function timelineTable(
  { series }: TimelineAnswer,
  { measure, normalise }: Pick<TimelineWish, 'measure' | 'normalise'>,
): CsvTable {
  const names = [
    'count' as const,
    ...(normalise === 'none' ? [] : (['of', 'share'] as const)),
    ...(measure === 'count' ? [] : (['mean', 'n', 'unrated'] as const)),
  ];
  const rows = series[0]!.buckets.map(({ start }, i): Cell[] => [
    start,
    ...series.flatMap(({ buckets }) => names.map((name) => buckets[i]![name]!)),
  ]);
  return { columns: ['start', ...columnsOfQueries(names, series.length)], rows };
}

export const MAX_COUNTED = 50;

export interface CountsRequest extends AskedQueries {
  readonly normalise: Normalise;
}

export interface CountsAnswer {
  readonly type: 'counts';
  readonly kind: KindName;
  /** In canonical form; null where there are several. */
  readonly query: string | null;
  readonly index: IndexFingerprint;
  /** In canonical form; absent where none was given. */
  readonly under?: string;
  readonly rows: readonly QueryCount[];
}

export interface QueryCount {
  readonly query: string;
  /** What the share is of, in canonical form; absent with `normalise=none`, as `of` and `share` are. */
  readonly of_query?: string;
  readonly total_count: number;
  readonly of?: number;
  /** null where `of` is 0. */
  readonly share?: number | null;
}

/** Throws a ServiceError where a query cannot be understood or answered. */
export async function countsOf(
  context: AnalysisContext,
  request: CountsRequest,
  signal?: AbortSignal,
): Promise<{
  readonly answer: CountsAnswer;
  readonly dropped: readonly Dropped[];
  readonly arrival: number;
}> {
  const read = readAsked(request);
  const scopes = new Map(read.queries.map((query) => [query, scopeOf(query.query, request.normalise)]));
  const { answers, index, arrival } = await askEach(
    context,
    read,
    (query) => {
      const scope = scopes.get(query)!;
      return scope === null ? {} : { of: scope.query };
    },
    signal,
  );
  const rows = read.queries.map((query, i): QueryCount => {
    const { total, ofTotal: of = 0 } = answers[i]!;
    const scope = scopes.get(query)!;
    if (scope === null) return { query: query.echo, total_count: total };
    return {
      ...{ query: query.echo, of_query: scope.echo, total_count: total },
      ...{ of, share: shareOf(total, of) },
    };
  });
  return {
    answer: {
      ...{
        type: 'counts',
        kind: KIND_NAMES[read.kind],
        query: rows.length === 1 ? rows[0]!.query : null,
        index,
      },
      ...(read.under === null ? {} : { under: read.under.echo }),
      rows,
    },
    dropped: droppedOf(read),
    arrival,
  };
}
