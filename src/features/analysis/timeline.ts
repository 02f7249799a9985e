// Timelines: the matches of queries counted by hour, day, week, month, quarter or year, with shares and means.
// Counts: the total matches of several queries, with shares. Contract 10.2 and 10.3.

import { table } from '../../cli/listing.ts';
import { ARRIVAL_HEADER } from '../../http/answers/problems.ts';
import { RATING_UNIT } from '../../model/copies.ts';
import type { TimelineBucket } from '../../model/engine.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readableDay, readableTime } from '../../model/time.ts';
import { TIMELINE_STEPS } from '../../model/timeline.ts';
import { type Operation, operation } from '../../operation/operation.ts';
import { choice, type ParameterValues, Type } from '../../operation/parameters.ts';
import { since, underOf } from '../../operation/shared.ts';
import {
  type AnalysisContext,
  type AskedQueries,
  type Cell,
  type CsvTable,
  columnsOfQueries,
  meanOf,
  type Normalise,
  shareOf,
} from '../../search/asking.ts';
import {
  analysisHead,
  askScoped,
  normalise,
  of,
  ofQuery,
  querySchema,
  severalQueries,
  share,
  totalCount,
} from './shared.ts';

export const MAX_SERIES = 8;

/** `auto`: the finest from `day` on that needs at most MAX_BUCKETS buckets (model/timeline.ts). */
export const ASKED_STEPS = ['auto', ...TIMELINE_STEPS] as const;

type Measure = 'count' | 'score' | 'sentiment';

export const MEASURES: Readonly<Record<Kind, readonly Measure[]>> = {
  post: ['count', 'score'],
  comment: ['count', 'score', 'sentiment'],
};

type TimelineWish = AskedQueries &
  Pick<ParameterValues<ReturnType<typeof parametersOf>>, 'step' | 'measure' | 'normalise'>;

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
  const series = asked.map(({ named, answer: { total, timeline: found } }) => ({
    ...{ ...named, total_count: total },
    buckets: found!.buckets.map((bucket) => presented(bucket, measure)),
  }));
  return {
    answer: { ...{ type: 'timeline', ...head, step: asked[0]!.answer.timeline!.step }, series },
    ...rest,
  };
}

/** Assigns fields one by one: an answer may have thousands of buckets, and object spread is slow. */
function presented({ start, count, of, sum = 0, rated = count }: TimelineBucket, measure: Measure) {
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
  const rows = asked.map(({ scope, named, answer: { total, ofTotal: of = 0 } }) => ({
    ...{ ...named, total_count: total },
    ...(scope && { of, share: shareOf(total, of) }),
  }));
  return { answer: { type: 'counts' as const, ...head, rows }, ...rest };
}

const step = choice(ASKED_STEPS, {
  standard: 'auto',
  description: [
    'How long a bucket is, in UTC; weeks begin on Monday. `auto`: the finest from `day` on with at most 60 buckets. At',
    'most 10,000 buckets. Empty counts as absent.',
  ].join(' '),
  examples: ['month'],
});

function parametersOf(kind: Kind) {
  const measure = choice(MEASURES[kind], {
    standard: 'count',
    description: [
      'A mean for each bucket beside its count: of scores, or for comments of sentiment. Empty counts',
      'as absent.',
    ].join(' '),
    examples: ['score'],
  });
  return {
    query: severalQueries({ from: 1, to: MAX_SERIES }),
    step,
    measure,
    normalise,
    since,
    ...underOf(kind),
  };
}

const bucket = Type.Object({
  start: Type.Integer('Unix time in seconds, UTC.'),
  count: Type.Count(),
  ...{ of, share },
  mean: Type.Optional(
    Type.Nullable(
      Type.Number('Of score or sentiment, with 4 decimals; null of none. Absent with `measure=count`.'),
    ),
  ),
  n: Type.Optional(Type.Count('How many records the mean is over.')),
  unrated: Type.Optional(Type.Count('How many have no sentiment.')),
});

const TimelineSchema = Type.Object(
  {
    ...analysisHead('timeline'),
    step: Type.String('`hour`, `day`, `week`, `month`, `quarter` or `year`.'),
    series: Type.Array(
      Type.Object({
        ...{ query: querySchema, of_query: ofQuery, total_count: totalCount },
        buckets: Type.Array(bucket, 'Up, without holes; the same times in every series.'),
      }),
      'In the order of the queries.',
    ),
  },
  { $id: 'Timeline' },
);

function timelineOfKind(kind: Kind): Operation {
  return operation({
    ...{ name: 'timeline', kind, tag: 'analysis', isTool: true },
    summary: 'Timelines of {kind}s',
    description: [
      'How many {kind}s match by hour, day, week, month, quarter or year, for up to 8 queries over the same buckets,',
      'empty ones included. They span the dates of the queries, or else the first match to the last. Each bucket',
      'has its share and, on request, the mean score or sentiment.',
    ].join(' '),
    parameters: parametersOf(kind),
    schema: TimelineSchema,
    isForVisitors: ({ query }) => query.length === 1,
    answerWords: 'The timelines, or a table of them: a row a bucket.',
    example: { step: 'year' },
    headers: ARRIVAL_HEADER,
    run: (archive, { query: queries, ...wish }, { signal }) =>
      timelineOf(archive, { kind, queries, ...wish }, signal),
    table: timelineTable,
    command: {
      notes: 'A `before:` needs an `after:`.',
      examples: [
        'timeline comments "cats /r/aww" dogs --step month',
        'timeline comments inverter --measure sentiment --format csv',
      ],
      print: asText,
    },
  });
}

/** The queries with their totals, numbered if there are several, then the table. */
function asText(answer: TimelineAnswer, wish: Parameters<typeof timelineTable>[1]): string {
  const { series, kind, step: found } = answer;
  const heads = series.map(({ query, of_query, total_count }, i) => {
    const number = series.length === 1 ? '' : `${i + 1}: `;
    const scope = of_query === undefined ? '' : `, as a share of ${of_query || '(everything)'}`;
    return `${number}${total_count.toLocaleString('en')} ${kind} match ${query || '(everything)'}${scope}\n`;
  });
  const { columns, rows } = timelineTable(answer, wish);
  const named = found === 'hour' ? readableTime : readableDay;
  const cells = rows.map(([start, ...figures]) => [
    named(Number(start)),
    ...figures.map((one) => String(one ?? '')),
  ]);
  return `${heads.join('')}${table([`${found} (UTC)`, ...columns.slice(1)], cells)}`;
}

const CountsSchema = Type.Object(
  {
    ...analysisHead('counts'),
    rows: Type.Array(
      Type.Object({ query: querySchema, of_query: ofQuery, total_count: totalCount, of, share }),
      'In the order of the queries.',
    ),
  },
  { $id: 'Counts' },
);

function countsOfKind(kind: Kind): Operation {
  return operation({
    ...{ name: 'counts', kind, tag: 'analysis', isTool: true, operationId: `count_${kind}s` },
    summary: 'Counts of {kind}s',
    description: 'How many {kind}s match each of up to 50 queries, and what share that is.',
    parameters: { query: severalQueries({ from: 1, to: MAX_COUNTED }), normalise, since, ...underOf(kind) },
    schema: CountsSchema,
    answerWords: 'The counts, all of one view.',
    headers: ARRIVAL_HEADER,
    run: (archive, { query: queries, ...wish }, { signal }) =>
      countsOf(archive, { kind, queries, ...wish }, signal),
  });
}

export const operations: readonly Operation[] = [...KINDS.map(timelineOfKind), ...KINDS.map(countsOfKind)];
