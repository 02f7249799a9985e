// A reproducible random sample: the matches with the lowest ranks (model/analyses.ts),
// `/api/v1/sample/posts` and `…/comments`, `colloquy sample`. Contract 10.6.

import { linesOfRecords } from '../../cli/listing.ts';
import { expectedBytes } from '../../http/answers/bytes-under-way.ts';
import type { SampleGroup, SamplePage } from '../../model/analyses.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../model/record.ts';
import { type Operation, operation } from '../../operation/operation.ts';
import { type Parameter, readChoice, Type, wholeNumber } from '../../operation/parameters.ts';
import { analysisQuery, fieldsOf, seed, since, under } from '../../operation/shared.ts';
import {
  type AnalysisContext,
  type AskedQueries,
  askEach,
  droppedOf,
  readAsked,
} from '../../search/asking.ts';
import { type CommentRecord, needsArrived, type PostRecord, readFields } from '../../search/presenter.ts';
import type { SearchService } from '../../search/search-service.ts';
import { analysisHead } from './shared.ts';

export const MAX_SAMPLE = 10_000;
export const DEFAULT_SAMPLE = 100;
export const MAX_SAMPLE_BYTES = 67_108_864;

/** The groups that a stratified sample can be drawn by, as the API names them. */
export const SAMPLE_GROUPS = ['subreddit', 'month'] as const;

export type AskedGroup = (typeof SAMPLE_GROUPS)[number];

const GROUPS: Readonly<Record<AskedGroup, SampleGroup>> = { subreddit: 'community', month: 'month' };

export interface SampleWish extends Omit<AskedQueries, 'queries'> {
  readonly query: string;
  /** Number of records, 1 to MAX_SAMPLE; with `per`, from each group. */
  readonly limit: number;
  /** At most MAX_SEED characters. */
  readonly seed: string;
  /** null: one sample of all matches. */
  readonly per: AskedGroup | null;
  readonly fields: string | null;
}

type SampleAnswer = Awaited<ReturnType<typeof drawSample>>['answer'];

/** Throws a ServiceError if the query or the fields do not parse, or the sample cannot be drawn. */
export async function drawSample(
  context: AnalysisContext,
  search: SearchService,
  wish: SampleWish,
  signal?: AbortSignal,
) {
  const { kind, query: text, limit: size, seed, per } = wish;
  const { under = null, since = 0 } = wish;
  const read = readAsked({ kind, queries: [text], under, since });
  const fields = readFields(wish.fields, kind);
  const page: SamplePage = {
    ...({ order: 'sample', size, seed, maxBytes: MAX_SAMPLE_BYTES } as const),
    ...(per === null ? {} : { per: GROUPS[per] }),
  };
  const wanted = { page, evidence: true, arrived: needsArrived(fields) };
  const { answers, index, arrival } = await askEach(context, read, () => wanted, signal);
  const { total, page: drawn, ...found } = answers[0]!;
  return {
    answer: {
      ...{ type: 'sample', kind: KIND_NAMES[kind], query: read.queries[0]!.echo, index },
      ...(read.under === null ? {} : { under: read.under.echo }),
      ...{ seed, ...(per === null ? {} : { per }) },
      total_count: total,
      data: search.chosen(kind, { ...found, records: drawn!.records }, fields),
    },
    dropped: droppedOf(read),
    arrival,
  };
}

const limit = wholeNumber({
  ...{ from: 1, to: MAX_SAMPLE, standard: DEFAULT_SAMPLE, unit: 'records; with `per`, of each group' },
  description:
    'How many records at the most; with `per`, of each group, and 10,000 of all groups together. A sample lies ' +
    'inside every larger one of the same seed.',
  examples: [500],
});

const per: Parameter<AskedGroup | null> = {
  read: (given, name) => (given ? readChoice(name, given, SAMPLE_GROUPS) : null),
  schema: Type.Optional(
    Type.Enum([...SAMPLE_GROUPS, ''], {
      type: 'string',
      description:
        'Draws `limit` from each community, or from each month (UTC). If empty or absent, from all together.',
      examples: ['month'],
    }),
  ),
  documented: { values: SAMPLE_GROUPS.map((group) => `\`${group}\``).join(', '), default: 'of all together' },
};

const sample = { query: analysisQuery, limit, seed, per };

type SampleTable = typeof sample & {
  readonly fields: Parameter<string | null>;
  readonly since: typeof since;
  readonly under?: typeof under;
};

const PARAMETERS: Readonly<Record<Kind, SampleTable>> = {
  post: { ...sample, fields: fieldsOf('post'), since },
  comment: { ...sample, fields: fieldsOf('comment'), since, under },
};

function sampleSchema(id: string, record: 'Post' | 'Comment') {
  return Type.Object(
    {
      ...analysisHead('sample'),
      seed: Type.String(),
      per: Type.Optional(Type.String('`subreddit` or `month`; only if it was given.')),
      total_count: Type.Count('Number of all matching records.'),
      data: Type.Array(
        Type.Union([Type.Ref(`${record}#`), Type.Ref(`${record}Fields#`)]),
        'By rank, which seed and content alone make.',
      ),
    },
    { $id: id },
  );
}

const SCHEMAS = {
  post: sampleSchema('PostSample', 'Post'),
  comment: sampleSchema('CommentSample', 'Comment'),
} as const;

function sampleOf(kind: Kind): Operation {
  return operation({
    ...{ name: 'sample', kind, tag: 'analysis', isTool: true },
    summary: 'A sample of {kind}s',
    description:
      'A random sample of the matching {kind}s that anybody can draw again: the same seed gives the same records ' +
      'on every machine. A sample lies inside every larger one of its seed.',
    parameters: PARAMETERS[kind],
    mostBytes: (values) => expectedBytes(values.limit),
    schema: SCHEMAS[kind],
    answerWords: 'The records of the sample, or these alone as CSV or NDJSON.',
    example: { limit: '1' },
    run: ({ engine, search, config }, values, { signal }) =>
      drawSample({ engine, queryTimeoutMs: config.queryTimeoutMs }, search, { kind, ...values }, signal),
    records: ({ data }, { fields }) => ({ kind, rows: data, fields: readFields(fields, kind) }),
    command: {
      notes:
        'The sample of 500 lies inside that of 1,000 with the same seed, and is the same on every machine with these\n' +
        `records. A \`before:\` needs an \`after:\`. More than ${MAX_SAMPLE} records: colloquy export with --sample.`,
      examples: [
        'sample comments --limit 500 --seed pilot "heat pump" after:2024-01-01',
        'sample posts --limit 20 --per month --format csv /r/solarpower',
      ],
      print: asText,
    },
  });
}

export const operations: readonly Operation[] = KINDS.map(sampleOf);

function asText({ kind, query, seed: drawnBy, total_count: total, data }: SampleAnswer): string {
  const number = (count: number) => count.toLocaleString('en');
  const of = `${number(data.length)} of ${number(total)} ${total === 1 ? kind.slice(0, -1) : kind}`;
  const head = `${of} that match ${query || '(everything)'}, by the seed ${drawnBy}\n`;
  return head + linesOfRecords(data as readonly (PostRecord | CommentRecord)[]);
}
