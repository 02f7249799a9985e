// The shape of a thread as JSON Schema. Contract 5.13.

import { Type } from './json-schema.ts';
import { CommentFieldsSchema, IndexSchema } from './schemas.ts';

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
