// The API for reading: `/api/v1/thread/{post}`, `/api/v1/records/posts` and `…/comments`. The records of the examples
// are invented. Contract 5.12 and 5.13.

import type { Feature } from '../../cli/feature.ts';
import { RECORD_PATHS, requestAddress } from '../../http/addresses.ts';
import { expectedBytes } from '../../http/answers/bytes-under-way.ts';
import { CommentFieldsSchema, IndexSchema } from '../../http/operations/schemas.ts';
import { MAX_NAMED_RECORDS } from '../../model/engine.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../model/record.ts';
import { type Operation, operation } from '../../operation/operation.ts';
import {
  choice,
  optionalText,
  type Parameter,
  type ParameterValues,
  Type,
  wholeNumber,
} from '../../operation/parameters.ts';
import { chosenRecords, cursor, fieldsOf } from '../../operation/shared.ts';
import { FIELD_NAMES } from '../../search/presenter.ts';
import {
  FURTHER_FIELDS,
  MAX_THREAD_PAGE,
  THREAD_SHAPES,
  type ThreadAnswer,
  threadJson,
  threadOf,
} from './threads.ts';

/** As given; null: absent or empty. */
const around = optionalText(
  Type.String({
    maxLength: 4096,
    description: [
      'Only this comment, everything above it up to the post, and its direct answers: an id with or without `t1_`,',
      'or a permalink.',
    ].join(' '),
    examples: ['ghq1b2c'],
  }),
  { values: 'id or permalink of a comment', default: 'all comments' },
);

const after = cursor('`next` of the last answer, for the next page. Not with `tree`.', 1609459200000, {
  values: '`next` of the previous page; not with `tree`',
  default: 'the first page',
});

const limit = wholeNumber({
  ...{ from: 0, to: MAX_THREAD_PAGE, standard: null },
  unit: 'comments; 0 for the count only; not with `tree`',
  description: `Number of comments on a page; if absent, ${MAX_THREAD_PAGE}. 0 for the count only. Not with \`tree\`.`,
  examples: [100],
});

const shape = choice(THREAD_SHAPES, {
  standard: 'flat',
  description: [
    'How comments are arranged. `flat`: by time, the oldest first, in pages. `tree`: all at once, each comment with',
    'its replies in `replies`; at most 10,000 comments.',
  ].join(' '),
  examples: ['flat'],
});

const NAMES = [...FIELD_NAMES.comment, ...FURTHER_FIELDS];
const NAME = `(${NAMES.join('|')})`;

/** As given; null: absent or empty. */
const fields = optionalText(
  Type.String({
    pattern: `^(${NAME}(,${NAME})*)?$`,
    description: [
      'Fields of a comment, separated by commas: comments have these fields, in this order. They are',
      `${NAMES.map((name) => `\`${name}\``).join(', ')}. If empty or absent, those of the schema \`Comment\`,`,
      '`parent_id` and `depth`.',
    ].join(' '),
    examples: ['id,parent_id,depth,body'],
  }),
  {
    values: '[fields of a comment](api.md#choosing-fields) and `depth`, separated by commas',
    default: 'those shown below',
  },
);

const THREAD_PARAMETERS = {
  around,
  after,
  limit: { ...limit, documented: { ...limit.documented, default: String(MAX_THREAD_PAGE) } },
  shape,
  fields,
} as const;

type ThreadParameters = ParameterValues<typeof THREAD_PARAMETERS>;

const depth = Type.Nullable(
  Type.Count(
    'How many comments lie between it and the post: 0 answers the post. Null below a missing comment, in a circle, ' +
      'and if its parent is unknown.',
  ),
);

/** Fields that a comment of a thread may have: those chosen, or those of `Comment` and two more. */
const ThreadCommentSchema = Type.Object(
  {
    ...CommentFieldsSchema.properties,
    depth: Type.Optional(depth),
    replies: Type.Optional(
      Type.Array(
        Type.Unsafe({ $ref: 'ThreadComment#' }),
        'Its replies, oldest first; with `shape=tree` only.',
      ),
    ),
  },
  {
    $id: 'ThreadComment',
    description:
      'A comment of a thread: the fields of `Comment`, `parent_id` and `depth`, or those of `fields`.',
  },
);

const ThreadSchema = Type.Object(
  {
    type: Type.Literal('thread'),
    kind: Type.Literal('comments'),
    query: Type.Null('A thread is no search.'),
    index: IndexSchema,
    post: Type.Union([Type.Ref('Post#'), Type.Null()], 'null if the post is not here.'),
    total_count: Type.Count('Number of comments of the post that are here.'),
    comments: Type.Array(
      Type.Ref('ThreadComment#'),
      'The oldest first. With `shape=tree` those without a parent here; the others are in their `replies`.',
    ),
    next: Type.Nullable(Type.Count('Send it as `after` to get the next page; null on the last one.')),
  },
  { $id: 'Thread' },
);

const thread = operation({
  ...{ name: 'thread', tag: 'search', isTool: true },
  part: {
    name: 'post',
    schema: Type.String({
      description:
        'Id of the post, with or without `t3_`; or a link to it or to one of its comments, encoded.',
      examples: ['kofq2a'],
    }),
  },
  summary: 'A post and its comments',
  description:
    'The post and its comments, as far as they are here, each with its parent. A 404 if neither the post nor a comment ' +
    'is here. Replies to a missing comment are listed too: their `depth` is null.',
  parameters: THREAD_PARAMETERS,
  ...{ schema: ThreadSchema, further: [ThreadCommentSchema] },
  answerWords: 'The thread, or a page of it.',
  example: { limit: '2' },
  headers: {
    Link: '`<address>; rel="next"`: the next page; only where there is one.',
    'Colloquy-Page': '`short` where the page ended before `limit` for its bytes; else absent.',
  },
  async run(archive, values, { pathParts, ownAddress, signal }) {
    const { post = '' } = pathParts;
    const result = await threadOf(archive, { post, ...values }, signal);
    const { answer, isShort } = result;
    const link = nextOf(answer, `${ownAddress ?? ''}/api/v1/thread/${encodeURIComponent(post)}`, values);
    const headers = { ...(isShort && { 'Colloquy-Page': 'short' }), ...link };
    return { answer, headers, text: threadJson(result) };
  },
});

function nextOf({ next }: ThreadAnswer, address: string, wished: ThreadParameters) {
  const { around: shown, limit: size, fields: chosen } = wished;
  if (next === null) return {};
  const values = Object.entries({ around: shown, limit: size, fields: chosen, after: next });
  return { Link: `<${requestAddress(address, {}, values)}>; rel="next"` };
}

const most = MAX_NAMED_RECORDS.toLocaleString('en');

/** As given; empty: absent or empty. Parsed by search/asked-names.ts. */
const ids = (kind: Kind): Parameter<string> => ({
  read: (given) => given ?? '',
  schema: Type.String({
    minLength: 1,
    description: [
      'Ids, with or without the prefix of their kind (`t3_`, `t1_`), and permalinks, separated by commas; at most',
      `${most} different ones. An id of the other kind is never found.`,
    ].join(' '),
    examples: [kind === 'post' ? 'kofq2a,t3_kofq2b' : 'ghq1b2c,t3_kofq2a'],
  }),
  documented: { values: `ids and permalinks, separated by commas; at most ${most}`, default: 'required' },
});

function recordsSchema(kind: Kind) {
  return Type.Object(
    {
      type: Type.Literal('records'),
      kind: Type.Literal(KIND_NAMES[kind]),
      query: Type.Null('There is none.'),
      index: IndexSchema,
      data: chosenRecords(kind, 'The records that are here, in the order asked, each once.'),
      missing: Type.Array(
        Type.String(),
        'The other ids, as typed, each once: not here, of the other kind, or removed.',
      ),
    },
    { $id: kind === 'post' ? 'PostRecords' : 'CommentRecords' },
  );
}

function recordsOf(kind: Kind): Operation {
  return operation({
    ...{ name: 'records', kind, operationId: `${kind}_records`, tag: 'search', isTool: true },
    summary: kind === 'post' ? 'Posts by their ids' : 'Comments by their ids',
    schema: recordsSchema(kind),
    description:
      'The {kind}s with these ids in the order asked, each once, and which of the ids are not here.',
    parameters: { ids: ids(kind), fields: fieldsOf(kind) },
    answerWords: 'The records that are here.',
    mostBytes: (values) => expectedBytes(values.ids.split(',').length),
    run: async ({ search }, values, { signal }) => ({
      answer: await search.records({ kind, ...values }, signal),
    }),
  });
}

export const operations: readonly Operation[] = [...KINDS.map(recordsOf), thread];

export const feature: Feature = {
  name: 'reading',
  operations: async () => operations,
  pages: async () => (await import('./page.ts')).addPages,
  searches: ['/thread/:post', ...KINDS.map((kind) => `${RECORD_PATHS[kind]}/:id`)],
  commands: { thread: async () => (await import('./command.ts')).threadCommand(THREAD_PARAMETERS) },
  guides: [{ path: '/docs/threads', file: 'threads.md', name: 'Threads', endpoints: ['thread'] }],
};
