// The parameters of what a query means, and an example of the answer for the OpenAPI document. The numbers are
// invented. Contract 10.5.

import type { Explanation } from '../../analysis/explain.ts';
import type { Kind } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';
import type { Parameter } from '../../operation/parameters.ts';
import { query } from '../../operation/shared.ts';

const explained: Parameter<string> = {
  ...query,
  schema: Type.String({
    maxLength: 4096,
    description:
      'The query to explain, in the query language and with the limits of a search. Nothing is added to it: a ' +
      '`before:` needs no `after:` beside it. If empty, there are no items.',
    examples: ['cats,/r/aww,-dogs', 'before:2021-01-02'],
  }),
  documented: { values: 'the query; a `before:` needs no `after:` beside it', default: 'required' },
};

export const EXPLAIN_PARAMETERS = { query: explained } as const;

export type ExplainTable = typeof EXPLAIN_PARAMETERS;

const QUERY: Omit<Explanation, 'kind' | 'index'> = {
  type: 'explain',
  query: 'cats,-dogs,before:2021-01-02',
  total_count: 1_180,
  items: [
    {
      ...{ item: 'cats', offset: 0, length: 4, means: 'contains the word `cats`' },
      ...{ alone: 2_310, without: 801_442, so_far: 2_310 },
    },
    {
      ...{ item: '-dogs', offset: 5, length: 5, means: 'does not contain the word `dogs`' },
      ...{ alone: 1_198_020, without: 1_402, so_far: 2_004 },
    },
    {
      ...{ item: 'before:2021-01-02', offset: 11, length: 17, means: 'is from before 2021-01-02 (UTC)' },
      ...{ alone: 806_117, without: 2_004, so_far: 1_180 },
    },
  ],
  implied: { item: 'after:2021-01-01', means: 'is from 2021-01-01 (UTC) or later', so_far: 3 },
};

const { type, ...rest } = QUERY;

export const EXPLAIN_EXAMPLE: Readonly<Record<Kind, Explanation>> = {
  post: { type, kind: 'posts', ...rest, index: { fingerprint: '0f3a6c1e9b2d4857', records: 1_204_331 } },
  comment: {
    type,
    kind: 'comments',
    ...rest,
    index: { fingerprint: '7d41c09ae62f5b38', records: 20_518_772 },
  },
};
