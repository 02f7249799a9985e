// The thread endpoint: a post and what is said below it. Contract 5.13.

import type { FastifyInstance } from 'fastify';
import { Type } from '../../operation/json-schema.ts';
import { type ThreadResult, type ThreadService, threadJson } from '../../search/thread-service.ts';
import { apiThreadAddress, THREAD_PATH } from '../addresses/api.ts';
import { inPieces } from '../answers/json-pieces.ts';
import type { EndpointDescription } from '../operations/openapi.ts';
import {
  THREAD_EXAMPLES,
  THREAD_PARAMETERS,
  type ThreadParameters,
  type ThreadTable,
} from '../operations/thread.ts';
import { addKeyedRoute, type KeyedEndpoint, type KeyedRouteDeps } from './keyed-route.ts';

interface ThreadRouteDeps extends KeyedRouteDeps {
  readonly threads: ThreadService;
}

export function addThreadRoute(server: FastifyInstance, { threads, ...deps }: ThreadRouteDeps): void {
  const endpoint: KeyedEndpoint<ThreadTable> = {
    ...DESCRIPTION,
    path: `${THREAD_PATH}/:post`,
    parameters: THREAD_PARAMETERS,
    async handler(values, { pathParts, ownAddress, signal }) {
      const { post = '' } = pathParts;
      const result = await threads.thread({ post, ...values }, signal);
      return {
        body: await inPieces(threadJson(result)),
        headers: headersOf(result, post, values, ownAddress),
      };
    },
  };
  addKeyedRoute(server, deps, endpoint);
}

const HEADERS = {
  Link: '`<address>; rel="next"`: the next page; only where there is one.',
  'Colloquy-Page': '`short` where the page ended before `limit` for its bytes; else absent.',
} as const;

const DESCRIPTION: Omit<EndpointDescription, 'parameters'> = {
  operations: {
    get: {
      operationId: 'thread',
      summary: 'A post and its comments',
      description: [
        'The post, where it is here, and its comments that are here, with what each answers. A 404 where neither is.',
        'What answers a comment that is not here is listed all the same: its `depth` is null.',
      ].join(' '),
    },
    head: {
      operationId: 'head_thread',
      summary: 'Headers of a thread',
      description: 'Status and headers of the same GET, without its body.',
    },
  },
  tag: 'search',
  pathParameters: Type.Object({
    post: Type.String({
      description:
        'Id of the post, with or without `t3_`; or a link to it or to one of its comments, encoded.',
      examples: ['kofq2a'],
    }),
  }),
  answer: {
    description: 'The thread, or a page of it.',
    content: {
      'application/json': { schema: { $ref: 'Thread#' }, examples: THREAD_EXAMPLES },
    },
    headers: HEADERS,
  },
};

function headersOf(
  { answer, isShort }: ThreadResult,
  post: string,
  { around, limit, fields }: ThreadParameters,
  ownAddress: string,
): Partial<Record<keyof typeof HEADERS, string>> {
  const { next } = answer;
  const values = {
    ...(around === null ? {} : { around }),
    ...(limit === null ? {} : { limit }),
    ...(fields === null ? {} : { fields }),
  };
  return {
    ...(isShort ? { 'Colloquy-Page': 'short' } : {}),
    ...(next === null
      ? {}
      : { Link: `<${ownAddress}${apiThreadAddress(post, { ...values, after: next })}>; rel="next"` }),
  };
}
