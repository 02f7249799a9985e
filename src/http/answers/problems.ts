// Errors as callers see them: problem documents of RFC 9457 (contract 7.3), and the page for a busy server. Also the
// headers of every answer, the CORS headers of /api/, and our own headers `Colloquy-Arrival` and `Colloquy-Dropped`.

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Position, PROBLEMS, type ProblemCode, ServiceError, systemRefusal } from '../../errors.ts';
import { type Logger, Thinned } from '../../log.ts';
import { EngineUnavailable, IndexDamage } from '../../model/engine-errors.ts';
import { DAY } from '../../model/time.ts';
import type { Dropped } from '../../search/language/interpret.ts';
import { CHALLENGE, INVALID_TOKEN } from '../requests/caller.ts';

/** RFC 6797. Without subdomains, which may belong to others. */
const YEAR = 'max-age=31536000';

/** Keep browsers from sniffing, running or framing an answer. Pages replace some of them. */
export const SAFE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

const PERMISSIONS = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope'],
  ...['magnetometer', 'microphone', 'midi', 'payment', 'usb'],
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/**
 * Headers of every page and redirect, besides a content security policy. The referrer policy is not `no-referrer`, with
 * which browsers send `Origin: null` with our own forms
 * (https://fetch.spec.whatwg.org/#append-a-request-origin-header).
 */
export const PAGE_HEADERS = {
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': PERMISSIONS,
} as const;

/** `address`: from the request line. `isTls`: the public address is https. */
export function commonHeaders(requestId: string, address: string, isTls: boolean): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    ...SAFE_HEADERS,
    ...(isTls && { 'Strict-Transport-Security': YEAR }),
    ...(address.startsWith('/api/') ? CORS_HEADERS : {}),
  };
}

/**
 * On every answer under /api/, for scripts of other sites. Every origin is allowed, since keys are sent in a header and
 * never in a cookie. Contract 7.7.
 */
const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Accept-Ranges, Allow, Colloquy-Arrival, Colloquy-Dropped, Colloquy-Implied, Colloquy-Index, Colloquy-Matches, Colloquy-Page, ' +
    'Colloquy-Total-Count, Content-Disposition, Content-Range, ETag, Link, RateLimit, RateLimit-Policy, ' +
    'Repr-Digest, Retry-After, WWW-Authenticate, X-Request-Id',
} as const;

export const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, If-None-Match, If-Range, Range',
  'Access-Control-Max-Age': String(DAY),
} as const;

export const ARRIVAL_HEADER = {
  'Colloquy-Arrival':
    'The last arrival in the view that answered, a whole number. As `since` it asks for later arrivals; of several ' +
    'pages, take that of the first.',
} as const;

export function arrivalHeader(arrival: number): Record<keyof typeof ARRIVAL_HEADER, string> {
  return { 'Colloquy-Arrival': String(arrival) };
}

/** Most texts in the header, and most characters of each. */
const MAX_TOLD = 20;
const MAX_CHARACTERS = 60;

/**
 * The value of `Colloquy-Dropped`: texts as written, as display strings (RFC 9651, 3.3.8): `%"C++", %"caf%c3%a9#"`.
 * null: nothing was dropped.
 */
export function droppedHeader(dropped: readonly Dropped[]): string | null {
  if (dropped.length === 0) return null;
  return dropped
    .slice(0, MAX_TOLD)
    .map(({ written }) => displayString([...written].slice(0, MAX_CHARACTERS).join('')))
    .join(', ');
}

function displayString(text: string): string {
  const bytes = [...Buffer.from(text.toWellFormed())].map((byte) => {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x22 && byte !== 0x25;
    return isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`;
  });
  return `%"${bytes.join('')}"`;
}

export const CUT_CELLS_HEADER = {
  'Colloquy-Cut-Cells': 'with `csv-excel`, how many cells were cut because a sheet cannot hold more',
} as const;

export const PROBLEM_TYPE = 'application/problem+json';

/** UTF-16 units of a detail, which may quote a long text of the caller. */
const MAX_DETAIL = 1000;
/** Seconds to wait after a 503, unless the error says otherwise. */
const RETRY_AFTER = 5;
/** Milliseconds between two log lines about `busy`, the most common answer under load. */
const BUSY_EVERY_MS = 10_000;
/** Seconds. The operator has to repair the index or free disk space. */
const DAMAGE_RETRY_AFTER = 30;

/** Fields in the order of the JSON. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  /** Only for errors in a query. */
  readonly position?: Position;
}

export function problemOf(error: ServiceError, requestId: string): Problem {
  const { title, status } = PROBLEMS[error.code];
  return {
    type: `/docs/errors#${error.code}`,
    title,
    status,
    detail: error.code === 'internal_error' ? 'quote `request_id` when you report this' : cut(error.message),
    code: error.code,
    request_id: requestId,
    ...(error.position === undefined ? {} : { position: error.position }),
  };
}

/** `WWW-Authenticate` of a 401; `Allow` of a 405; `Retry-After` of a 429 and a 503. */
export function problemHeaders(error: ServiceError): Record<string, string> {
  if (error.allow !== undefined) return { Allow: error.allow };
  if (error.code === 'missing_key') return { 'WWW-Authenticate': CHALLENGE };
  if (error.code === 'invalid_key') return { 'WWW-Authenticate': INVALID_TOKEN };
  if (error.status === 429 || error.status === 503) {
    return { 'Retry-After': String(Math.max(1, Math.ceil(error.retryAfter ?? RETRY_AFTER))) };
  }
  return {};
}

const refusals = new WeakMap<FastifyRequest, ServiceError>();

/** Must be called for every answer that tells of a problem, also for pages: the logs read it. */
export function noteRefusal(request: FastifyRequest, error: ServiceError): void {
  refusals.set(request, error);
}

/** The code of the problem that answered this request; null: none. */
export function refusalOf(request: FastifyRequest): ProblemCode | null {
  return refusals.get(request)?.code ?? null;
}

type ErrorSender = (error: ServiceError, request: FastifyRequest, reply: FastifyReply) => unknown;

/** The error handler of the server. `otherForm`: sends the error as a page; null: a problem document. */
export function problemHandler(
  otherForm: (request: FastifyRequest) => ErrorSender | null,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => unknown {
  return (error, request, reply) => {
    const known = serviceErrorOf(error);
    noteRefusal(request, known);
    const send = otherForm(request);
    if (send !== null) return send(known, request, reply.headers(problemHeaders(known)));
    return (
      reply
        .code(known.status)
        .headers({ ...problemHeaders(known), 'Cache-Control': 'no-store', 'Content-Type': PROBLEM_TYPE })
        // @NOTE a Buffer: Fastify would add a charset to a string, and this media type has none.
        .send(Buffer.from(JSON.stringify(problemOf(known, request.id))))
    );
  };
}

/**
 * `tellFault` logs every answer with status 500 or above, except 501, which is the caller's mistake. `tellBusy` logs
 * refusals as `busy`, one line in BUSY_EVERY_MS, with the number of others since the last line.
 */
export function faultTeller(log: Logger) {
  const thinned = new Thinned(BUSY_EVERY_MS);
  const tellBusy = (requestId: string) => {
    const others = thinned.next();
    if (others !== null) log.warn({ requestId, code: 'busy', others }, 'request given up');
  };
  const tellFault = (request: FastifyRequest, status: number) => {
    if (status < 500 || status === 501) return;
    const { id: requestId } = request;
    const error = refusals.get(request);
    if (error === undefined || error.code === 'internal_error') {
      log.error({ requestId, status, error: error?.cause ?? error }, 'request failed');
    } else if (error.code === 'busy') {
      tellBusy(requestId);
    } else {
      // The engine has logged the damage already.
      const cause = error.code === 'index_damaged' ? undefined : error.cause;
      log.warn({ requestId, code: error.code, cause }, 'request given up');
    }
  };
  return { tellBusy, tellFault };
}

/** The error for a full disk, or for too many open files; null: neither. */
export function storageRefusal(error: unknown): ServiceError | null {
  const refusal = systemRefusal(error);
  if (refusal !== 'full' && refusal !== 'files' && refusal !== 'closed') return null;
  const words =
    refusal === 'full'
      ? 'expected free space on the disk of this server, found none'
      : 'expected a free file handle on this server, found none at the moment';
  return new ServiceError('storage_unavailable', words, { retryAfter: DAMAGE_RETRY_AFTER, cause: error });
}

/** Turns errors of Fastify, damage and lack of resources into ours. Everything else is a bug: `internal_error`. */
export function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const refused = storageRefusal(error);
  if (refused !== null) return refused;
  if (error instanceof IndexDamage) {
    // Names no file: only the log does.
    const words = `expected an index of ${error.kind}s that can be read, found one that cannot at the moment`;
    return new ServiceError('index_damaged', words, { retryAfter: DAMAGE_RETRY_AFTER, cause: error });
  }
  if (error instanceof EngineUnavailable) {
    // Names no address: the log has the cause.
    const words = 'the search engine cannot be reached at the moment';
    return new ServiceError('engine_unavailable', words, { retryAfter: error.retryAfter, cause: error });
  }
  const { statusCode, code, message } = error as { statusCode?: number; code?: string; message?: string };
  if (code === 'FST_ERR_BAD_URL') {
    return new ServiceError('bad_encoding', 'path: expected UTF-8 in percent-encoding, found something else');
  }
  if (statusCode === 413) return new ServiceError('body_too_large', message ?? 'body too large');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ServiceError('malformed_request', message ?? 'malformed request');
  }
  return new ServiceError('internal_error', 'internal error', { cause: error });
}

function cut(detail: string): string {
  return detail.length <= MAX_DETAIL ? detail : `${detail.slice(0, MAX_DETAIL).toWellFormed()}…`;
}

const BUSY = readFileSync(new URL('../../web/busy.html', import.meta.url), 'utf8');
const SENT_AGAIN = 'Nothing was changed. Wait a few seconds, go back, and send the form again.';

/** A string, so that it is sent in one write with the headers. */
export const BUSY_PAGE = BUSY.replace('{next}', '<a href="">Try again</a> in a few seconds.');
export const BUSY_FORM_PAGE = BUSY.replace('{next}', SENT_AGAIN);

const [, STYLE = ''] = /<style>(.*)<\/style>/s.exec(BUSY) ?? [];

export const BUSY_HEADERS = {
  ...PAGE_HEADERS,
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;
