// Errors as callers see them: problem documents of RFC 9457. Contract 7.3.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Position, PROBLEMS, type ProblemCode, ServiceError, systemRefusal } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { EngineUnavailable, IndexDamage } from '../../model/engine-errors.ts';
import { Thinned } from '../limits/rate-limits.ts';
import { CHALLENGE, INVALID_TOKEN } from '../requests/caller.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** A detail is cut at this many UTF-16 units, since it repeats what the caller wrote, which may be long. */
const MAX_DETAIL = 1000;
/** Seconds to wait after a 503, unless the error says otherwise. */
const RETRY_AFTER = 5;
/** Milliseconds between two lines of the log about `busy`: under load it is the answer to most requests. */
const BUSY_EVERY_MS = 10_000;
/** Seconds: somebody has to put a file back, or to make room. */
const DAMAGE_RETRY_AFTER = 30;

/** The fields in the order in which they are written. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly request_id: string;
  /** Only for an error of the query. */
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

/** Headers that the status needs: the challenge of a 401, the wait of a 429 and a 503. */
export function problemHeaders(error: ServiceError): Record<string, string> {
  if (error.code === 'missing_key') return { 'WWW-Authenticate': CHALLENGE };
  if (error.code === 'invalid_key') return { 'WWW-Authenticate': INVALID_TOKEN };
  if (error.status === 429 || error.status === 503) {
    return { 'Retry-After': String(Math.max(1, Math.ceil(error.retryAfter ?? RETRY_AFTER))) };
  }
  return {};
}

/** The problem that each request was answered with. */
const refusals = new WeakMap<FastifyRequest, ServiceError>();

/** To be called by whoever answers with a problem, in whatever form. */
export function noteRefusal(request: FastifyRequest, error: ServiceError): void {
  refusals.set(request, error);
}

/** null: it was not answered with a problem. */
export function refusalOf(request: FastifyRequest): ProblemCode | null {
  return refusals.get(request)?.code ?? null;
}

/** Sends an error in a form other than a problem document. */
type ErrorSender = (error: ServiceError, request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * The error handler of the server. `otherForm` returns the function that sends the error in another form, as on pages;
 * null: a problem document.
 */
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
        // @NOTE bytes, since the framework adds a charset to a text, and this media type has none.
        .send(Buffer.from(JSON.stringify(problemOf(known, request.id))))
    );
  };
}

/** Logs every answer of the status 500 or above, whoever made it; but for 501, which the question is the reason of. */
export function faultTeller(
  log: Logger,
  tellBusy: (requestId: string) => void,
): (request: FastifyRequest, status: number) => void {
  return (request, status) => {
    if (status < 500 || status === 501) return;
    const { id: requestId } = request;
    const error = refusals.get(request);
    if (error === undefined || error.code === 'internal_error') {
      log.error({ requestId, status, error: error?.cause ?? error }, 'request failed');
    } else if (error.code === 'busy') {
      tellBusy(requestId);
    } else {
      // Damage has been logged by who came upon it.
      const cause = error.code === 'index_damaged' ? undefined : error.cause;
      log.warn({ requestId, code: error.code, cause }, 'request given up');
    }
  };
}

/** Logs some of the requests that are refused as `busy`, each with how many others there were since the last one. */
export function busyTeller(log: Logger): (requestId: string) => void {
  const thinned = new Thinned(BUSY_EVERY_MS);
  return (requestId) => {
    const others = thinned.next();
    if (others !== null) log.warn({ requestId, code: 'busy', others }, 'request given up');
  };
}

/** What the error of a disk without room, or of a file that cannot be opened now, tells a caller; null: of neither. */
export function storageRefusal(error: unknown): ServiceError | null {
  const refusal = systemRefusal(error);
  if (refusal !== 'full' && refusal !== 'files' && refusal !== 'closed') return null;
  const words =
    refusal === 'full'
      ? 'expected free space on the disk of this server, found none'
      : 'expected another file that this server can open, found that it cannot at the moment';
  return new ServiceError('storage_unavailable', words, { retryAfter: DAMAGE_RETRY_AFTER, cause: error });
}

/**
 * Errors of the web framework that a caller caused become ours, and so do damage and what the system lacks; whatever
 * else is a bug.
 */
export function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const refused = storageRefusal(error);
  if (refused !== null) return refused;
  if (error instanceof IndexDamage) {
    // Files are the operator's: the engine has logged them.
    const words = `expected an index of ${error.kind}s that can be read, found one that cannot at the moment`;
    return new ServiceError('index_damaged', words, { retryAfter: DAMAGE_RETRY_AFTER, cause: error });
  }
  if (error instanceof EngineUnavailable) {
    // How it is reached is the operator's business: the log has it, by the cause.
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
