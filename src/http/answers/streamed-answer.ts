// How a body is sent that is made while it is sent: in chunks, as fast as the caller takes them, with trailers behind
// it. A fault breaks the connection, so that a body that was cut has no last chunk and never looks whole. Contract 9.3.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { letGo } from './bytes-under-way.ts';
import { isNoneMatch, REVALIDATED } from './representation.ts';

type Fields = Readonly<Record<string, string>>;

export interface StreamedBody extends AsyncDisposable {
  readonly headers: Fields;
  readonly trailerNames: readonly string[];
  /**
   * In order; they are let go of once they are sent. Iterated at most once; it ends, or throws, once the signal that it
   * was opened with is aborted.
   */
  readonly pieces: AsyncIterable<readonly Uint8Array[]>;
  trailers(): Fields;
}

/** An answer whose body is only made if it is sent. */
export interface StreamedAnswer {
  /** The entity tag that the body would have now; null: none is claimed. Cheap. */
  etag(): Promise<string | null>;
  /** The headers of the body that `open` would give, its `ETag` among them. */
  head(): Promise<Fields>;
  /** Throws what the caller can act on: nothing has been sent yet. */
  open(): Promise<StreamedBody>;
}

export interface StreamLimits {
  /** How long the caller may take no byte of what waits for it, in milliseconds. */
  readonly stalledMs: number;
  /** How long it may take as a whole, in milliseconds. */
  readonly maxMs: number;
}

/** Only chunks tell a whole body from one that was cut. Throws `malformed_request` for HTTP/1.0, which has none. */
function expectChunks(httpVersion: string): void {
  if (httpVersion !== '1.0') return;
  throw new ServiceError(
    'malformed_request',
    'expected HTTP/1.1, since in HTTP/1.0 a body that was cut looks whole, found HTTP/1.0; ' +
      'behind nginx, set `proxy_http_version 1.1`',
  );
}

interface StreamSettings {
  readonly limits: StreamLimits;
  readonly log: Logger;
  /** Header that the answer depends on. */
  readonly vary: string;
}

/** 304, the headers alone for HEAD, or the whole answer. Throws what the caller can act on before the first byte. */
export async function answerStreamed(
  answer: StreamedAnswer,
  { limits, log, vary }: StreamSettings,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  expectChunks(request.raw.httpVersion);
  // No proxy may add a content coding either: the digest is of the bytes as they are.
  reply.headers({ 'Cache-Control': `${REVALIDATED}, no-transform`, Vary: vary });
  const known = request.headers['if-none-match'];
  const etag = known === undefined ? null : await answer.etag();
  if (etag !== null && isNoneMatch(known, etag)) return reply.header('ETag', etag).code(304).send();
  if (request.method === 'HEAD') return reply.headers(await answer.head()).send();
  const body = await answer.open();
  await sendStream(reply.headers(body.headers), body, { limits, log });
  return reply;
}

/**
 * Resolves when all is sent, or the connection is broken: the caller left, a limit was reached, or the body failed
 * (logged). Disposes of the body.
 */
async function sendStream(
  reply: FastifyReply,
  body: StreamedBody,
  { limits, log }: { readonly limits: StreamLimits; readonly log: Logger },
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  const requestId = reply.request.id;
  await using _ = body;
  using watch = watchLimits(raw, limits);
  try {
    // First, since curl and others take a head that was cut before it for an answer without a body.
    raw.setHeader('Transfer-Encoding', 'chunked');
    for (const [name, value] of Object.entries(reply.getHeaders())) raw.setHeader(name, value ?? '');
    raw.setHeader('Trailer', body.trailerNames.join(', '));
    raw.flushHeaders();
    for await (const pieces of body.pieces) {
      raw.cork();
      for (const piece of pieces) raw.write(piece, () => letGo(piece));
      raw.uncork();
      await taken(raw);
    }
    raw.addTrailers(body.trailers());
    raw.end();
    await finished(raw);
  } catch (error) {
    if (!raw.destroyed) log.error({ requestId, error }, 'answer broken off');
    else if (watch.reached !== null) log.warn({ requestId, reached: watch.reached }, 'answer broken off');
  } finally {
    if (!raw.writableFinished) raw.destroy();
  }
}

/** Resolves when the caller has taken enough for more to be made; rejects once the connection is closed. */
async function taken(raw: ServerResponse): Promise<void> {
  if (raw.destroyed) throw new Error('expected an open connection, found it closed');
  if (!raw.writableNeedDrain) return;
  const gone = new AbortController();
  const onClose = () => gone.abort();
  raw.once('close', onClose);
  try {
    await once(raw, 'drain', { signal: gone.signal });
  } finally {
    raw.off('close', onClose);
  }
}

interface LimitWatch extends Disposable {
  /** Which limit has broken the connection; null: none. */
  readonly reached: keyof StreamLimits | null;
}

function watchLimits(raw: ServerResponse, { stalledMs, maxMs }: StreamLimits): LimitWatch {
  let reached: LimitWatch['reached'] = null;
  const breakOff = (limit: keyof StreamLimits) => {
    reached = limit;
    raw.destroy();
  };
  const timer = setTimeout(breakOff, maxMs, 'maxMs');
  // Where nothing waits for the caller, it is we who are slow.
  const { socket } = raw;
  // An injected request has no socket of the system.
  if (socket instanceof Socket) {
    raw.setTimeout(stalledMs, () => {
      if (socket.writableLength > 0) breakOff('stalledMs');
    });
  }
  return {
    get reached() {
      return reached;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
