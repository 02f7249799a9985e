// The shapes of answers as JSON Schema: one source for the OpenAPI document and for the tests that check every answer.
// The schemas are open, since fields and codes may be added within /api/v1 and generated clients must accept them; the
// tests close them again (test/api/answer-schemas.ts). Contract 1.5, 5.1 and 5.7.

import { type Kind, MAX_TIME } from '../../model/record.ts';
import { type Properties, Type } from '../../operation/parameters.ts';

const score = Type.Integer({ description: 'Score; may be zero or negative.', examples: [42] });
const createdUtc = time('Creation time, Unix time in seconds.', { examples: [1609459200] });
const permalink = Type.String('Absolute URL of the record.');
const id = recordId('Identifier, without `t3_` or `t1_`.');

function time(description: string, others = {}) {
  return Type.Integer({ minimum: 0, maximum: MAX_TIME, description, ...others });
}

function recordId(description: string) {
  return Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description });
}

export const CommunitySchema = Type.Object(
  {
    id: Type.String('Identifier, without `t5_`; empty if unknown.'),
    name: Type.String('Name, lower case, without `/r/`.'),
    nsfw: Type.Boolean('True for adult-content communities.'),
  },
  { $id: 'Community' },
);

export const PostSchema = Type.Object(
  {
    type: Type.Literal('post'),
    id,
    subreddit: Type.Ref('Community#'),
    created_utc: createdUtc,
    permalink,
    domain: Type.String('Source domain; `self.<community>` for a text post.'),
    title: Type.String(),
    selftext: Type.String('Text body; may contain line breaks.'),
    url: Type.Nullable(Type.String('Linked URL; null for a text post.')),
    score,
  },
  { $id: 'Post' },
);

export const CommentSchema = Type.Object(
  {
    type: Type.Literal('comment'),
    id,
    subreddit: Type.Ref('Community#'),
    created_utc: createdUtc,
    permalink,
    body: Type.String('Comment text; may be Markdown with line breaks.'),
    sentiment: Type.Nullable(
      Type.Number({
        minimum: -1,
        maximum: 1,
        description: 'Sentiment rating with four decimals; null if unrated.',
      }),
    ),
    score,
  },
  { $id: 'Comment' },
);

const further = {
  created: Type.String({
    format: 'date-time',
    description: '`created_utc` in ISO 8601, in UTC.',
    examples: ['2021-01-01T00:00:00Z'],
  }),
  retrieved_utc: Type.Nullable(
    time('When the source took this copy, Unix time in seconds; null if it does not say.'),
  ),
  arrived_utc: Type.Nullable(
    time(
      'When the record, or its present text, title, URL or withdrawal, arrived here, in Unix seconds. To the second ' +
        'for 30 days, then to the hour; null if unknown.',
    ),
  ),
};

const postId = Type.Nullable(
  recordId('Identifier of the post it belongs to, without `t3_`; null if unknown.'),
);

const parentId = Type.Nullable(
  recordId('Identifier of what it answers, without prefix: `post_id` at the top level; null if unknown.'),
);

/** Records with the fields that `fields` names, all of which have a place here. */
function chosen(kind: Kind, properties: Properties, $id: string) {
  const optional = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Type.Object(Object.fromEntries(optional), {
    $id,
    description: `A ${kind} where the parameter \`fields\` is given: exactly the fields that it names.`,
  });
}

export const PostFieldsSchema = chosen('post', { ...PostSchema.properties, ...further }, 'PostFields');
export const CommentFieldsSchema = chosen(
  'comment',
  { ...CommentSchema.properties, ...further, post_id: postId, parent_id: parentId },
  'CommentFields',
);

export const IndexSchema = Type.Object(
  {
    fingerprint: Type.String({
      pattern: '^[0-9a-f]{16}$',
      description: 'Of all records of this kind: equal ones mean equal records, on any machine.',
    }),
    records: Type.Count('How many records of this kind there are.'),
  },
  'The state of the index that the answer is from.',
);

const position = Type.Object(
  {
    parameter: Type.Optional(
      Type.String('`under` or `against` if the error is in that parameter; else absent.'),
    ),
    query: Type.Optional(Type.Count('Which query, from 0; only if several were given.')),
    offset: Type.Count(),
    length: Type.Count(),
  },
  'Where in the query the error is, in UTF-16 units; only for errors in the query.',
);

/** Every error. `code` is open, since new codes may be added. */
export const ProblemSchema = Type.Object(
  {
    type: Type.String('Where the code is explained.'),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The status of the answer.' }),
    detail: Type.String('What was expected and found.'),
    code: Type.String(
      'What is wrong, for programs to decide by. Codes are never renamed within /api/v1; ' +
        'new ones may be added. The examples of each status list the existing ones.',
    ),
    request_id: Type.String('The same as in the header `X-Request-Id`.'),
    position: Type.Optional(position),
  },
  { $id: 'Problem' },
);

export const HealthSchema = Type.Object(
  {
    status: Type.String('`ok`.'),
    posts: Type.String('`ok`: posts can be searched.'),
    comments: Type.String('`ok`: comments can be searched.'),
  },
  { $id: 'Health' },
);

export const LiveSchema = Type.Object({ status: Type.String('`ok`.') }, { $id: 'Live' });

/** Headers that an endpoint reads besides the key. */
export const RequestHeadersSchema = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String(
      'Tags of answers that the caller already has; the answer is 304 if one of them is still valid.',
    ),
  ),
});
