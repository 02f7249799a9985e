// Counts of matches, over time and in total, with shares: `/api/v1/timeline/posts`, `/api/v1/counts/posts`, the same
// for comments, and `colloquy timeline`. Contract 10.2 and 10.3.

import { table } from '../../cli/listing.ts';
import { ARRIVAL_HEADER } from '../../http/answers/problems.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readableDay, readableTime } from '../../model/time.ts';
import { Type } from '../../operation/json-schema.ts';
import { type Operation, operation } from '../../operation/operation.ts';
import { choice } from '../../operation/parameters.ts';
import { since, underOf } from '../../operation/shared.ts';
import {
  analysisHead,
  normalise,
  of,
  ofQuery,
  querySchema,
  severalQueries,
  share,
  totalCount,
} from './shared.ts';
import {
  ASKED_STEPS,
  countsOf,
  MAX_COUNTED,
  MAX_SERIES,
  MEASURES,
  type TimelineAnswer,
  timelineOf,
  timelineTable,
} from './timeline.ts';

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
  start: Type.Integer({ description: 'Unix time in seconds, UTC.' }),
  count: Type.Integer({ minimum: 0 }),
  ...{ of, share },
  mean: Type.Optional(
    Type.Nullable('number', {
      description: 'Of score or sentiment, with 4 decimals; null of none. Absent with `measure=count`.',
    }),
  ),
  n: Type.Optional(Type.Integer({ minimum: 0, description: 'How many records the mean is over.' })),
  unrated: Type.Optional(Type.Integer({ minimum: 0, description: 'How many have no sentiment.' })),
});

const TimelineSchema = Type.Object(
  {
    ...analysisHead('timeline'),
    step: Type.String({ description: '`hour`, `day`, `week`, `month`, `quarter` or `year`.' }),
    series: Type.Array(
      Type.Object({
        ...{ query: querySchema, of_query: ofQuery, total_count: totalCount },
        buckets: Type.Array(bucket, { description: 'Up, without holes; the same times in every series.' }),
      }),
      { description: 'In the order of the queries.' },
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
    run: ({ engine, config: { queryTimeoutMs } }, { query: queries, ...wish }, { signal }) =>
      timelineOf({ engine, queryTimeoutMs }, { kind, queries, ...wish }, signal),
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
      { description: 'In the order of the queries.' },
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
    run: ({ engine, config: { queryTimeoutMs } }, { query: queries, ...wish }, { signal }) =>
      countsOf({ engine, queryTimeoutMs }, { kind, queries, ...wish }, signal),
  });
}

export const operations: readonly Operation[] = [...KINDS.map(timelineOfKind), ...KINDS.map(countsOfKind)];
