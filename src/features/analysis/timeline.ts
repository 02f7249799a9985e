// Timelines: the matches of queries counted by hour, day, week, month, quarter or year, with shares and means.
// Counts: the total matches of several queries, with shares.

import { RATING_UNIT } from '../../model/copies.ts';
import type { OneOfMany, TimelineBucket } from '../../model/engine.ts';
import { KIND_NAMES, type Kind } from '../../model/record.ts';
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
  scopeOf,
  shareOf,
} from '../../search/asking.ts';

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

export interface SeriesBucket {
  /** Unix seconds, UTC; the first bucket may start before the query's lower bound. */
  readonly start: number;
  readonly count: number;
  /** Absent with `normalise=none`, as is `share`. */
  readonly of?: number;
  /** null if `of` is 0. */
  readonly share?: number | null;
  /** Mean score or sentiment; null if no record has one. Absent with `measure=count`, as are `n` and `unrated`. */
  readonly mean?: number | null;
  readonly n?: number;
  readonly unrated?: number;
}

/** The schema of timeline-operation.ts describes every field. */
export type TimelineAnswer = Awaited<ReturnType<typeof timelineOf>>['answer'];

/** Throws a ServiceError if the request is invalid or cannot be answered. */
export async function timelineOf(context: AnalysisContext, wish: TimelineWish, signal?: AbortSignal) {
  const { step, measure } = wish;
  const timeline = {
    ...(step === 'auto' ? {} : { step }),
    ...(measure === 'count' ? {} : { measure }),
    keepsBounds: true,
  };
  const { asked, head, ...rest } = await askScoped(context, wish, { timeline }, signal);
  return {
    answer: {
      ...{ type: 'timeline', ...head, step: asked[0]!.answer.timeline!.step },
      series: asked.map((one) => seriesOf(one, measure)),
    },
    ...rest,
  };
}

/** Runs each query, with its scope if shares are wanted; `head`: the first fields of the answer. */
async function askScoped(
  context: AnalysisContext,
  wish: AskedQueries & { readonly normalise: Normalise },
  further: Pick<OneOfMany, 'timeline'>,
  signal?: AbortSignal,
) {
  const read = readAsked(wish);
  const scopes = new Map(read.queries.map((query) => [query, scopeOf(query.query, wish.normalise)]));
  const question = (query: AnalysisQuery) => {
    const scope = scopes.get(query)!;
    return { ...further, ...(scope === null ? {} : { of: scope.query }) };
  };
  const { answers, index, arrival } = await askEach(context, read, question, signal);
  const { queries, under } = read;
  return {
    asked: queries.map((query, i) => ({ echo: query.echo, scope: scopes.get(query)!, answer: answers[i]! })),
    head: {
      ...{ kind: KIND_NAMES[read.kind], query: queries.length === 1 ? queries[0]!.echo : null, index },
      ...(under === null ? {} : { under: under.echo }),
    },
    ...{ dropped: droppedOf(read), arrival },
  };
}

type AskedQuery = Awaited<ReturnType<typeof askScoped>>['asked'][number];

function seriesOf({ echo, scope, answer: { total, timeline } }: AskedQuery, measure: Measure) {
  return {
    query: echo,
    ...(scope === null ? {} : { of_query: scope.echo }),
    total_count: total,
    buckets: timeline!.buckets.map((bucket) => presented(bucket, measure)),
  };
}

/** Assigns fields one by one: an answer may have thousands of buckets, and object spread is slow. */
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

/** One row per bucket; each query has its own columns. */
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

/** Throws a ServiceError if a query is invalid or cannot be answered. */
export async function countsOf(
  context: AnalysisContext,
  wish: AskedQueries & { readonly normalise: Normalise },
  signal?: AbortSignal,
) {
  const { asked, head, ...rest } = await askScoped(context, wish, {}, signal);
  const rows = asked.map(({ echo, scope, answer: { total, ofTotal: of = 0 } }) => ({
    query: echo,
    ...(scope === null ? {} : { of_query: scope.echo }),
    total_count: total,
    ...(scope === null ? {} : { of, share: shareOf(total, of) }),
  }));
  return { answer: { type: 'counts' as const, ...head, rows }, ...rest };
}
