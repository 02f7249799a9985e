// The parameters of the two search endpoints, and those of records by their ids. Contract 4.1, 4.2, 4.3 and 5.12.

import { ServiceError } from '../../errors.ts';
import { ORDERS, type Order } from '../../model/pages.ts';
import type { Kind } from '../../model/record.ts';
import { MAX_NAMED_RECORDS } from '../../model/record-link.ts';
import { FIELD_NAMES } from '../../search/presenter.ts';
import { MAX_SINCE } from '../../search/question-options.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../search/search-service.ts';
import { Type } from './json-schema.ts';
import { choice, type Parameter, type ParameterValues, wholeNumber } from './parameters.ts';

export const query: Parameter<string> = {
  read(given) {
    if (given !== null) return given;
    throw new ServiceError(
      'missing_query',
      'parameter `query`: expected a query (empty for every record), found none',
    );
  },
  schema: Type.String({
    maxLength: 4096,
    description: [
      'What to search for, in the query language: words, "phrases", prefi*, a|b, -not, /r/community,',
      'site:domain, score:n, before:YYYY-MM-DD, after:YYYY-MM-DDTHH:MM, post:ID, id:ID, separated by spaces or',
      'commas. At most 2,048 characters (4,096 in canonical form). If empty, every record.',
    ].join(' '),
    examples: ['cats,/r/aww,-dogs', 'before:2021-01-02', 'score:100,site:youtube.com'],
  }),
  documented: { values: 'the query; if empty, every record', default: 'required' },
};

/** As given; null: absent or empty. search/cursor.ts reads it, since its form depends on the order. */
export function cursor(
  description: string,
  example: number,
  documented: Parameter<string | null>['documented'],
): Parameter<string | null> {
  return {
    read: (given) => given || null,
    schema: Type.Optional(
      Type.Unsafe({
        type: ['integer', 'string'],
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        pattern: '^(\\d{1,16}|\\[\\[\\d{1,16}\\]\\])?$',
        description,
        examples: [example],
      }),
    ),
    documented,
  };
}

const after = cursor(
  'The number in the last answer’s `sort_key`, for the next page. If empty or absent, the first page.',
  1609459200000,
  {
    values: 'the number in `sort_key` of the previous page; `[[n]]` also works',
    default: 'the first page',
  },
);

export const orderBy: Parameter<Order> = choice(ORDERS, {
  standard: 'newest',
  code: 'bad_order',
  description: 'The order of the records. Empty counts as absent.',
  examples: ['newest', 'oldest'],
});

const limit: Parameter<number> = wholeNumber({
  from: 0,
  to: MAX_LIMIT,
  standard: DEFAULT_LIMIT,
  unit: 'records; 0 for counts only',
  code: 'bad_limit',
  description: 'Number of records on a page; 0 for counts only.',
  examples: [25],
});

/** As given; null: absent or empty. search/presenter.ts reads it, by the kind. */
export function fieldsOf(kind: Kind): Parameter<string | null> {
  const names = FIELD_NAMES[kind];
  const name = `(${names.join('|')})`;
  return {
    read: (given) => given || null,
    schema: Type.Optional(
      Type.String({
        pattern: `^(${name}(,${name})*)?$`,
        description: [
          `Fields of a record, separated by commas: records have these fields, in this order. Of ${kind}s:`,
          `${names.map((known) => `\`${known}\``).join(', ')}. If empty or absent, those of the schema`,
          `\`${kind === 'post' ? 'Post' : 'Comment'}\`.`,
        ].join(' '),
        examples: ['id,created,score'],
      }),
    ),
    documented: {
      values: '[fields of a record](#choosing-fields), separated by commas',
      default: 'those shown below',
    },
  };
}

/** As given; null: absent or empty. search/question-options.ts reads it. */
export const under: Parameter<string | null> = {
  read: (given) => given || null,
  schema: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: [
        'Only comments of posts that match this query; at most 100,000 posts. In the query language, with the limits',
        'of `query`; a `before:` needs an `after:` beside it. If empty or absent, comments of all posts.',
      ].join(' '),
      examples: ['cats,/r/aww,score:100'],
    }),
  ),
  documented: {
    values: '[a query for posts](#comments-of-certain-posts); on comments only',
    default: 'comments of all posts',
  },
};

/** Of search, counts, timeline, export and sample alike. */
export const since: Parameter<number> = {
  ...wholeNumber({
    ...{ from: 0, to: MAX_SINCE, standard: 0, unit: 'arrivals' },
    code: 'bad_value',
    description: [
      'Only records that came in behind this arrival: the number in the header `Colloquy-Arrival` of an earlier',
      'answer, of its first page where it has several. 0: every record.',
    ].join(' '),
    examples: [1204],
  }),
  documented: {
    values: '[the number in `Colloquy-Arrival`](#what-is-new) of an earlier answer',
    default: '`0`: every record',
  },
};

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
