// The OpenAPI 3.1 document, which @fastify/swagger makes from the schemas.

import { readFileSync } from 'node:fs';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { PROBLEMS, type ProblemCode, ServiceError } from '../../errors.ts';
import { type BytesOperation, type Operation, operationIdOf, wordsOf } from '../../operation/operation.ts';
import { type Properties, parameterSchema, Type } from '../../operation/parameters.ts';
import { PROBLEM_TYPE, type Problem, problemOf } from '../answers/problems.ts';
import {
  CommentFieldsSchema,
  CommentSchema,
  CommunitySchema,
  HealthSchema,
  LiveSchema,
  PostFieldsSchema,
  PostSchema,
  ProblemSchema,
  RequestHeadersSchema,
} from './schemas.ts';

const PROBLEM_STATUSES = [400, 401, 404, 405, 413, 414, 421, 429, 431, 500, 501, 503] as const;

const FILE_STATUSES = [410, 416] as const;

type ProblemStatus = (typeof PROBLEM_STATUSES | typeof FILE_STATUSES)[number];

export const OPENAPI_OPTIONS: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Colloquy',
      version: '1',
      description:
        'Search over the posts and comments of a discussion site: exact counts, complete paging. ' +
        'Paging, errors and limits are explained in the documentation. ' +
        'Within /api/v1 new fields and new codes of errors may come: ' +
        'clients pass over what they do not know.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'this server' }],
    tags: [
      { name: 'search', description: 'The two endpoints, and records by their ids.' },
      { name: 'analysis', description: 'Counts, pictures and parts of results.' },
      { name: 'export', description: 'Whole results, as files.' },
      { name: 'datasets', description: 'Results that are published as files.' },
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

export function addSchemas(server: FastifyInstance): void {
  const answers = [ProblemSchema, HealthSchema, LiveSchema];
  const records = [PostSchema, PostFieldsSchema, CommentSchema, CommentFieldsSchema];
  for (const schema of [CommunitySchema, ...records, ...answers]) server.addSchema(schema);
}

const STATUS_WORDS: Readonly<Record<ProblemStatus, string>> = {
  400: 'the query, a parameter or the request is not understood',
  401: 'key missing or not valid',
  404: 'no such path, or nothing of what was asked for is here',
  405: 'method not allowed',
  410: 'the data set is withdrawn, and being rebuilt',
  413: 'body too large',
  414: 'address too long',
  416: 'no byte of the file is in the range',
  421: 'the host that was named is not answered here',
  429: 'too many requests, or too many exports at once',
  431: 'headers too large',
  500: 'a fault of ours',
  501: 'the search engine of this server cannot answer it',
  503: 'too busy, the query took too long, or the index cannot be read, written or reached',
};

/** Headers in OpenAPI's form, of descriptions by name. */
function headersOf(descriptions: Readonly<Record<string, string>>): object {
  const headers = Object.entries({ ...COMMON_HEADERS, ...descriptions });
  return Object.fromEntries(headers.map(([name, description]) => [name, { type: 'string', description }]));
}

const COMMON_HEADERS = { 'X-Request-Id': 'Our name for this request, on every answer.' };

/** On answers to a valid key. */
const QUOTA_HEADERS = {
  RateLimit:
    '`"burst";r=n;t=s`: the account has n requests left now, with whichever key, and all of them again in s ' +
    'seconds. Where a limit is set.',
  'RateLimit-Policy':
    '`"burst";q=n;w=s`: the bucket holds n requests and fills in s seconds; `"minute"`: the pace. ' +
    'Where a limit is set.',
};

/** Statuses of answers after the key has been accepted. */
const KEYED: readonly number[] = [400, 410, 416, 429, 500, 501, 503];

const HEADERS_OF_STATUS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': '`Bearer`, with `error="invalid_token"` where a key was given.' },
  405: { Allow: 'The methods of the path.' },
  416: { 'Content-Range': '`bytes */<bytes of the file>`.' },
  429: { 'Retry-After': 'Seconds to wait.' },
  503: { 'Retry-After': 'Seconds to wait.' },
};

/** On successful answers, which can be requested again with `If-None-Match`. */
const ANSWER_HEADERS = {
  ETag: 'Weak tag of the answer, for `If-None-Match`.',
  'Cache-Control': '`private, no-cache`: the caller may keep the answer, and asks each time.',
};

type Described = Pick<
  Operation,
  'parameters' | 'operationId' | 'name' | 'kind' | 'summary' | 'description' | 'tag' | 'isOpen' | 'isTool'
> &
  Pick<BytesOperation, 'isFile'>;

interface AnswerDescription {
  readonly description: string;
  /** By media type: a schema, or where one stands (`$ref`), and examples by name. */
  readonly content: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** Schemas of GET and HEAD. `parts`: of the path; absent: there are none. A tool says so as `x-tool`. */
export function endpointSchemas(
  operation: Described,
  parts: Properties | undefined,
  { description, content, headers: named }: AnswerDescription,
): { readonly schema: FastifySchema; readonly headSchema: FastifySchema } {
  const { parameters, tag, isOpen = false, isTool = false, isFile = false } = operation;
  const shared = {
    ...(parts && { params: Type.Object(parts) }),
    tags: [tag],
    security: isOpen ? [] : [{ key: [] }],
    querystring: parameterSchema(parameters),
    ...(isOpen ? {} : { headers: RequestHeadersSchema }),
  };
  const operationId = operationIdOf(operation);
  const summary = wordsOf(operation, operation.summary);
  const headers = headersOf(isOpen ? {} : { ...QUOTA_HEADERS, ...ANSWER_HEADERS, ...named });
  const part = { headers, description: 'The part of the file that `Range` asks for.', content };
  const statuses = isOpen ? OPEN_STATUSES : [...PROBLEM_STATUSES, ...(isFile ? FILE_STATUSES : [])];
  const problems = (isHead: boolean) =>
    Object.fromEntries(statuses.map((status) => [status, problemResponse(status, isHead)]));
  return {
    schema: {
      ...{ ...shared, operationId, summary, description: wordsOf(operation, operation.description) },
      response: {
        200: { description, headers, content },
        ...(isFile && { 206: part }),
        304: { headers, ...NOT_MODIFIED },
        ...problems(false),
      },
      ...(isTool && { 'x-tool': true }),
    },
    headSchema: {
      ...{ ...shared, operationId: `head_${operationId}` },
      summary: `Headers of ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
      description: 'Status and headers of the same GET, without its body.',
      response: {
        200: { description: 'The headers of GET.', headers, type: 'null' },
        304: { headers, ...NOT_MODIFIED },
        ...problems(true),
      },
    },
  };
}

/** Problems of a path that needs no key and asks nothing of the index. */
const OPEN_STATUSES = [400, 404, 405, 414, 431, 500] as const;

function problemResponse(status: ProblemStatus, isHead: boolean): object {
  const content = {
    [PROBLEM_TYPE]: { schema: { $ref: 'Problem#' }, examples: exampleProblems(status) },
  };
  const headers = headersOf({ ...(KEYED.includes(status) && QUOTA_HEADERS), ...HEADERS_OF_STATUS[status] });
  return {
    ...{ description: `Problem: ${STATUS_WORDS[status]}`, headers },
    ...(isHead ? { type: 'null' } : { content }),
  };
}

const REQUEST_ID = '0fd045ec-b9a4-4033-9b3b-6e66b49041ab';

/** A problem of each code that endpoints give. test/examples.test.ts compares those of queries with the real ones. */
const EXAMPLES: Readonly<Partial<Record<ProblemCode, Pick<Problem, 'detail' | 'position'>>>> = JSON.parse(
  readFileSync(new URL('example-problems.json', import.meta.url), 'utf8'),
);

/** In the order of errors.ts. */
function exampleProblems(status: number): Readonly<Record<string, { summary: string; value: Problem }>> {
  const examples = (Object.keys(PROBLEMS) as ProblemCode[]).flatMap((code) => {
    const { title: summary, status: own } = PROBLEMS[code];
    const example = EXAMPLES[code];
    if (own !== status || example === undefined) return [];
    const { detail, ...place } = example;
    return [[code, { summary, value: problemOf(new ServiceError(code, detail, place), REQUEST_ID) }]];
  });
  return Object.fromEntries(examples);
}

const NOT_MODIFIED = {
  type: 'null',
  description: 'The answer has not changed: it is the one named by `If-None-Match`.',
};

export interface StateDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: 'Health' | 'Live';
  /** When it is 200, and the answer then. */
  readonly answers: string;
  readonly answer: object;
}

export function stateSchema({ schema, answers, answer, ...words }: StateDescription): FastifySchema {
  const content = { schema: { $ref: `${schema}#` }, examples: { ok: { value: answer } } };
  return {
    ...{ ...words, tags: ['service'], security: [] },
    response: {
      200: { description: answers, headers: headersOf({}), content: { 'application/json': content } },
      ...(schema === 'Health' && { 503: problemResponse(503, false) }),
    },
  };
}
