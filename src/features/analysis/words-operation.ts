// The API and command of distinctive words: `/api/v1/words/posts` and `…/comments`, `colloquy words`. Contract 10.7.

import { table } from '../../cli/listing.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';
import { type Operation, operation } from '../../operation/operation.ts';
import { type Parameter, wholeNumber } from '../../operation/parameters.ts';
import { analysisQuery, under } from '../../operation/shared.ts';
import { analysisHead, wordRow } from './shared.ts';
import { WORD_LISTS, WORD_SAMPLES, type WordRow, type WordsAnswer, wordsOf, wordsTable } from './words.ts';

const against: Parameter<string | null> = {
  read: (given) => given || null,
  schema: Type.Optional(
    Type.String({
      maxLength: 4096,
      description:
        'The query to compare with. If empty or absent, the same query without its words, ' +
        'phrases, prefixes and any-ofs.',
      examples: ['/r/aww'],
    }),
  ),
  documented: {
    values: 'a query, without an implied window',
    default: 'the scope: `query` without its words',
  },
};

const words = {
  query: analysisQuery,
  against,
  sample: wholeNumber({
    ...WORD_SAMPLES,
    unit: 'records of each query',
    description: 'The most records to read of each query: a sample with the seed `1`.',
    examples: [5000],
  }),
  limit: wholeNumber({
    ...WORD_LISTS,
    unit: 'words in each list',
    description: 'The most words in each list.',
    examples: [20],
  }),
};

type WordsTable = typeof words & { readonly under?: typeof under };

const PARAMETERS: Readonly<Record<Kind, WordsTable>> = { post: words, comment: { ...words, under } };

const side = (description: string) =>
  Type.Object(
    {
      n: Type.Integer({ minimum: 0, description: 'Records of the sample.' }),
      of: Type.Integer({ minimum: 0, description: 'How many match.' }),
      tokens: Type.Integer({
        minimum: 0,
        description: 'Pairs of a record of the sample and a word that it has.',
      }),
    },
    { description },
  );

const SCHEMA = Type.Object(
  {
    ...analysisHead('words'),
    against: Type.String({ description: 'The other query, in canonical form.' }),
    sampled: side('What was read of `query`.'),
    sampled_against: side('What was read of `against`.'),
    rows: Type.Array(wordRow, { description: 'Words that `query` uses more, z down.' }),
    rows_against: Type.Array(wordRow, { description: 'Words that `against` uses more, z up.' }),
  },
  { $id: 'Words' },
);

function wordsOfKind(kind: Kind): Operation {
  return operation({
    ...{ name: 'words', kind, tag: 'analysis', isTool: true },
    summary: 'Distinctive words of {kind}s',
    description:
      'Which words one query of {kind}s uses more than another, by samples of both. A word counts once a record; ' +
      'English stop words are not listed. The measure is the log-odds ratio with an informative Dirichlet prior ' +
      '(Monroe, Colaresi and Quinn 2008).',
    parameters: PARAMETERS[kind],
    schema: SCHEMA,
    isForVisitors: ({ against: other }) => other === null,
    answerWords: 'The words that each of the two uses more than the other, or a table of them.',
    example: { limit: '10' },
    run: ({ engine, config }, values, { signal }) =>
      wordsOf({ engine, queryTimeoutMs: config.queryTimeoutMs }, { kind, ...values }, signal),
    table: wordsTable,
    command: {
      standard: { limit: '20' },
      notes: 'A `before:` needs an `after:`.',
      examples: ['words comments "heat pump"', 'words posts /r/solarpower --against /r/energy --format csv'],
      print: asText,
    },
  });
}

export const operations: readonly Operation[] = KINDS.map(wordsOfKind);

function asText({
  kind,
  query,
  against: other,
  sampled,
  sampled_against,
  rows,
  rows_against,
}: WordsAnswer): string {
  const number = (count: number) => count.toLocaleString('en');
  const read = ({ n, of }: WordsAnswer['sampled'], echo: string) =>
    `${number(n)} of ${number(of)} ${kind} that match ${echo || '(everything)'}`;
  return [
    `Words of ${read(sampled, query)}\n`,
    tableOf(rows),
    `\nWords of ${read(sampled_against, other)}\n`,
    tableOf(rows_against),
  ].join('');
}

function tableOf(rows: readonly WordRow[]): string {
  if (rows.length === 0) return '(none)\n';
  return table(
    ['word', 'z', 'records', 'records there'],
    rows.map(({ word, z, count, count_against }) => [word, z.toFixed(2), `${count}`, `${count_against}`]),
  );
}
