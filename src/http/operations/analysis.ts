import type { BreakdownAnswer } from '../../analysis/breakdown.ts';
import type { Kind } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';
import { analysisHead, EXAMPLE_INDEX, of, ofQuery, share, totalCount } from '../../operation/shared.ts';

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

export function breakdownExample(kind: Kind): BreakdownAnswer {
  const mood = (mean_sentiment: number, rated: number) =>
    kind === 'post' ? { mean_sentiment: null, rated: 0 } : { mean_sentiment, rated };
  return {
    ...{ type: 'breakdown', kind: `${kind}s`, query: 'cats', index: EXAMPLE_INDEX[kind], field: 'subreddit' },
    ...{ of_query: '', total_count: 1234, of: EXAMPLE_INDEX[kind].records, distinct: 87, rest: 234, next: 2 },
    rows: [
      { name: 'aww', count: 700, of: 98_760, share: 0.007088, ...mood(0.2134, 612) },
      { name: 'catstandingup', count: 300, of: 1200, share: 0.25, ...mood(0.0311, 96) },
    ],
  };
}
