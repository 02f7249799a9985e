// Paths of pages: those to read, and those that forms are sent to, with the fields of the forms.

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { parseQueryString } from '../../operation/query-string.ts';

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

/** The most bytes a form may have. */
export const MAX_FORM_BYTES = 65_536;

/** The fields of a form; the first of one that is given twice. */
type Form = ReadonlyMap<string, string>;

/**
 * Lets routes read forms: `application/x-www-form-urlencoded`, read by the same rules as query strings. A broken
 * escape is a 400 `bad_encoding`.
 */
export function addFormParser(server: FastifyInstance): void {
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES },
    async (_request: FastifyRequest, body: Buffer) => {
      const form = new Map<string, string>();
      for (const { name, value } of parseQueryString(body.toString('latin1'))) {
        if (!form.has(name)) form.set(name, value);
      }
      return form;
    },
  );
}

/** The value of a field; null if the form does not have it, or the body is not a form. */
export function formField(request: FastifyRequest, name: string): string | null {
  return request.body instanceof Map ? ((request.body as Form).get(name) ?? null) : null;
}
