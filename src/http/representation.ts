// How a successful answer is sent: entity tag, 304, content coding, caching headers.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Coding, chooseCoding, compress, MIN_COMPRESSED_BYTES } from './compression.ts';
import { etagOf, isNoneMatch } from './etag.ts';

/** Compressed forms of one body, made when they are first asked for. */
export type KeptCodings = Map<Coding, Promise<Buffer>>;

export interface Representation {
  /** A text, or bytes in pieces. */
  readonly body: string | readonly Buffer[];
  readonly type: string;
  /** `Cache-Control`. */
  readonly caching: string;
  /** Headers besides `Accept-Encoding` that the answer depends on. */
  readonly vary?: readonly string[];
  /** For a body that never changes; absent: compressed each time. */
  readonly codings?: KeptCodings;
}

/** Tables with a header. */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** A cache may store it for its caller, and must ask each time whether it is still valid. */
export const REVALIDATED = 'private, no-cache';

export async function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, type, caching, vary = [], codings }: Representation,
): Promise<FastifyReply> {
  const etag = await etagOf(body);
  reply.headers({ ETag: etag, 'Cache-Control': caching, Vary: [...vary, 'Accept-Encoding'].join(', ') });
  if (isNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('Content-Type', type);
  const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.concat(body);
  const coding =
    bytes.length < MIN_COMPRESSED_BYTES ? null : chooseCoding(request.headers['accept-encoding']);
  if (coding === null) return reply.send(bytes);
  reply.header('Content-Encoding', coding);
  const compressed = codings?.get(coding) ?? compress(bytes, coding);
  codings?.set(coding, compressed);
  return reply.send(await compressed);
}
