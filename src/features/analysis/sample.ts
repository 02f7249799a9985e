// A reproducible random sample: the matches with the lowest ranks (model/analyses.ts),
// `/api/v1/sample/posts` and `…/comments`, `colloquy sample`. Contract 10.6.

import { linesOfRecords } from '../../cli/listing.ts';
import { expectedBytes } from '../../http/answers/bytes-under-way.ts';
import type { SampleGroup, SamplePage } from '../../model/analyses.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { type Operation, operation, type ReadArchive } from '../../operation/operation.ts';
import {
  type Parameter,
  type ParameterValues,
  readChoice,
  Type,
  wholeNumber,
} from '../../operation/parameters.ts';
import { analysisQuery, chosenRecords, fieldsOf, seed, since, underOf } from '../../operation/shared.ts';
import { readAsked } from '../../search/asking.ts';
import { needsArrived, readFields } from '../../search/presenter.ts';
import { analysisHead, askHeaded } from './shared.ts';

export const MAX_SAMPLE = 10_000;
export const DEFAULT_SAMPLE = 100;
export const MAX_SAMPLE_BYTES = 67_108_864;

/** The groups that a stratified sample can be drawn by, as the API names them. */
export const SAMPLE_GROUPS = ['subreddit', 'month'] as const;

type AskedGroup = (typeof SAMPLE_GROUPS)[number];

const GROUPS: Readonly<Record<AskedGroup, SampleGroup>> = { subreddit: 'community', month: 'month' };

type SampleAnswer = Awaited<ReturnType<typeof drawSample>>['answer'];

/** Throws a ServiceError if the query or the fields do not parse, or the sample cannot be drawn. */
export async function drawSample(
  archive: ReadArchive,
  wish: { readonly kind: Kind } & ParameterValues<ReturnType<typeof parametersOf>>,
  signal?: AbortSignal,
) {
  const { kind, query: text, limit: size, seed, per } = wish;
  const read = readAsked({ ...wish, queries: [text] });
  const fields = readFields(wish.fields, kind);
  const page: SamplePage = {
    ...({ order: 'sample', size, seed, maxBytes: MAX_SAMPLE_BYTES } as const),
    ...(per === null ? {} : { per: GROUPS[per] }),
  };
  const wanted = { page, evidence: true, arrived: needsArrived(fields) };
  const { answers, head, ...rest } = await askHeaded(archive, read, () => wanted, signal);
  const { total, page: drawn, ...found } = answers[0]!;
  return {
    answer: {
      ...{ type: 'sample', ...head, seed, ...(per && { per }) },
      total_count: total,
      data: archive.search.chosen(kind, { ...found, records: drawn!.records }, fields),
    },
    ...rest,
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

function parametersOf(kind: Kind) {
  return { query: analysisQuery, limit, seed, per, fields: fieldsOf(kind), since, ...underOf(kind) };
}

function sampleSchema(kind: Kind) {
  return Type.Object(
    {
      ...analysisHead('sample'),
      seed: Type.String(),
      per: Type.Optional(Type.String('`subreddit` or `month`; only if it was given.')),
      total_count: Type.Count('Number of all matching records.'),
      data: chosenRecords(kind, 'By rank, which seed and content alone make.'),
    },
    { $id: kind === 'post' ? 'PostSample' : 'CommentSample' },
  );
}

function sampleOf(kind: Kind): Operation {
  return operation({
    ...{ name: 'sample', kind, tag: 'analysis', isTool: true },
    summary: 'A sample of {kind}s',
    description:
      'A random sample of the matching {kind}s that anybody can draw again: the same seed gives the same records ' +
      'on every machine. A sample lies inside every larger one of its seed.',
    parameters: parametersOf(kind),
    mostBytes: (values) => expectedBytes(values.limit),
    schema: sampleSchema(kind),
    answerWords: 'The records of the sample, or these alone as CSV or NDJSON.',
    example: { limit: '1' },
    run: (archive, values, { signal }) => drawSample(archive, { kind, ...values }, signal),
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
  return head + linesOfRecords(data);
}
