// Counts the matches of a query by community, domain, score band, sentiment, hour of the week, or copies of a text.
// Rows have shares, the mean sentiment, and counts by time. Contract 10.4.

import { matchWords, table } from '../../cli/listing.ts';
import { parameterFault } from '../../errors.ts';
import { endpointPath, requestAddress } from '../../http/addresses.ts';
import { isScale } from '../../model/analyses.ts';
import { RATING_UNIT } from '../../model/copies.ts';
import {
  type Breakdown,
  type BreakdownBucket,
  type BreakdownField,
  type BreakdownRow,
  isName,
} from '../../model/engine.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { analysisFormat, type Operation, operation } from '../../operation/operation.ts';
import {
  choice,
  optionalText,
  type Parameter,
  type ParameterValues,
  Type,
  wholeNumber,
} from '../../operation/parameters.ts';
import { analysisQuery, underOf } from '../../operation/shared.ts';
import { type AnalysisContext, type Cell, type CsvTable, meanOf, shareOf } from '../../search/asking.ts';
import { oneLine, quoted } from '../../text/quoted.ts';
import { analysisHead, askScoped, normalise, of, ofQuery, share, totalCount } from './shared.ts';

type AskedField = 'subreddit' | 'domain' | 'score' | 'sentiment' | 'copies' | 'weekday_hour';

/** Posts have no sentiment. */
export const BROKEN_DOWN_BY: Readonly<Record<Kind, readonly AskedField[]>> = {
  post: ['subreddit', 'domain', 'score', 'copies', 'weekday_hour'],
  comment: ['subreddit', 'domain', 'score', 'sentiment', 'copies', 'weekday_hour'],
};

/** The length of the time buckets of each row; `none`: rows have no buckets. */
export const ROW_STEPS = ['none', 'day', 'week', 'month', 'quarter', 'year'] as const;

type RowStep = (typeof ROW_STEPS)[number];

export const MAX_ROWS = 10_000;
const DEFAULT_ROWS = 100;

/** `after`: the `next` of the previous answer, unparsed. `prefix`: in lower case. */
export type BreakdownWish = { readonly kind: Kind; readonly prefix?: string | null } & Omit<
  ParameterValues<ReturnType<typeof parametersOf>>,
  'format' | 'prefix'
>;

export type BreakdownAnswer = Awaited<ReturnType<typeof breakdownOf>>['answer'];

/** Throws a ServiceError if the request is invalid or cannot be answered. */
export async function breakdownOf(context: AnalysisContext, wish: BreakdownWish, signal?: AbortSignal) {
  const { query, field, step, limit, prefix = null } = wish;
  checkWish(wish);
  const skip = readNext(wish);
  const request = {
    ...{ field: engineField(field), size: limit, skip, distinct: true, measure: 'sentiment' as const },
    ...(step === 'none' ? {} : { by: step }),
    ...(prefix === null ? {} : { prefix }),
  };
  const wanted = { breakdowns: [request] };
  const { asked, head, dropped } = await askScoped(context, { ...wish, queries: [query] }, wanted, signal);
  const { scope, named, answer: found } = asked[0]!;
  const { total, ofTotal } = found;
  const breakdown = found.breakdowns![0]!;
  const answer = {
    ...{ type: 'breakdown', ...head, query: named.query, field },
    ...(step === 'none' ? {} : { step }),
    ...(scope && { of_query: scope.echo }),
    total_count: total,
    ...(scope && { of: ofTotal! }),
    distinct: breakdown.distinct!,
    rest: field === 'domain' ? null : breakdown.rows.reduce((rest, { count }) => rest - count, total),
    next: nextOf(breakdown, skip),
    rows: breakdown.rows.map(presentedRow),
  };
  return { answer, dropped };
}

function checkWish({ field, step, prefix }: BreakdownWish): void {
  if (prefix != null && !isName(engineField(field)))
    throw parameterFault('bad_value', 'prefix', 'it with `field=subreddit` or `domain`', `\`${field}\``);
  if (field !== 'copies' || step === 'none') return;
  throw parameterFault('bad_value', 'step', 'none with `field=copies`', `\`${step}\``);
}

function readNext({ after, field }: BreakdownWish): number {
  if (after === null || after === '') return 0;
  const fault = (expected: string) => parameterFault('bad_cursor', 'after', expected, quoted(after));
  if (isScale(field)) throw fault(`none, since \`field=${field}\` gives all rows at once`);
  if (!/^\d{1,9}$/.test(after)) throw fault('the `next` of the answer before, a whole number');
  return Number(after);
}

function engineField(field: AskedField): BreakdownField {
  return field === 'subreddit' ? 'community' : field;
}

function nextOf({ field, rows, distinct = 0 }: Breakdown, skip: number): number | null {
  const given = skip + rows.length;
  return (isName(field) || field === 'copies') && rows.length > 0 && given < distinct ? given : null;
}

type PresentedRow = ReturnType<typeof presentedRow>;

function presentedRow({ name, count, of, sum, rated, by, copies }: BreakdownRow) {
  return {
    ...{ name, count },
    ...(of !== undefined && { of, share: shareOf(count, of) }),
    ...(sum !== undefined &&
      rated !== undefined && { mean_sentiment: meanOf(sum, rated, RATING_UNIT), rated }),
    ...copies,
    ...(by !== undefined && { buckets: by.map(presentedCell) }),
  };
}

/** Called up to 100,000 times per answer, so it creates no intermediate objects. */
function presentedCell({ start, count, of }: BreakdownBucket) {
  return of === undefined ? { start, count } : { start, count, of, share: shareOf(count, of) };
}

function breakdownTable({ field, step, of_query, rows }: BreakdownAnswer): CsvTable {
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
const after = optionalText(
  Type.Unsafe({
    type: ['integer', 'string'],
    minimum: 0,
    maximum: 999_999_999,
    pattern: '^\\d{0,9}$',
    description: 'The `next` of the last answer, for the rows after it. If empty or absent, the first rows.',
    examples: [100],
  }),
  { values: 'the `next` of the answer before', default: 'the first rows' },
);

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

const countFields = { count: Type.Count(), of, share };

const breakdownRow = Type.Object({
  name: Type.String('The value. Of `copies`: the words of the text, cut at 200 characters.'),
  ...countFields,
  mean_sentiment: Type.Optional(
    Type.Nullable(
      Type.Number(
        'With 4 decimals; null of none. Absent, as `rated` is, where the search engine cannot tell.',
      ),
    ),
  ),
  rated: Type.Optional(Type.Count('How many records the mean is over.')),
  id: Type.Optional(Type.String('Only of `copies`: the first of them.')),
  first: Type.Optional(Type.Integer('Only of `copies`: its time, Unix seconds.')),
  last: Type.Optional(Type.Integer('Only of `copies`: the time of the last of them.')),
  communities: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only of `copies`: how many communities they appear in.' }),
  ),
  buckets: Type.Optional(
    Type.Array(
      Type.Object({ start: Type.Integer('Unix time in seconds, UTC.'), ...countFields }),
      'Buckets that are not empty, up; only with `step`.',
    ),
  ),
});

const SCHEMA = Type.Object(
  {
    ...analysisHead('breakdown'),
    field: Type.String('As asked for.'),
    step: Type.Optional(Type.String('How long the buckets of rows are; absent with `step=none`.')),
    of_query: ofQuery,
    total_count: totalCount,
    of,
    distinct: Type.Count(
      'How many different values the records have; of `copies`, texts that appear at least twice.',
    ),
    rest: Type.Nullable(
      Type.Count('Matching records in no row given; null of `domain`, since a record may be in several.'),
    ),
    next: Type.Nullable(Type.Integer('The `after` for the next rows; null where there are none.')),
    rows: Type.Array(breakdownRow, 'Count down, then name; scales in their own order.'),
  },
  { $id: 'Breakdown' },
);

function parametersOf(kind: Kind) {
  return {
    ...{ query: analysisQuery, field: fieldOf(kind), step, limit, after, normalise, prefix },
    ...{ format: analysisFormat, ...underOf(kind) },
  };
}

function breakdownOfKind(kind: Kind): Operation {
  return operation({
    ...{ name: 'breakdown', kind, tag: 'analysis', isTool: true, operationId: `break_down_${kind}s` },
    summary: 'Breakdowns of {kind}s',
    description: [
      'How many matching {kind}s have each value of a field, commonest first. Each row has its share and its mean',
      'sentiment, and on request its counts over time.',
    ].join(' '),
    parameters: parametersOf(kind),
    schema: SCHEMA,
    // Copies are the slowest, and no page shows them.
    isForVisitors: ({ field }) => field !== 'copies',
    answerWords: 'Rows of the breakdown, or a table of them: with `step`, a row for each bucket of each.',
    example: { limit: '2' },
    headers: { Link: '`<address>; rel="next"`: the next rows; only where there are some.' },
    async run(archive, { format, ...wish }, { ownAddress, signal }) {
      const { answer, dropped } = await breakdownOf(archive, { kind, ...wish }, signal);
      const { query, field, next, under } = answer;
      if (next === null) return { answer, dropped };
      const { step: by, limit: most, normalise: to } = wish;
      const behind = { query, field, step: by, limit: most, normalise: to, format, under, after: next };
      const address = requestAddress(endpointPath('breakdown', kind), {}, Object.entries(behind));
      return { answer, dropped, headers: { Link: `<${ownAddress}${address}>; rel="next"` } };
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
  const values = `${distinct.toLocaleString('en')} different by ${field}`;
  const head = `${matchWords(kind, total, query, under)}; ${values}\n`;
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
