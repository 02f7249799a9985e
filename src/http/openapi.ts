// The OpenAPI 3.1 document, made of the schemas by @fastify/swagger.

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { EXAMPLE_PROBLEMS } from './examples.ts';
import { PROBLEM_TYPE } from './problems.ts';
import {
  CommentSchema,
  CommentsEnvelopeSchema,
  CommunitySchema,
  PostSchema,
  PostsEnvelopeSchema,
  problemSchema,
  SearchQuerySchema,
} from './schemas.ts';

/** Statuses of the endpoints that have a problem document. */
export const PROBLEM_STATUSES = [400, 401, 404, 405, 413, 414, 429, 431, 500, 503] as const;

export const OPENAPI_OPTIONS: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Colloquy',
      version: '1',
      description:
        'Search over the posts and comments of a discussion site: exact counts, complete paging. Paging, errors and limits are explained in the documentation.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'this server' }],
    tags: [{ name: 'search', description: 'The two endpoints.' }],
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer clq_…`.' },
      },
    },
  },
  convertConstToEnum: false,
  refResolver: { buildLocalReference: (json, _baseUri, _fragment, i) => `${json.$id ?? `def-${i}`}` },
};

/** Makes the named schemas known; the routes refer to them. */
export function addSchemas(server: FastifyInstance): void {
  const named = [CommunitySchema, PostSchema, CommentSchema, PostsEnvelopeSchema, CommentsEnvelopeSchema];
  for (const schema of [...named, ...PROBLEM_STATUSES.map(problemSchema)]) server.addSchema(schema);
}

/** Header of an answer, as OpenAPI writes it. */
function header(description: string): { type: 'string'; description: string } {
  return { type: 'string', description };
}

const commonHeaders = { 'X-Request-Id': header('Our name for this request, on every answer.') };

/** On answers to a valid key. */
const quotaHeaders = {
  RateLimit: header('What is left of the quota; where a rate limit is set.'),
  'RateLimit-Policy': header('The quota; where a rate limit is set.'),
};

/** Statuses given behind the check of the key. */
const KEYED: readonly number[] = [400, 429, 500, 503];

const headersOfStatus: Readonly<Record<number, Record<string, ReturnType<typeof header>>>> = {
  401: { 'WWW-Authenticate': header('`Bearer`, with `error="invalid_token"` where a key was given.') },
  405: { Allow: header('The methods of the path.') },
  429: { 'Retry-After': header('Seconds to wait.') },
  503: { 'Retry-After': header('Seconds to wait.') },
};

const representationHeaders = {
  ETag: header('Weak tag of the answer, for `If-None-Match`.'),
  'Colloquy-Dropped': header(
    'What was written and is not searched for, as a list of display strings (RFC 9651): words whose signs were dropped (`C++` finds `C`), items without a word (`&`). At most 20; only where something was.',
  ),
  'Colloquy-Implied': header('The `after:` that was added to the query; only where one was.'),
};

/** Schema of one endpoint. `envelopeId` names the schema of its envelope. */
export function searchRouteSchema(
  kind: 'post' | 'comment',
  envelopeId: string,
  example: unknown,
): FastifySchema {
  const problems = PROBLEM_STATUSES.map((status) => [
    status,
    {
      description: `Problem: ${STATUS_WORDS[status]}`,
      headers: {
        ...commonHeaders,
        ...(KEYED.includes(status) ? quotaHeaders : {}),
        ...headersOfStatus[status],
      },
      content: {
        [PROBLEM_TYPE]: {
          schema: { $ref: `Problem${status}#` },
          examples: { problem: { value: EXAMPLE_PROBLEMS[status] } },
        },
      },
    },
  ]);
  return {
    operationId: `search_${kind}s`,
    tags: ['search'],
    summary: `Search ${kind}s`,
    description: `Matching ${kind}s in the order asked for, with the exact number of all matches.`,
    security: [{ key: [] }],
    querystring: SearchQuerySchema,
    response: {
      200: {
        description: 'The records of one page.',
        headers: { ...commonHeaders, ...quotaHeaders, ...representationHeaders },
        content: {
          'application/json': { schema: { $ref: `${envelopeId}#` }, examples: { page: { value: example } } },
        },
      },
      304: {
        type: 'null',
        description: 'The answer is the one that `If-None-Match` names.',
        headers: { ...commonHeaders, ...quotaHeaders, ...representationHeaders },
      },
      ...Object.fromEntries(problems),
    },
  } as FastifySchema;
}

const STATUS_WORDS: Readonly<Record<(typeof PROBLEM_STATUSES)[number], string>> = {
  400: 'the query, a parameter or the request is not understood',
  401: 'key missing or not valid',
  404: 'no such path',
  405: 'method not allowed',
  413: 'body too large',
  414: 'address too long',
  429: 'too many requests',
  431: 'headers too large',
  500: 'a fault of ours',
  503: 'too busy, or the query took too long',
};
