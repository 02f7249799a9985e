// Sends a file, whole or a byte range, with its SHA-256 as a strong entity tag. RFC 9110, 13.2.2 and 14.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { isNoneMatch, REVALIDATED } from './representation.ts';

export interface ServedFile extends AsyncDisposable {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly made: number;
  readonly mediaType: string;
  /** Bytes from `start` to before `end`. Throws `dataset_withdrawn` if the file is withdrawn meanwhile. */
  read(start: number, end: number): AsyncGenerator<Uint8Array>;
}

export interface FileAnswer {
  /** Disposed of once the answer ends. */
  readonly file: ServedFile;
}

/** Headers of whole and partial answers, described for OpenAPI. */
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
