// A path of a page that is only read.

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** GET and HEAD, outside of the OpenAPI document. */
export function addPageRead(server: FastifyInstance, path: string, handler: Handler): void {
  const schema = { hide: true } as FastifySchema;
  for (const method of ['GET', 'HEAD'] as const) server.route({ method, url: path, schema, handler });
}
