// The OpenAPI 3.1 document, made of the schemas by @fastify/swagger.

import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Kind } from '../model/record.ts';
import { EXAMPLES, exampleProblems } from './examples.ts';
import { PROBLEM_TYPE } from './problems.ts';
import {
  CommentSchema,
  CommentsEnvelopeSchema,
  CommunitySchema,
  HealthSchema,
  PostSchema,
  PostsEnvelopeSchema,
  ProblemSchema,
  SearchHeadersSchema,
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
        'Search over the posts and comments of a discussion site: exact counts, complete paging. Paging, errors and limits are explained in the documentation. Within /api/v1 new fields and new codes of errors may come: clients pass over what they do not know.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'this server' }],
    tags: [
      { name: 'search', description: 'The two endpoints.' },
      { name: 'service', description: 'The server itself.' },
    ],
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer clq_…`.' },
      },
    },
  },
  convertConstToEnum: false,
  exposeHeadRoutes: true,
  refResolver: { buildLocalReference: (json, _baseUri, _fragment, i) => `${json.$id ?? `def-${i}`}` },
};

/** Makes the named schemas known; the routes refer to them. */
export function addSchemas(server: FastifyInstance): void {
  const answers = [PostsEnvelopeSchema, CommentsEnvelopeSchema, ProblemSchema, HealthSchema];
  for (const schema of [CommunitySchema, PostSchema, CommentSchema, ...answers]) server.addSchema(schema);
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
  503: 'too busy, the query took too long, or the index cannot be read',
};

/** Header of an answer, as OpenAPI writes it. */
function header(description: string): { type: 'string'; description: string } {
  return { type: 'string', description };
}

type Headers = Record<string, ReturnType<typeof header>>;

const commonHeaders: Headers = { 'X-Request-Id': header('Our name for this request, on every answer.') };

/** On answers to a valid key. */
const quotaHeaders: Headers = {
  RateLimit: header(
    '`"burst";r=n;t=s`: n requests are left now, all of them again in s seconds. Where a limit is set.',
  ),
  'RateLimit-Policy': header(
    '`"burst";q=n;w=s`: the bucket holds n requests and fills in s seconds; `"minute"`: the pace. Where a limit is set.',
  ),
};

/** Statuses given behind the check of the key. */
const KEYED: readonly number[] = [400, 429, 500, 503];

const headersOfStatus: Readonly<Record<number, Headers>> = {
  401: { 'WWW-Authenticate': header('`Bearer`, with `error="invalid_token"` where a key was given.') },
  405: { Allow: header('The methods of the path.') },
  429: { 'Retry-After': header('Seconds to wait.') },
  503: { 'Retry-After': header('Seconds to wait.') },
};

const pageHeaders: Headers = {
  ETag: header('Weak tag of the answer, for `If-None-Match`.'),
  'Cache-Control': header('`private, no-cache`: the caller may keep the answer, and asks each time.'),
  Link: header('`<address>; rel="next"`: the next page; only where there is one.'),
  'Colloquy-Page': header('`short` where the page ended before `limit` for its bytes; else absent.'),
  'Colloquy-Dropped': header(
    'What was written and is not searched for, as a list of display strings (RFC 9651): words whose signs were dropped (`C++` finds `C`), items without a word (`&`). At most 20; only where something was.',
  ),
  'Colloquy-Implied': header('The `after:` that was added to the query; only where one was.'),
};

/** Schemas of one endpoint, for GET and for HEAD. `envelopeId` names the schema of its envelope. */
export function searchRouteSchemas(
  kind: Kind,
  envelopeId: string,
): { get: FastifySchema; head: FastifySchema } {
  const shared = { tags: ['search'], security: [{ key: [] }], querystring: SearchQuerySchema };
  const page = {
    description: 'The records of one page.',
    headers: { ...commonHeaders, ...quotaHeaders, ...pageHeaders },
  };
  const notModified = {
    ...page,
    type: 'null',
    description: 'The answer is the one that `If-None-Match` names.',
  };
  const content = {
    'application/json': {
      schema: { $ref: `${envelopeId}#` },
      examples: { page: { value: EXAMPLES[kind] } },
    },
  };
  const responses = (isHead: boolean) => ({
    200: isHead ? { ...page, type: 'null', description: 'The headers of GET.' } : { ...page, content },
    304: notModified,
    ...Object.fromEntries(PROBLEM_STATUSES.map((status) => [status, problemResponse(status, isHead)])),
  });
  return {
    get: {
      ...shared,
      operationId: `search_${kind}s`,
      summary: `Search ${kind}s`,
      description: `Matching ${kind}s in the order asked for, with the exact number of all matches.`,
      headers: SearchHeadersSchema,
      response: responses(false),
    } as FastifySchema,
    head: {
      ...shared,
      operationId: `head_${kind}s`,
      summary: `Headers of a search of ${kind}s`,
      description: 'Status and headers of the same GET, without its body.',
      headers: SearchHeadersSchema,
      response: responses(true),
    } as FastifySchema,
  };
}

function problemResponse(status: (typeof PROBLEM_STATUSES)[number], isHead: boolean): object {
  const content = {
    [PROBLEM_TYPE]: { schema: { $ref: 'Problem#' }, examples: exampleProblems(status) },
  };
  return {
    description: `Problem: ${STATUS_WORDS[status]}`,
    headers: {
      ...commonHeaders,
      ...(KEYED.includes(status) ? quotaHeaders : {}),
      ...headersOfStatus[status],
    },
    ...(isHead ? { type: 'null' } : { content }),
  };
}

/** Links of answers, by status and name. */
export type AnswerLinks = Record<string, Record<string, AnswerLink>>;

interface AnswerLink {
  operationId: string;
  description: string;
  parameters: Record<string, string>;
}

/** How a page leads to the next one (OpenAPI 3.1, Link Object), for GET of an endpoint. */
export function pageLinks(kind: Kind): AnswerLinks {
  return {
    200: {
      next: {
        operationId: `search_${kind}s`,
        description: 'The next page: the header `Link` holds its whole address, where there is one.',
        parameters: {
          query: '$response.body#/query',
          after: '$response.body#/sort_key/0/0',
          order_by: '$request.query.order_by',
          limit: '$request.query.limit',
        },
      },
    },
  };
}

/** Schema of a path that says whether the server is ready. */
export function healthRouteSchema(operationId: string, summary: string): FastifySchema {
  return {
    operationId,
    tags: ['service'],
    summary,
    description: 'Needs no key. A 503 names the kind whose index cannot be read.',
    security: [],
    response: {
      200: {
        description: 'Questions about both kinds can be answered.',
        headers: commonHeaders,
        content: {
          'application/json': {
            schema: { $ref: 'Health#' },
            examples: { ok: { value: { status: 'ok', posts: 'ok', comments: 'ok' } } },
          },
        },
      },
      503: problemResponse(503, false),
    },
  } as FastifySchema;
}
