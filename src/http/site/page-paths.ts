// Paths of pages: those to read, and those that forms are sent to.

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { MAX_FORM_BYTES } from './form-body.ts';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Not in the OpenAPI document. */
const HIDDEN: FastifySchema = { hide: true };

/** GET and HEAD. */
export function addPageRead(server: FastifyInstance, path: string, handler: Handler): void {
  for (const method of ['GET', 'HEAD'] as const) server.route({ method, url: path, schema: HIDDEN, handler });
}

export interface FormOptions {
  /** Bytes; absent: MAX_FORM_BYTES. */
  readonly bodyLimit?: number;
  /** Before the form is read; it may answer instead of the handler. */
  readonly onRequest?: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;
}

/** POST of a form. */
export function addPageForm(
  server: FastifyInstance,
  path: string,
  handler: Handler,
  { bodyLimit = MAX_FORM_BYTES, onRequest }: FormOptions = {},
): void {
  const before = onRequest === undefined ? {} : { onRequest };
  server.route({ method: 'POST', url: path, schema: HIDDEN, bodyLimit, handler, ...before });
}
