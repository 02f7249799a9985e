// The parameters of the two search endpoints, and those of records by their ids. Contract 4.1, 4.2, 4.3 and 5.12.

import type { Kind } from '../../model/record.ts';
import { type Parameter, type ParameterValues, wholeNumber } from '../../operation/parameters.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../search/search-service.ts';

const after = cursor(
  'The number in the last answer’s `sort_key`, for the next page. If empty or absent, the first page.',
  1609459200000,
  {
    values: 'the number in `sort_key` of the previous page; `[[n]]` also works',
    default: 'the first page',
  },
);

const limit: Parameter<number> = wholeNumber({
  from: 0,
  to: MAX_LIMIT,
  standard: DEFAULT_LIMIT,
  unit: 'records; 0 for counts only',
  code: 'bad_limit',
  description: 'Number of records on a page; 0 for counts only.',
  examples: [25],
});

import { cursor, fieldsOf, orderBy, query, since, under } from '../../operation/shared.ts';

const common = { query, after, order_by: orderBy, limit };

/** Of an endpoint; what only one has is optional. */
export type SearchTable = typeof common & {
  readonly fields: Parameter<string | null>;
  readonly since: Parameter<number>;
  readonly under?: Parameter<string | null>;
};

/** Of each endpoint. */
export const SEARCH_PARAMETERS = {
  post: { ...common, fields: fieldsOf('post'), since },
  comment: { ...common, fields: fieldsOf('comment'), since, under },
} as const satisfies Readonly<Record<Kind, SearchTable>>;

export type SearchParameters = ParameterValues<SearchTable>;
