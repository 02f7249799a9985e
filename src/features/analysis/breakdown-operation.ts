// Counts the matches of a query by the values of a field: `/api/v1/breakdown/posts` and `…/comments`,
// `colloquy breakdown`. Contract 10.4.

import { table } from '../../cli/listing.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { Type } from '../../operation/json-schema.ts';
import { analysisFormat, type Operation, operation, pathOf } from '../../operation/operation.ts';
import { choice, type Parameter, parameterString, wholeNumber } from '../../operation/parameters.ts';
import { analysisQuery, underOf } from '../../operation/shared.ts';
import { oneLine } from '../../text/quoted.ts';
import {
  type AskedField,
  BROKEN_DOWN_BY,
  type BreakdownAnswer,
  breakdownOf,
  breakdownTable,
  DEFAULT_ROWS,
  MAX_ROWS,
  type PresentedRow,
  ROW_STEPS,
  type RowStep,
} from './breakdown.ts';
import { analysisHead, normalise, of, ofQuery, share, totalCount } from './shared.ts';

function fieldOf(kind: Kind): Parameter<AskedField> {
  return choice(BROKEN_DOWN_BY[kind], {
    standard: 'subreddit',
    description: [
      'What to count by. `domain`: a post’s own, or each domain that a comment links to. `score`: bands;',
      '`sentiment`, of comments alone: `negative` to −0.05, `positive` from 0.05, `neutral` between, `unrated`;',
      '`weekday_hour`: `1-00` (Monday, UTC) to `7-23`. These three give all their rows. `copies`: texts that appear',
      'at least twice (of at most 2,000,000 matches). Empty counts as absent.',
    ].join(' '),
    examples: ['domain'],
  });
}

const step: Parameter<RowStep> = choice(ROW_STEPS, {
  standard: 'none',
  description: [
    'Also counts each row over time, in buckets of this length, in UTC; weeks begin on Monday. Empty buckets are left',
    'out; all rows together have at most 100,000. Not with `field=copies`. Empty counts as absent.',
  ].join(' '),
  examples: ['month'],
});

const limit: Parameter<number> = wholeNumber({
  from: 1,
  to: MAX_ROWS,
  standard: DEFAULT_ROWS,
  unit: 'rows',
  description: 'Number of rows; `score`, `sentiment` and `weekday_hour` always give all of theirs.',
  examples: [1000],
});

/** As given; null: absent or empty. `breakdownOf` parses it, since what is valid depends on the field. */
const after: Parameter<string | null> = {
  read: (given) => given || null,
  schema: Type.Optional(
    Type.Unsafe({
      type: ['integer', 'string'],
      minimum: 0,
      maximum: 999_999_999,
      pattern: '^\\d{0,9}$',
      description:
        'The `next` of the last answer, for the rows after it. If empty or absent, the first rows.',
      examples: [100],
    }),
  ),
  documented: { values: 'the `next` of the answer before', default: 'the first rows' },
};

/** In lower case, since names are compared without case; null: absent or empty. */
const prefix: Parameter<string | null> = {
  read: (given) => given?.toLowerCase() || null,
  schema: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Only rows whose names begin with this, in any case; for `subreddit` and `domain` only. If empty or absent, all rows.',
      examples: [''],
    }),
  ),
  documented: { values: 'the beginning of a name, in any case', default: 'all rows' },
};

const counted = { count: Type.Integer({ minimum: 0 }), of, share };

const breakdownRow = Type.Object({
  name: Type.String({ description: 'The value. Of `copies`: the words of the text, cut at 200 characters.' }),
  ...counted,
  mean_sentiment: Type.Optional(
    Type.Nullable('number', {
      description:
        'With 4 decimals; null of none. Absent, as `rated` is, where the search engine cannot tell.',
    }),
  ),
  rated: Type.Optional(Type.Integer({ minimum: 0, description: 'How many records the mean is over.' })),
  id: Type.Optional(Type.String({ description: 'Only of `copies`: the first of them.' })),
  first: Type.Optional(Type.Integer({ description: 'Only of `copies`: its time, Unix seconds.' })),
  last: Type.Optional(Type.Integer({ description: 'Only of `copies`: the time of the last of them.' })),
  communities: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only of `copies`: how many communities they appear in.' }),
  ),
  buckets: Type.Optional(
    Type.Array(
      Type.Object({ start: Type.Integer({ description: 'Unix time in seconds, UTC.' }), ...counted }),
      { description: 'Buckets that are not empty, up; only with `step`.' },
    ),
  ),
});

const SCHEMA = Type.Object(
  {
    ...analysisHead('breakdown'),
    field: Type.String({ description: 'As asked for.' }),
    step: Type.Optional(
      Type.String({ description: 'How long the buckets of rows are; absent with `step=none`.' }),
    ),
    of_query: ofQuery,
    total_count: totalCount,
    of,
    distinct: Type.Integer({
      minimum: 0,
      description:
        'How many different values the records have; of `copies`, texts that appear at least twice.',
    }),
    rest: Type.Nullable('integer', {
      minimum: 0,
      description: 'Matching records in no row given; null of `domain`, since a record may be in several.',
    }),
    next: Type.Nullable('integer', {
      description: 'The `after` for the next rows; null where there are none.',
    }),
    rows: Type.Array(breakdownRow, { description: 'Count down, then name; scales in their own order.' }),
  },
  { $id: 'Breakdown' },
);

function breakdownOfKind(kind: Kind): Operation {
  const parameters = {
    ...{ query: analysisQuery, field: fieldOf(kind), step, limit, after, normalise, prefix },
    ...{ format: analysisFormat, ...underOf(kind) },
  };
  return operation({
    ...{ name: 'breakdown', kind, tag: 'analysis', isTool: true, operationId: `break_down_${kind}s` },
    summary: 'Breakdowns of {kind}s',
    description: [
      'How many matching {kind}s have each value of a field, commonest first. Each row has its share and its mean',
      'sentiment, and on request its counts over time.',
    ].join(' '),
    parameters,
    schema: SCHEMA,
    // Copies are the slowest, and no page shows them.
    isForVisitors: ({ field }) => field !== 'copies',
    answerWords: 'Rows of the breakdown, or a table of them: with `step`, a row for each bucket of each.',
    example: { limit: '2' },
    headers: { Link: '`<address>; rel="next"`: the next rows; only where there are some.' },
    async run({ engine, config: { queryTimeoutMs } }, { format, ...wish }, { ownAddress, signal }) {
      const { answer, dropped } = await breakdownOf({ engine, queryTimeoutMs }, { kind, ...wish }, signal);
      const { query, field, next, under } = answer;
      if (next === null) return { answer, dropped };
      const { step: by, limit: most, normalise: to } = wish;
      const behind = parameterString({
        ...{ query, field, step: by, limit: most, normalise: to, format },
        ...(under === undefined ? {} : { under }),
        after: next,
      });
      const address = `${ownAddress}${pathOf({ name: 'breakdown', kind })}?${behind}`;
      return { answer, dropped, headers: { Link: `<${address}>; rel="next"` } };
    },
    table: breakdownTable,
    command: {
      notes: 'A `before:` needs an `after:`.',
      examples: [
        'breakdown comments --field domain solar',
        'breakdown posts --step month --format csv solar after:2020-01-01',
      ],
      print: asText,
    },
  });
}

export const operations: readonly Operation[] = KINDS.map(breakdownOfKind);

const MAX_SHOWN = 60;

/** The total and the number of distinct values, then a line per row; with `step`, a line per bucket. */
function asText(answer: BreakdownAnswer): string {
  const { kind, query, under, field, step: by, total_count: total, distinct, rows } = answer;
  const matches = total === 1 ? `${kind.slice(0, -1)} matches` : `${kind} match`;
  const below = under === undefined ? '' : `, under posts that match ${under}`;
  const values = `${distinct.toLocaleString('en')} different by ${field}`;
  const head = `${total.toLocaleString('en')} ${matches} ${query || '(everything)'}${below}; ${values}\n`;
  if (rows.length === 0) return head;
  const columns = by === undefined ? rowColumns(answer) : ['start', 'count', 'of', 'share'];
  const lines = rows.flatMap((row) => {
    const of = by === undefined ? [row] : (row.buckets ?? []);
    return of.map((counts) => [
      oneLine(row.name, MAX_SHOWN),
      ...columns.map((column) => cell(counts, column)),
    ]);
  });
  return head + table([field, ...columns], lines);
}

function rowColumns({ field, of_query, rows }: BreakdownAnswer): string[] {
  return [
    'count',
    ...(of_query === undefined ? [] : ['of', 'share']),
    ...(rows[0]!.rated === undefined ? [] : ['mean_sentiment', 'rated']),
    ...(field === 'copies' ? ['communities', 'first', 'last', 'id'] : []),
  ];
}

function cell(counts: Partial<PresentedRow> & { readonly start?: number }, column: string): string {
  const value = (counts as Readonly<Record<string, number | string | null | undefined>>)[column] ?? '';
  if (typeof value === 'string') return value;
  if (column === 'start' || column === 'first' || column === 'last') return readableDay(value);
  return column === 'share' || column === 'mean_sentiment' ? String(value) : value.toLocaleString('en');
}
