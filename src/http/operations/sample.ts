// Samples and distinctive words: their parameters, the shapes of the answers as JSON Schema, and an example of each.
// The figures are invented.

import {
  type AskedGroup,
  DEFAULT_SAMPLE,
  MAX_SAMPLE,
  SAMPLE_GROUPS,
  type SampleAnswer,
} from '../../analysis/sample.ts';
import { WORD_LISTS, WORD_SAMPLES, type WordsAnswer } from '../../analysis/words.ts';
import { ServiceError } from '../../errors.ts';
import { DEFAULT_SEED, isSeed, MAX_SEED } from '../../model/analyses.ts';
import type { Kind } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';
import { choice, type Parameter, readChoice, wholeNumber } from '../../operation/parameters.ts';
import { analysisHead, analysisQuery, fieldsOf, since, under } from '../../operation/shared.ts';
import { quoted } from '../../text/quoted.ts';
import { EXAMPLES } from './examples.ts';

const n = wholeNumber({
  ...{ from: 1, to: MAX_SAMPLE, standard: DEFAULT_SAMPLE, unit: 'records; with `per`, of each group' },
  code: 'bad_value',
  description:
    'How many records at the most; with `per`, of each group, and 10,000 of all groups together. A sample lies ' +
    'inside every larger one of the same seed.',
  examples: [500],
});

const seed: Parameter<string> = {
  read(given, name) {
    if (!given) return DEFAULT_SEED;
    if (isSeed(given)) return given;
    throw new ServiceError(
      'bad_value',
      `parameter \`${name}\`: expected at most ${MAX_SEED} characters, found ${quoted(given)}`,
    );
  },
  schema: Type.Optional(
    Type.String({
      maxLength: MAX_SEED,
      default: DEFAULT_SEED,
      description:
        'Any text: each seed draws another sample, and the same seed draws the same one of the same records, on ' +
        'every machine. Empty counts as absent.',
      examples: ['pilot study'],
    }),
  ),
  documented: { values: `any text of at most ${MAX_SEED} characters`, default: `\`${DEFAULT_SEED}\`` },
};

const per: Parameter<AskedGroup | null> = {
  read: (given, name) => (given ? readChoice(name, given, SAMPLE_GROUPS, 'bad_value') : null),
  schema: Type.Optional(
    Type.Enum([...SAMPLE_GROUPS, ''], {
      type: 'string',
      description:
        '`n` of each community, or of each month (UTC), instead of `n` of all. If empty or absent, of all together.',
      examples: ['month'],
    }),
  ),
  documented: { values: SAMPLE_GROUPS.map((group) => `\`${group}\``).join(', '), default: 'of all together' },
};

const SAMPLE_FORMATS = ['json', 'csv', 'csv-excel', 'ndjson'] as const;

const format = choice(SAMPLE_FORMATS, {
  standard: 'json',
  code: 'bad_format',
  description:
    'JSON; or the records alone, as an export has them in `csv`, `csv-excel` or `ndjson`. Empty counts as absent.',
  examples: ['csv'],
});

const sample = { query: analysisQuery, n, seed, per };

/** Of an endpoint; what only one has is optional. */
export type SampleTable = typeof sample & {
  readonly fields: Parameter<string | null>;
  readonly format: typeof format;
  readonly since: typeof since;
  readonly under?: Parameter<string | null>;
};

export const SAMPLE_PARAMETERS: Readonly<Record<Kind, SampleTable>> = {
  post: { ...sample, fields: fieldsOf('post'), format, since },
  comment: { ...sample, fields: fieldsOf('comment'), format, since, under },
};

const against: Parameter<string | null> = {
  read: (given) => given || null,
  schema: Type.Optional(
    Type.String({
      maxLength: 4096,
      description:
        'What to hold the query against: another query. If empty or absent, the same query without its words, ' +
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
    code: 'bad_value',
    description: 'How many records of each of the two are read at the most: a sample by the seed `1`.',
    examples: [5000],
  }),
  size: wholeNumber({
    ...WORD_LISTS,
    unit: 'words in each list',
    code: 'bad_value',
    description: 'How many words each list has at the most.',
    examples: [20],
  }),
};

/** Of an endpoint; what only one has is optional. */
export type WordsTable = typeof words & { readonly under?: Parameter<string | null> };

export const WORDS_PARAMETERS: Readonly<Record<Kind, WordsTable>> = {
  post: words,
  comment: { ...words, under },
};

function sampleSchema(id: string, record: 'Post' | 'Comment') {
  return Type.Object(
    {
      ...analysisHead('sample'),
      seed: Type.String(),
      per: Type.Optional(Type.String({ description: '`subreddit` or `month`; only if it was given.' })),
      total_count: Type.Integer({ minimum: 0, description: 'Number of all matching records.' }),
      data: Type.Array(Type.Union([Type.Ref(`${record}#`), Type.Ref(`${record}Fields#`)]), {
        description: 'By rank, which seed and content alone make.',
      }),
    },
    { $id: id },
  );
}

export const PostSampleSchema = sampleSchema('PostSample', 'Post');
export const CommentSampleSchema = sampleSchema('CommentSample', 'Comment');

const side = (description: string) =>
  Type.Object(
    {
      n: Type.Integer({ minimum: 0, description: 'Records of the sample.' }),
      of: Type.Integer({ minimum: 0, description: 'How many match.' }),
      tokens: Type.Integer({ minimum: 0, description: 'Words in the texts of the sample.' }),
    },
    { description },
  );

const rate = (description: string) => Type.Unsafe({ type: ['number', 'null'], minimum: 0, description });

const row = Type.Object({
  word: Type.String({ description: 'As a search finds it: in lower case, folded.' }),
  z: Type.Number({ description: 'Log-odds with an informative Dirichlet prior, as a z-score.' }),
  count: Type.Integer({ minimum: 0, description: 'How often the sample of `query` has it.' }),
  rate: rate('`count` ÷ all words of that sample.'),
  count_against: Type.Integer({ minimum: 0, description: 'How often the other sample has it.' }),
  rate_against: rate('`count_against` ÷ all words of the other sample.'),
});

export const WordsSchema = Type.Object(
  {
    ...analysisHead('words'),
    against: Type.String({ description: 'The other query, in canonical form.' }),
    sampled: side('What was read of `query`.'),
    sampled_against: side('What was read of `against`.'),
    rows: Type.Array(row, { description: 'Words that `query` uses more, z down.' }),
    rows_against: Type.Array(row, { description: 'Words that `against` uses more, z up.' }),
  },
  { $id: 'Words' },
);

const INDEX = { fingerprint: '0f3a6c1e9b2d4857', records: 1_204_331 };

export function sampleExample(kind: Kind): SampleAnswer {
  const { query, total_count, data } = EXAMPLES[kind];
  return {
    ...{ type: 'sample', kind: `${kind}s`, query, index: INDEX, seed: '1' },
    ...{ total_count, data },
  };
}

export function wordsExample(kind: Kind): WordsAnswer {
  return {
    ...{ type: 'words', kind: `${kind}s`, query: 'cats,/r/aww', index: INDEX, against: '/r/aww' },
    sampled: { n: 1234, of: 1234, tokens: 30_812 },
    sampled_against: { n: 10_000, of: 98_760, tokens: 251_004 },
    rows: [
      {
        ...{ word: 'cats', z: 38.214907, count: 1402, rate: 0.045502 },
        ...{ count_against: 151, rate_against: 0.000602 },
      },
    ],
    rows_against: [
      {
        ...{ word: 'dog', z: -8.710366, count: 31, rate: 0.001006 },
        ...{ count_against: 2260, rate_against: 0.009004 },
      },
    ],
  };
}
