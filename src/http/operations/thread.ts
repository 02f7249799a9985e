// The thread endpoint: its parameters, the shape of its answer as JSON Schema, and examples for the OpenAPI
// document. The records are invented. Contract 5.13.

import { Type } from '../../operation/json-schema.ts';
import { choice, type Parameter, type ParameterValues, wholeNumber } from '../../operation/parameters.ts';
import { cursor } from '../../operation/shared.ts';
import { FIELD_NAMES, type PostRecord } from '../../search/presenter.ts';
import {
  FURTHER_FIELDS,
  MAX_THREAD_PAGE,
  THREAD_SHAPES,
  type ThreadAnswer,
} from '../../search/thread-service.ts';
import { EXAMPLES } from './examples.ts';
import { CommentFieldsSchema, IndexSchema } from './schemas.ts';

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

const depth = Type.Unsafe({
  type: ['integer', 'null'],
  minimum: 0,
  description:
    'How many comments lie between it and the post: 0 answers the post. null below a comment that is not here, ' +
    'where it is not known what is answered, and in a circle.',
});

/** What every comment of a thread may have; the fields that were chosen, or those of `Comment` and two more. */
export const ThreadCommentSchema = Type.Object(
  {
    ...CommentFieldsSchema.properties,
    depth: Type.Optional(depth),
    replies: Type.Optional(
      Type.Array(Type.Unsafe({ $ref: 'ThreadComment#' }), {
        description: 'What answers it, the oldest first; with `shape=tree` only.',
      }),
    ),
  },
  {
    $id: 'ThreadComment',
    description:
      'A comment of a thread: the fields of `Comment`, `parent_id` and `depth`, or those of `fields`.',
  },
);

export const ThreadSchema = Type.Object(
  {
    type: Type.Literal('thread'),
    kind: Type.Literal('comments'),
    query: Type.Null({ description: 'A thread is no search.' }),
    index: IndexSchema,
    post: Type.Union([Type.Ref('Post#'), Type.Null()], { description: 'null if the post is not here.' }),
    total_count: Type.Integer({ minimum: 0, description: 'Number of comments of the post that are here.' }),
    comments: Type.Array(Type.Ref('ThreadComment#'), {
      description:
        'The oldest first. With `shape=tree` those that answer no comment that is here; the others are in their `replies`.',
    }),
    next: Type.Unsafe({
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Send it as `after` to get the next page; null on the last one.',
    }),
  },
  { $id: 'Thread' },
);

const THREAD_COMMENT = {
  type: 'comment',
  id: 'ghq1b2c',
  subreddit: { id: '2qh1o', name: 'aww', nsfw: false },
  created_utc: 1609545777,
  permalink: 'https://www.reddit.com/r/aww/comments/kofq2a/_/ghq1b2c/',
  body: 'What lovely cats!',
  sentiment: 0.6239,
  score: 7,
  parent_id: 'kofq2a',
  depth: 0,
} as const;

const THREAD_REPLY = {
  ...THREAD_COMMENT,
  id: 'ghq1d3e',
  created_utc: 1609546001,
  permalink: 'https://www.reddit.com/r/aww/comments/kofq2a/_/ghq1d3e/',
  body: 'Thank you',
  sentiment: 0.3612,
  score: 2,
  parent_id: 'ghq1b2c',
  depth: 1,
} as const;

const THREAD = {
  type: 'thread',
  kind: 'comments',
  query: null,
  index: { fingerprint: '3d7eb5588e3293a7', records: 5678 },
  post: EXAMPLES.post.data[0]! as PostRecord,
  total_count: 2,
  comments: [THREAD_COMMENT, THREAD_REPLY],
  next: null,
} as const satisfies ThreadAnswer;

/** In both shapes. */
export const THREAD_EXAMPLES = {
  flat: { value: THREAD },
  tree: {
    value: {
      ...THREAD,
      comments: [{ ...THREAD_COMMENT, replies: [{ ...THREAD_REPLY, replies: [] }] }],
    },
  },
};
