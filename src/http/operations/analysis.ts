import type { BreakdownAnswer } from '../../analysis/breakdown.ts';
import type { CountsAnswer, TimelineAnswer } from '../../analysis/timeline.ts';
import { KIND_NAMES, type Kind } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';
import { analysisHead, of, ofQuery, querySchema, share, totalCount } from '../../operation/shared.ts';

export const CountsSchema = Type.Object(
  {
    ...analysisHead('counts'),
    counts: Type.Array(
      Type.Object({ query: querySchema, of_query: ofQuery, total_count: totalCount, of, share }),
      {
        description: 'In the order of the queries.',
      },
    ),
  },
  { $id: 'Counts' },
);

const bucket = Type.Object({
  start: Type.Integer({ description: 'Unix time in seconds, UTC.' }),
  count: Type.Integer({ minimum: 0 }),
  ...{ of, share },
  mean: Type.Optional(
    Type.Unsafe({
      type: ['number', 'null'],
      description: 'Of score or sentiment, with 4 decimals; null of none. Absent with `measure=count`.',
    }),
  ),
  n: Type.Optional(Type.Integer({ minimum: 0, description: 'How many records the mean is of.' })),
  unrated: Type.Optional(Type.Integer({ minimum: 0, description: 'How many have no sentiment.' })),
});

export const TimelineSchema = Type.Object(
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

const counted = { count: Type.Integer({ minimum: 0 }), of, share };

const breakdownRow = Type.Object({
  name: Type.String({ description: 'The value. Of `copies`: the words of the text, cut at 200 characters.' }),
  ...counted,
  mean_sentiment: Type.Optional(
    Type.Unsafe({
      type: ['number', 'null'],
      description:
        'With 4 decimals; null of none. Absent, as `rated` is, where the search engine cannot tell.',
    }),
  ),
  rated: Type.Optional(Type.Integer({ minimum: 0, description: 'How many records the mean is of.' })),
  id: Type.Optional(Type.String({ description: 'Only of `copies`: the first of them.' })),
  first: Type.Optional(Type.Integer({ description: 'Only of `copies`: its time, Unix seconds.' })),
  last: Type.Optional(Type.Integer({ description: 'Only of `copies`: the time of the last of them.' })),
  communities: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only of `copies`: how many communities they stand in.' }),
  ),
  by: Type.Optional(
    Type.Array(
      Type.Object({ start: Type.Integer({ description: 'Unix time in seconds, UTC.' }), ...counted }),
      { description: 'Buckets that are not empty, up; only with `by`.' },
    ),
  ),
});

export const BreakdownSchema = Type.Object(
  {
    ...analysisHead('breakdown'),
    field: Type.String({ description: 'As asked for.' }),
    by: Type.Optional(
      Type.String({ description: 'How long the buckets of rows are; absent with `by=none`.' }),
    ),
    of_query: ofQuery,
    total_count: totalCount,
    of,
    distinct: Type.Integer({
      minimum: 0,
      description:
        'How many different values the records have; of `copies`, texts that stand at least twice.',
    }),
    rest: Type.Unsafe({
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Matching records in no row given; null of `domain`, since a record may be in several.',
    }),
    next: Type.Unsafe({
      type: ['integer', 'null'],
      description: 'The `after` for the next rows; null where there are none.',
    }),
    rows: Type.Array(breakdownRow, { description: 'Count down, then name; scales in their own order.' }),
  },
  { $id: 'Breakdown' },
);

const INDEX: Readonly<Record<Kind, TimelineAnswer['index']>> = {
  post: { fingerprint: '0f3a6c1e9b2d4857', records: 1_204_331 },
  comment: { fingerprint: '7d41c09ae62f5b38', records: 20_518_772 },
};

export function countsExample(kind: Kind): CountsAnswer {
  return {
    ...{ type: 'counts', kind: KIND_NAMES[kind], query: null, index: INDEX[kind] },
    counts: [
      { query: 'cats,/r/aww', of_query: '/r/aww', total_count: 1234, of: 98_760, share: 0.012495 },
      {
        query: 'dogs',
        of_query: '',
        total_count: 5678,
        of: INDEX[kind].records,
        share: shareExample(5678, kind),
      },
    ],
  };
}

function shareExample(count: number, kind: Kind): number {
  return Math.round((count / INDEX[kind].records) * 1_000_000) / 1_000_000;
}

export function timelineExample(kind: Kind): TimelineAnswer {
  const query = 'cats,/r/aww,after:2021-01-01,before:2021-03-01';
  return {
    ...{ type: 'timeline', kind: KIND_NAMES[kind], query, index: INDEX[kind], step: 'month' },
    series: [
      {
        ...{ query, of_query: '/r/aww,after:2021-01-01,before:2021-03-01', total_count: 31 },
        buckets: [
          { start: 1609459200, count: 24, of: 2000, share: 0.012, mean: 17.5, n: 24, unrated: 0 },
          { start: 1612137600, count: 7, of: 1750, share: 0.004, mean: 3.2857, n: 7, unrated: 0 },
        ],
      },
    ],
  };
}

export function breakdownExample(kind: Kind): BreakdownAnswer {
  const mood = (mean_sentiment: number, rated: number) =>
    kind === 'post' ? { mean_sentiment: null, rated: 0 } : { mean_sentiment, rated };
  return {
    ...{ type: 'breakdown', kind: `${kind}s`, query: 'cats', index: INDEX[kind], field: 'subreddit' },
    ...{ of_query: '', total_count: 1234, of: INDEX[kind].records, distinct: 87, rest: 234, next: 2 },
    rows: [
      { name: 'aww', count: 700, of: 98_760, share: 0.007088, ...mood(0.2134, 612) },
      { name: 'catstandingup', count: 300, of: 1200, share: 0.25, ...mood(0.0311, 96) },
    ],
  };
}
