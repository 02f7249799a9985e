// The parameters of what a query means. Contract 10.5.

import { Type } from './json-schema.ts';
import type { Parameter } from './parameters.ts';
import { query } from './search-parameters.ts';

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
