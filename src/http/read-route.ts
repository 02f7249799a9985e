// A path that can only be read: GET, HEAD with the same headers, and OPTIONS for a browser's preflight.

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { PREFLIGHT_HEADERS } from './cors.ts';
import type { AnswerLinks } from './openapi.ts';

export const READ_METHODS = 'GET, HEAD, OPTIONS';

export interface ReadRoute {
  readonly path: string;
  /** Absent: the path is not in the OpenAPI document. */
  readonly schema?: FastifySchema;
  /** The same for HEAD. */
  readonly headSchema?: FastifySchema;
  /** Links of the answers to GET, by status, as in OpenAPI. */
  readonly links?: AnswerLinks;
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

export function addReadRoute(
  server: FastifyInstance,
  { path, schema, headSchema, links, handler }: ReadRoute,
): void {
  const hidden: FastifySchema = { hide: true };
  const shown = { schema: schema ?? hidden, ...(links === undefined ? {} : { links }) };
  server.route({ method: 'GET', url: path, ...shown, handler });
  server.route({ method: 'HEAD', url: path, schema: headSchema ?? hidden, handler });
  server.route({
    method: 'OPTIONS',
    url: path,
    schema: hidden,
    handler: async (_request, reply) =>
      reply
        .code(204)
        .headers({ ...PREFLIGHT_HEADERS, Allow: READ_METHODS })
        .send(),
  });
}
