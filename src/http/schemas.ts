// The shapes of requests and answers as JSON Schema: one source for the OpenAPI document and for the tests that hold
// each answer against it. Contract 1.5, 5.7, 5.8 and 5.9.

import { Type } from 'typebox';
import { PROBLEMS, type ProblemCode } from '../errors.ts';
import { ORDERS } from '../model/order.ts';
import { MAX_TIME } from '../model/record.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../search/search-service.ts';

const closed = { additionalProperties: false };
const score = Type.Integer({ description: 'Score; may be zero or negative.', examples: [42] });
const createdUtc = Type.Integer({
  minimum: 0,
  maximum: MAX_TIME,
  description: 'Creation time, Unix time in seconds.',
  examples: [1609459200],
});
const permalink = Type.String({ description: 'Absolute URL of the record.' });
const id = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'Identifier, without `t3_` or `t1_`.',
});

export const CommunitySchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier, without `t5_`; empty where the source did not say.' }),
    name: Type.String({ description: 'Name, lower case, without `/r/`.' }),
    nsfw: Type.Boolean({ description: 'True for adult-content communities.' }),
  },
  { ...closed, $id: 'Community' },
);

export const PostSchema = Type.Object(
  {
    type: Type.Literal('post'),
    id,
    subreddit: Type.Ref('Community#'),
    created_utc: createdUtc,
    permalink,
    domain: Type.String({ description: 'Source domain; `self.<community>` for a text post.' }),
    title: Type.String(),
    selftext: Type.String({ description: 'Text body; may contain line breaks.' }),
    url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Linked URL; null for a text post.',
    }),
    score,
  },
  { ...closed, $id: 'Post' },
);

export const CommentSchema = Type.Object(
  {
    type: Type.Literal('comment'),
    id,
    subreddit: Type.Ref('Community#'),
    created_utc: createdUtc,
    permalink,
    body: Type.String({ description: 'Comment text, may be Markdown with line breaks.' }),
    sentiment: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      minimum: -1,
      maximum: 1,
      description: 'Sentiment rating, four decimals; null where unrated.',
    }),
    score,
  },
  { ...closed, $id: 'Comment' },
);

/** The envelope of the endpoint that gives records of this kind. */
function envelope(kind: 'post' | 'comment', recordRef: string, $id: string) {
  return Type.Object(
    {
      type: Type.Literal(kind),
      total_count: Type.Integer({
        minimum: 0,
        description: 'Number of all matching records, not only of these.',
      }),
      data: Type.Array(Type.Ref(recordRef), {
        description:
          '`limit` records at most, and a few more where the page would otherwise end inside a tie.',
      }),
      query: Type.String({
        description:
          'The query as understood, in canonical form, with an implied `after:` where one was added.',
      }),
      sort_key: Type.Array(
        Type.Array(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
          minItems: 1,
          maxItems: 1,
        }),
        {
          maxItems: 1,
          description: '`[[n]]`: pass n as `after` for the next page. `[]` on a page without records.',
        },
      ),
    },
    { ...closed, $id },
  );
}

export const PostsEnvelopeSchema = envelope('post', 'Post#', 'PostsEnvelope');
export const CommentsEnvelopeSchema = envelope('comment', 'Comment#', 'CommentsEnvelope');

export const SearchQuerySchema = Type.Object(
  {
    query: Type.String({
      maxLength: 4096,
      description:
        'What to search for, in the query language: words, "phrases", prefi*, a|b, -not, /r/community, site:domain, score:n, before:YYYY-MM-DD, after:YYYY-MM-DDTHH:MM, post:ID, id:ID, joined by blanks or commas. At most 2,048 characters (4,096 in canonical form). Empty: every record.',
      examples: ['cats,/r/aww,-dogs', 'before:2021-01-02', 'score:100,site:youtube.com'],
    }),
    after: Type.Optional(
      Type.Unsafe<number | string>({
        type: ['integer', 'string'],
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        pattern: '^(\\d{1,16}|\\[\\[\\d{1,16}\\]\\])?$',
        description:
          'The number of the last answer’s `sort_key`: the next page. Empty or absent: the first page.',
        examples: [1609459200000],
      }),
    ),
    order_by: Type.Optional(
      Type.Enum([...ORDERS], {
        type: 'string',
        default: 'newest',
        description: 'The order of the records.',
        examples: ['top'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_LIMIT,
        default: DEFAULT_LIMIT,
        description: 'Records of a page; 0: counts only.',
        examples: [25],
      }),
    ),
  },
  closed,
);

const position = Type.Object(
  { offset: Type.Integer({ minimum: 0 }), length: Type.Integer({ minimum: 0 }) },
  { ...closed, description: 'Where in the query the fault is, in UTF-16 units.' },
);

/** The problem document of a status: its codes are those of the table in errors.ts. */
export function problemSchema(status: number) {
  return Type.Object(
    {
      type: Type.String({ description: 'Where the code is explained.' }),
      title: Type.String(),
      status: Type.Literal(status),
      detail: Type.String({ description: 'What was expected and what was found.' }),
      code: Type.Enum(codesOf(status), {
        type: 'string',
        description: 'Never renamed within /api/v1.',
      }),
      request_id: Type.String({ description: 'The same as in the header `X-Request-Id`.' }),
      ...(status === 400 ? { position: Type.Optional(position) } : {}),
    },
    { ...closed, $id: `Problem${status}` },
  );
}

/** The codes with this status that the endpoints give: not those that belong to other parts of the service. */
export function codesOf(status: number): ProblemCode[] {
  const others: readonly ProblemCode[] = ['before_without_after'];
  const codes = Object.keys(PROBLEMS) as ProblemCode[];
  return codes.filter((code) => PROBLEMS[code].status === status && !others.includes(code));
}
