// Answers that are sent as fast as the caller takes them. A body in chunks, with trailers at the end: a fault closes
// the connection without the last chunk, so that a cut body never looks whole (contract 9.3). And a file, whole or a
// byte range, with its SHA-256 as a strong entity tag (RFC 9110, 13.2.2 and 14).

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { ServedFile, StreamedAnswer, StreamedBody } from '../../operation/operation.ts';
import { letGo } from './bytes-under-way.ts';
import { isNoneMatch, REVALIDATED } from './representation.ts';

export const STREAM_LIMITS = {
  /** Milliseconds in which the caller must take at least a byte; without traffic, every connection is closed then. */
  stalledMs: 120_000,
  /** Milliseconds for the whole body. */
  maxMs: 6 * 60 * 60 * 1000,
} as const;

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
  readonly log: Logger;
  /** Request header that the answer depends on. */
  readonly vary: string;
}

/** Sends 304, headers for HEAD, or the whole body. Throws a ServiceError before the first byte only. */
export async function answerStreamed(
  answer: StreamedAnswer,
  { log, vary }: StreamSettings,
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
  await sendStream(reply.headers(body.headers), body, log);
  return reply;
}

/** Resolves when all is sent or the connection is closed; logs faults and reached limits. Disposes of the body. */
async function sendStream(reply: FastifyReply, body: StreamedBody, log: Logger): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  const requestId = reply.request.id;
  await using _ = body;
  using watch = watchLimits(raw);
  try {
    // The first header: curl takes a head that is cut before it for an answer without a body.
    raw.setHeader('Transfer-Encoding', 'chunked');
    for (const [name, value] of Object.entries(reply.getHeaders())) raw.setHeader(name, value ?? '');
    raw.setHeader('Trailer', body.trailerNames.join(', '));
    raw.flushHeaders();
    for await (const { pieces, trailers } of body.blocks) {
      raw.cork();
      for (const piece of pieces) raw.write(piece, () => letGo(piece));
      raw.uncork();
      await taken(raw);
      if (trailers !== undefined) raw.addTrailers(trailers);
    }
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
  readonly reached: keyof typeof STREAM_LIMITS | null;
}

function watchLimits(raw: ServerResponse): LimitWatch {
  let reached: LimitWatch['reached'] = null;
  const breakOff = (limit: keyof typeof STREAM_LIMITS) => {
    reached = limit;
    raw.destroy();
  };
  const timer = setTimeout(breakOff, STREAM_LIMITS.maxMs, 'maxMs');
  const { socket } = raw;
  // An injected request has no real socket.
  if (socket instanceof Socket) {
    raw.setTimeout(STREAM_LIMITS.stalledMs, () => {
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

export const FILE_HEADERS = {
  'Accept-Ranges': '`bytes`.',
  'Last-Modified': 'When the data set was made.',
  'Repr-Digest': '`sha-256=:…:`, the digest of the whole file in base64 (RFC 9530); `ETag` has it in hex.',
  'Content-Disposition': 'The name of the file.',
  'Content-Range': 'With 206: `bytes <first>-<last>/<bytes of the file>`.',
} as const;

/** Disposes of the file, however the answer ends. `vary`: the request header that authenticates the caller. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile,
  { vary }: { readonly vary: string },
): Promise<FastifyReply> {
  await using held = new AsyncDisposableStack();
  held.use(file);
  const { headers } = request;
  const etag = `"${file.sha256}"`;
  const modified = new Date(file.made * 1000).toUTCString();
  // `no-transform`: ranges and digest refer to these exact bytes, so no proxy may compress them.
  reply.headers({ ETag: etag, 'Cache-Control': `${REVALIDATED}, no-transform`, Vary: vary });
  reply.headers({ 'Last-Modified': modified, 'Accept-Ranges': 'bytes' });
  if (isNotModified(headers, etag, file.made)) return reply.code(304).send();
  const isGet = request.method === 'GET';
  const asked = isGet && isRangeOf(headers['if-range'] as string | undefined, etag, modified);
  const range = asked ? readRange(headers.range, file.bytes) : null;
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${file.bytes}`);
    throw outside(file.bytes);
  }
  const { start, end } = range ?? { start: 0, end: file.bytes };
  reply.headers({
    'Content-Type': file.mediaType,
    'Content-Disposition': `attachment; filename="${file.name}"`,
    'Content-Length': end - start,
    'Repr-Digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    ...(range === null ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${file.bytes}` }),
  });
  if (range !== null) reply.code(206);
  if (!isGet) return reply.send();
  // A closed connection emits no further event that would end the body.
  if (request.raw.socket.destroyed) return reply.hijack();
  // If the file is withdrawn now, the connection breaks: the caller sees fewer bytes than `Content-Length`.
  return reply.send(bodyOf(file.read(start, end), held.move()));
}

/** Disposes of `needed` when the stream ends or is destroyed, even if it was never read. */
function bodyOf(pieces: AsyncGenerator<Uint8Array>, needed: AsyncDisposableStack): Readable {
  return new Readable({
    read() {
      pieces.next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      needed.disposeAsync().then(() => done(error), done);
    },
  });
}

function isNotModified(headers: FastifyRequest['headers'], etag: string, made: number): boolean {
  const known = headers['if-none-match'];
  if (known !== undefined) return isNoneMatch(known, etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return made * 1000 <= since;
}

function outside(bytes: number): ServiceError {
  return new ServiceError(
    'range_not_satisfiable',
    `header \`Range\`: expected a part of the ${bytes.toLocaleString('en')} bytes of the file, found none of it`,
  );
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** `bytes=0-99`, `bytes=100-` or `bytes=-100`. */
const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Reads the header `Range` for a file of `length` bytes (RFC 9110, 14.1.2 and 14.2). null: send the whole file, because
 * the header is absent, malformed, or in a form that a server may ignore (other units, several ranges).
 * `unsatisfiable`: the range contains no byte of the file.
 */
export function readRange(header: string | undefined, length: number): ByteRange | null | 'unsatisfiable' {
  const [, first = '', last = ''] = SINGLE.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const suffix = Number(last);
    return suffix === 0 || length === 0
      ? 'unsatisfiable'
      : { start: Math.max(0, length - suffix), end: length };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= length) return 'unsatisfiable';
  return { start, end: last === '' ? length : Math.min(length, Number(last) + 1) };
}

/** Whether `If-Range` permits a partial answer (RFC 9110, 13.1.5). `modified`: the value of `Last-Modified`. */
export function isRangeOf(ifRange: string | undefined, etag: string, modified: string): boolean {
  if (ifRange === undefined) return true;
  const given = ifRange.trim();
  return given === etag || given === modified;
}
