// The way out of a successful answer: entity tag, 304, content coding, caching headers.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseCoding, compress, MIN_COMPRESSED_BYTES } from './compression.ts';
import { etagOf, isNoneMatch } from './etag.ts';

export interface Representation {
  readonly body: string;
  readonly type: string;
  /** `Cache-Control`. */
  readonly caching: string;
  /** Headers besides `Accept-Encoding` that the answer depends on. */
  readonly vary?: readonly string[];
}

/** A cache may keep it for its caller, and asks each time whether it still holds. */
export const REVALIDATED = 'private, no-cache';

export async function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, type, caching, vary = [] }: Representation,
): Promise<FastifyReply> {
  const etag = etagOf(body);
  reply.headers({ ETag: etag, 'Cache-Control': caching, Vary: [...vary, 'Accept-Encoding'].join(', ') });
  if (isNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('Content-Type', type);
  const bytes = Buffer.from(body);
  const coding =
    bytes.length < MIN_COMPRESSED_BYTES ? null : chooseCoding(request.headers['accept-encoding']);
  if (coding === null) return reply.send(bytes);
  reply.header('Content-Encoding', coding);
  return reply.send(await compress(bytes, coding));
}
