// The shapes of the answers of analyses as JSON Schema, as schemas.ts has those of searches.

import { type Properties, Type } from './json-schema.ts';

/** With what every such answer begins. */
export function analysisHead(type: string): Properties {
  return {
    type: Type.Literal(type),
    kind: Type.String({ description: '`posts` or `comments`.' }),
    query: Type.Unsafe({
      type: ['string', 'null'],
      description: 'The query as understood, in canonical form; null where there are several.',
    }),
    index: IndexSchema,
    under: Type.Optional(
      Type.String({
        description: 'The query for posts as understood, in canonical form; only if `under` was given.',
      }),
    ),
  };
}

const IndexSchema = Type.Object(
  {
    fingerprint: Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Equal where the records are.' }),
    records: Type.Integer({ minimum: 0, description: 'How many there are of this kind.' }),
  },
  { description: 'What all of the answer comes from: one view of the records of this kind.' },
);

const query = Type.String({ description: 'As understood, in canonical form.' });
const ofQuery = Type.Optional(
  Type.String({ description: 'What the shares are of; absent with `normalise=none`.' }),
);
const totalCount = Type.Integer({ minimum: 0, description: 'Number of all matching records.' });
const of = Type.Optional(
  Type.Integer({ minimum: 0, description: 'Number of records that match `of_query`; absent without it.' }),
);
const share = Type.Optional(
  Type.Unsafe({
    type: ['number', 'null'],
    minimum: 0,
    description: 'Count ÷ `of`, with 6 decimals; null where `of` is 0.',
  }),
);

export const CountsSchema = Type.Object(
  {
    ...analysisHead('counts'),
    counts: Type.Array(Type.Object({ query, of_query: ofQuery, total_count: totalCount, of, share }), {
      description: 'In the order of the queries.',
    }),
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
        ...{ query, of_query: ofQuery, total_count: totalCount },
        buckets: Type.Array(bucket, { description: 'Up, without holes; the same times in every series.' }),
      }),
      { description: 'In the order of the queries.' },
    ),
  },
  { $id: 'Timeline' },
);

const item = Type.String({ description: 'In canonical form; several for `/r/a+b`.' });
const means = Type.String({
  description: 'In words: the end of a sentence that begins with `a record that`.',
});
const soFar = (description: string) => Type.Integer({ minimum: 0, description });

export const ExplanationSchema = Type.Object(
  {
    ...analysisHead('explain'),
    total_count: totalCount,
    items: Type.Array(
      Type.Object({
        item,
        offset: Type.Integer({ minimum: 0, description: 'Where it was written, in UTF-16 units.' }),
        length: Type.Integer({ minimum: 1, description: 'Of what was written, its `-` included.' }),
        means,
        alone: Type.Integer({ minimum: 0, description: 'Number of records that it finds by itself.' }),
        without: Type.Integer({
          minimum: 0,
          description: 'Number of records that the query finds without it.',
        }),
        so_far: soFar('Number of records that the query finds up to it, and with it.'),
      }),
      { description: 'In the order written; without what is not searched for.' },
    ),
    implied: Type.Optional(
      Type.Object(
        { item, means, so_far: soFar('Number of records that a search with this query finds.') },
        { description: 'What a search would add to the query; absent where it adds nothing.' },
      ),
    ),
  },
  { $id: 'Explanation' },
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
