// Streams a body in chunks, as fast as the caller takes them, with trailers at the end. A fault closes the connection
// without the last chunk, so that a cut body never looks whole. Contract 9.3.

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
  /** Iterated at most once; each piece is freed once it is sent. Ends or throws once the request is aborted. */
  readonly pieces: AsyncIterable<readonly Uint8Array[]>;
  trailers(): Fields;
}

/** An answer whose body is made only if it is sent. */
export interface StreamedAnswer {
  /** The entity tag of the body, without making it; null: none. Cheap. */
  etag(): Promise<string | null>;
  /** The headers of the body, including `ETag`. */
  head(): Promise<Fields>;
  /** Throws a ServiceError if the body cannot be made: nothing has been sent yet. */
  open(): Promise<StreamedBody>;
}

export interface StreamLimits {
  /** Milliseconds in which the caller must take at least a byte. */
  readonly stalledMs: number;
  /** Milliseconds for the whole body. */
  readonly maxMs: number;
}

/** Throws `malformed_request` for HTTP/1.0, which has no chunks: a cut body would look whole. */
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
  /** Request header that the answer depends on. */
  readonly vary: string;
}

/** Sends 304, headers for HEAD, or the whole body. Throws a ServiceError before the first byte only. */
export async function answerStreamed(
  answer: StreamedAnswer,
  { limits, log, vary }: StreamSettings,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  expectChunks(request.raw.httpVersion);
  // `no-transform`: the digest refers to these exact bytes, so no proxy may compress them.
  reply.headers({ 'Cache-Control': `${REVALIDATED}, no-transform`, Vary: vary });
  const known = request.headers['if-none-match'];
  const etag = known === undefined ? null : await answer.etag();
  if (etag !== null && isNoneMatch(known, etag)) return reply.header('ETag', etag).code(304).send();
  if (request.method === 'HEAD') return reply.headers(await answer.head()).send();
  const body = await answer.open();
  await sendStream(reply.headers(body.headers), body, { limits, log });
  return reply;
}

/** Resolves when all is sent or the connection is closed; logs faults and reached limits. Disposes of the body. */
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
    // The first header: curl takes a head that is cut before it for an answer without a body.
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

/** Resolves when the caller is ready for more; rejects once the connection is closed. */
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
  /** The limit that closed the connection; null: none. */
  readonly reached: keyof StreamLimits | null;
}

function watchLimits(raw: ServerResponse, { stalledMs, maxMs }: StreamLimits): LimitWatch {
  let reached: LimitWatch['reached'] = null;
  const breakOff = (limit: keyof StreamLimits) => {
    reached = limit;
    raw.destroy();
  };
  const timer = setTimeout(breakOff, maxMs, 'maxMs');
  const { socket } = raw;
  // An injected request has no real socket.
  if (socket instanceof Socket) {
    raw.setTimeout(stalledMs, () => {
      // With nothing to send, this server is slow, not the caller.
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
