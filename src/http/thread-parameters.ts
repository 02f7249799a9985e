// The parameters of the thread endpoint. Contract 5.13.

import { FIELD_NAMES } from '../search/record-fields.ts';
import { FURTHER_FIELDS, MAX_THREAD_PAGE, THREAD_SHAPES } from '../search/thread-service.ts';
import { Type } from './json-schema.ts';
import { choice, type Parameter, type ParameterValues, wholeNumber } from './parameters.ts';
import { cursor } from './search-parameters.ts';

/** As given; null: absent or empty. */
const around: Parameter<string | null> = {
  read: (given) => given || null,
  schema: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: [
        'Only this comment, what it answers, what that answers and so on up to the post, and what answers it directly:',
        'an id with or without `t1_`, or a permalink.',
      ].join(' '),
      examples: ['ghq1b2c'],
    }),
  ),
  documented: { values: 'id or permalink of a comment', default: 'all comments' },
};

const after = cursor('`next` of the last answer, for the next page. Not with `tree`.', 1609459200000, {
  values: '`next` of the previous page; not with `tree`',
  default: 'the first page',
});

const limit: Parameter<number | null> = {
  ...wholeNumber({
    from: 0,
    to: MAX_THREAD_PAGE,
    standard: null,
    unit: 'comments; 0 for the count only; not with `tree`',
    code: 'bad_limit',
    description: `Number of comments on a page; if absent, ${MAX_THREAD_PAGE}. 0 for the count only. Not with \`tree\`.`,
    examples: [100],
  }),
};

const shape = choice(THREAD_SHAPES, {
  standard: 'flat',
  code: 'bad_shape',
  description: [
    '`flat`: comments by time, the oldest first, in pages. `tree`: all at once, each comment with what answers it',
    'as `replies`; at most 10,000 comments.',
  ].join(' '),
  examples: ['flat'],
});

const NAMES = [...FIELD_NAMES.comment, ...FURTHER_FIELDS];
const NAME = `(${NAMES.join('|')})`;

/** As given; null: absent or empty. */
const fields: Parameter<string | null> = {
  read: (given) => given || null,
  schema: Type.Optional(
    Type.String({
      pattern: `^(${NAME}(,${NAME})*)?$`,
      description: [
        'Fields of a comment, separated by commas: comments have these fields, in this order. They are',
        `${NAMES.map((name) => `\`${name}\``).join(', ')}. If empty or absent, those of the schema \`Comment\`,`,
        '`parent_id` and `depth`.',
      ].join(' '),
      examples: ['id,parent_id,depth,body'],
    }),
  ),
  documented: {
    values: '[fields of a comment](api.md#choosing-fields) and `depth`, separated by commas',
    default: 'those shown below',
  },
};

export const THREAD_PARAMETERS = {
  around,
  after,
  limit: { ...limit, documented: { ...limit.documented, default: String(MAX_THREAD_PAGE) } },
  shape,
  fields,
} as const;

export type ThreadTable = typeof THREAD_PARAMETERS;

export type ThreadParameters = ParameterValues<ThreadTable>;
