// Bodies of forms: `application/x-www-form-urlencoded`, small, read by the same rules as query strings.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseQueryString } from '../query-string.ts';

/** The most bytes a form may have. */
export const MAX_FORM_BYTES = 65_536;

/** The fields of a form; the first of one that is given twice. */
type Form = ReadonlyMap<string, string>;

/** Lets routes read forms. A broken escape is a 400 `bad_encoding`. */
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
