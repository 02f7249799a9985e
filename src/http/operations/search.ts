// The parameters of the two search endpoints, and those of records by their ids. Contract 4.1, 4.2, 4.3 and 5.12.

import type { Kind } from '../../model/record.ts';
import { MAX_NAMED_RECORDS } from '../../model/record-link.ts';
import { Type } from '../../operation/json-schema.ts';
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

const most = MAX_NAMED_RECORDS.toLocaleString('en');

/** As given; empty: absent or empty. search/asked-names.ts reads it, by the kind. */
const ids: Parameter<string> = {
  read: (given) => given ?? '',
  schema: Type.String({
    minLength: 1,
    description: [
      'Ids, with or without the prefix of their kind (`t3_`, `t1_`), and permalinks, separated by commas; at most',
      `${most} different ones. An id of the other kind is found nowhere.`,
    ].join(' '),
    examples: ['kofq2a,t3_kofq2b'],
  }),
  documented: { values: `ids and permalinks, separated by commas; at most ${most}`, default: 'required' },
};

/** Of an endpoint. */
export interface RecordsTable {
  readonly ids: Parameter<string>;
  readonly fields: Parameter<string | null>;
  readonly [name: string]: Parameter<unknown>;
}

/** Of each endpoint. */
export const RECORDS_PARAMETERS: Readonly<Record<Kind, RecordsTable>> = {
  post: { ids, fields: fieldsOf('post') },
  comment: { ids, fields: fieldsOf('comment') },
};
