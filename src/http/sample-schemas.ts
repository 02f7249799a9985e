// The shapes of samples and of distinctive words as JSON Schema, and an example of each. The figures are invented.

import type { SampleAnswer } from '../analysis/sample.ts';
import type { WordsAnswer } from '../analysis/words.ts';
import type { Kind } from '../model/record.ts';
import { analysisHead } from './analysis-schemas.ts';
import { EXAMPLES } from './examples.ts';
import { Type } from './json-schema.ts';

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
