// How a successful answer is sent: entity tag (RFC 9110, 8.8.3 and 13.1.2), 304, content coding, caching headers. A
// large body stays in pieces from end to end: each is let go of once it has been compressed or sent.

import { createHash, hash as hashWhole } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { turn } from '../requests/turns.ts';
import { nowTakes } from './bytes-under-way.ts';
import { type Coding, chooseCoding, compress, type Effort, MIN_COMPRESSED_BYTES } from './compression.ts';

/** Compressed forms of one body, made when they are first asked for. */
export type KeptCodings = Map<Coding, Promise<readonly Buffer[]>>;

export interface Representation {
  /** A text, or bytes in pieces. */
  readonly body: string | readonly Buffer[];
  readonly type: string;
  /** `Cache-Control`. */
  readonly caching: string;
  /** Headers besides `Accept-Encoding` that the answer depends on. */
  readonly vary?: readonly string[];
  /** Its tag, where that follows from less than the body; absent: it is made of the body. */
  readonly etag?: string;
  /** For a body that never changes; absent: compressed each time. */
  readonly codings?: KeptCodings;
  /** Spent on compressing it; absent: `small`. */
  readonly effort?: Effort;
}

/** Tables with a header. */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** A cache may store it for its caller, and must ask each time whether it is still valid. */
export const REVALIDATED = 'private, no-cache';

/** How long a caller may take no byte of an answer that waits for it, in milliseconds. */
export const STALLED_ANSWER_MS = 15_000;
/** An answer is taken at this pace at the least, counted from STALLED_ANSWER_MS on. */
export const SLOWEST_BYTES_A_SECOND = 16_384;

export async function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, type, caching, vary = [], codings, etag: given, effort }: Representation,
): Promise<FastifyReply> {
  const plain = typeof body === 'string' ? [Buffer.from(body)] : body;
  const etag = given ?? (await etagOf(plain));
  reply.headers({ ETag: etag, 'Cache-Control': caching, Vary: [...vary, 'Accept-Encoding'].join(', ') });
  if (isNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('Content-Type', type);
  nowTakes(reply.raw, bytesOf(plain));
  const coding =
    bytesOf(plain) < MIN_COMPRESSED_BYTES ? null : chooseCoding(request.headers['accept-encoding']);
  if (coding === null) return sendPieces(request, reply, plain);
  reply.header('Content-Encoding', coding);
  const compressed = codings?.get(coding) ?? compress(plain, coding, effort);
  codings?.set(coding, compressed);
  return sendPieces(request, reply, await compressed);
}

function sendPieces(request: FastifyRequest, reply: FastifyReply, pieces: readonly Buffer[]): FastifyReply {
  const { raw } = reply;
  const bytes = bytesOf(pieces);
  reply.header('Content-Length', bytes);
  nowTakes(raw, bytes);
  if (request.method === 'HEAD') return reply.send();
  if (pieces.length > 1) {
    expectTaking(raw, bytes);
    return reply.send(Readable.from(handedOver(raw, pieces, bytes)));
  }
  reply.send(pieces[0]);
  // Mostly the system has taken all of it.
  if (!raw.writableEnded || raw.writableLength > 0) expectTaking(raw, bytes);
  return reply;
}

/** The pieces, each of which is held no longer than until the next one is asked for. */
function* handedOver(raw: ServerResponse, pieces: readonly Buffer[], bytes: number): Generator<Buffer> {
  const left = [...pieces];
  let held = bytes;
  for (let piece = left.shift(); piece !== undefined; piece = left.shift()) {
    yield piece;
    held -= piece.length;
    nowTakes(raw, held);
  }
}

/** Breaks the connection of a caller who does not take the answer, or too slowly. */
function expectTaking(raw: ServerResponse, bytes: number): void {
  // An injected request has no socket of the system.
  if (!(raw.socket instanceof Socket)) return;
  // @NOTE without a listener, Node destroys a socket on which nothing moved; at its first look it only notes how much
  // waits to be taken, at the second that it is still as much.
  raw.setTimeout(STALLED_ANSWER_MS / 2);
  const mostMs = STALLED_ANSWER_MS + (bytes / SLOWEST_BYTES_A_SECOND) * 1000;
  const timer = setTimeout(() => raw.destroy(), mostMs).unref();
  for (const end of ['close', 'finish']) raw.once(end, () => clearTimeout(timer));
}

function bytesOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** The tag of a body, in pieces or not. Weak, since one answer has a form for each content coding. */
export async function etagOf(body: string | readonly Buffer[]): Promise<string> {
  if (typeof body === 'string') return tagOf(hashWhole('sha256', body, 'base64url'));
  if (body.length === 1) return tagOf(hashWhole('sha256', body[0]!, 'base64url'));
  const hash = createHash('sha256');
  for (const [i, piece] of body.entries()) {
    // Hashing a large body lets others have their turn.
    if (i > 0) await turn();
    hash.update(piece);
  }
  return tagOf(hash.digest('base64url'));
}

function tagOf(hash: string): string {
  return `W/"${hash.slice(0, 22)}"`;
}

/** True if the header `If-None-Match` names this tag: alone, in a list, or by `*`. Weak comparison. */
export function isNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaque);
}
