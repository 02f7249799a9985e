// Configures Fastify: time limits, addresses, errors. Fastify neither validates nor serializes: schemas only serve the
// OpenAPI document. Requests that Node's parser refuses reach no route and are answered on the socket.

import { randomUUID } from 'node:crypto';
import {
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  type FastifyInstance as Server,
} from 'fastify';
import { ServiceError } from '../errors.ts';
import { decoded } from '../model/record.ts';
import { type ParseError, retryInEscapes } from '../operation/parameters.ts';
import { quoted } from '../text/quoted.ts';
import {
  commonHeaders,
  PROBLEM_TYPE,
  type problemHandler,
  problemHeaders,
  problemOf,
  SAFE_HEADERS,
} from './answers/problems.ts';
import { STREAM_LIMITS } from './answers/streamed-answer.ts';
import { MAX_ADDRESS_BYTES, MAX_HEAD_BYTES, type Visitors } from './requests/caller.ts';

/** Milliseconds. */
export const HEADERS_TIMEOUT_MS = 10_000;
export const REQUEST_TIMEOUT_MS = 15_000;
/** Longer than the 60 s of common proxies, so that the proxy closes an idle connection first. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const TIMEOUT_CHECK_MS = 1_000;

/** Replaces Fastify's compilers of schemas, which would load 100 modules. */
const UNCHECKED = {
  compilersFactory: {
    buildValidator: () => () => () => true,
    buildSerializer: () => () => (data: unknown) => JSON.stringify(data),
  },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>;

export function createServer(
  methodsOf: MethodsOf,
  visitors: Visitors,
  onError: ReturnType<typeof problemHandler>,
): Server {
  const server: Server = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    trustProxy: (address) => visitors.trusts(address),
    return503OnClosing: false,
    // No limit: it would also cut a stop, which has STOP_TIMEOUT_MS.
    pluginTimeout: 0,
    genReqId: () => randomUUID(),
    rewriteUrl: originForm,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: STREAM_LIMITS.stalledMs,
    http: {
      // Node refuses heads of this size and above.
      maxHeaderSize: MAX_HEAD_BYTES + 1,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      requireHostHeader: false,
    },
    // parameters.ts reads the query string from the address itself.
    routerOptions: {
      ignoreTrailingSlash: true,
      querystringParser: () => ({}),
      // A part of a path may be a whole link.
      maxParamLength: MAX_ADDRESS_BYTES,
    },
    schemaController: UNCHECKED,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(visitors, request as FastifyRequest, reply as FastifyReply);
      onError(error, request as FastifyRequest, reply as FastifyReply);
    },
    clientErrorHandler: (error, socket) => answerParseError(server.server, error, socket, methodsOf),
  });
  // No limit besides MAX_HEAD_BYTES: Node would silently drop headers beyond 2,000.
  server.server.maxHeadersCount = 0;
  return server;
}

/** Strips scheme and host from a target in absolute form; the host replaces `Host` (RFC 9112, 3.2.2). */
function originForm({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const [start = '', host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (host !== undefined) headers.host = host;
  const rest = url.slice(start.length);
  return rest.startsWith('/') || rest === '*' ? rest : `/${rest}`;
}

export function setCommonHeaders(visitors: Visitors, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders(request.id, request.raw.url ?? '', visitors.isPublicTls));
}

const LINGER_MS = 1000;
/** Milliseconds to read what has already arrived before a request counts as late. */
const SECOND_LOOK_MS = 100;

/** Event of a socket that was refused here, with the code of the problem. */
export const REFUSED = Symbol('refused');

/** Sockets that were refused or given to another parser: their further errors are ignored. */
const refused = new WeakSet<object>();

/** Methods of the path of an address; null: no such path. */
type MethodsOf = (address: string) => readonly string[] | null;

/** The latest answer of each connection. A refusal waits for it, so that answers keep the order of requests. */
const lastAnswers = new WeakMap<object, ServerResponse>();

/** Makes refusals on this server's connections wait for the answers before them, and refuses `CONNECT`. */
export function watchAnswers(server: HttpServer, methodsOf: MethodsOf): void {
  server.prependListener('request', (request, response) => lastAnswers.set(request.socket, response));
  // An expectation other than 100-continue may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (request, socket) => {
    refuse(socket as Socket, refusalOfMethod(`${request.method}`, request.url ?? '', methodsOf));
  });
}

/** Answers with a problem document and closes the connection, or retries with the address escaped (parameters.ts). */
function answerParseError(server: HttpServer, error: ParseError, socket: Socket, methodsOf: MethodsOf): void {
  if (refused.has(socket)) return;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    refuseIfLate(socket, refusalOf(error, methodsOf));
    return;
  }
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || socket.destroyed) {
    socket.destroy();
    return;
  }
  if (!isAnswering(socket) && retryInEscapes(server, error, socket)) {
    refused.add(socket);
    return;
  }
  refuse(socket, refusalOf(error, methodsOf));
}

/**
 * Refuses only if the rest of the request does not arrive within SECOND_LOOK_MS. Node checks for late requests before
 * it reads the socket: after the event loop was blocked, the rest may be there already.
 */
function refuseIfLate(socket: Socket, refusal: ServiceError): void {
  const before = lastAnswers.get(socket);
  const wasWhole = before?.req.complete ?? true;
  setTimeout(() => {
    // After this turn has read the sockets.
    setImmediate(() => {
      const now = lastAnswers.get(socket);
      const hasCome = now !== before || (!wasWhole && before?.req.complete === true);
      if (!hasCome && !socket.destroyed) refuse(socket, refusal);
    });
  }, SECOND_LOOK_MS);
}

function isAnswering(socket: Socket): boolean {
  const answer = lastAnswers.get(socket);
  return answer !== undefined && !answer.writableFinished && !answer.destroyed;
}

function refusalOf(error: ParseError, methodsOf: MethodsOf): ServiceError {
  const line = requestLine(error);
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW': {
      // Without a version, the address itself is too long.
      const isAddress = line !== null && line.version === undefined;
      return isAddress
        ? new ServiceError('uri_too_long', `address: expected at most ${MAX_ADDRESS_BYTES} bytes, found more`)
        : new ServiceError(
            'headers_too_large',
            `headers: expected at most ${MAX_HEAD_BYTES} bytes with the address, found more`,
          );
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', 'expected the whole request in time, found a part of it');
    case 'HPE_INVALID_METHOD':
      if (line?.version !== undefined) return refusalOfMethod(line.method, line.address, methodsOf);
      break;
    case 'HPE_INVALID_URL': {
      const expected =
        'address: expected printable ASCII and UTF-8, everything else in percent-encoding, found other bytes';
      return new ServiceError('malformed_request', expected);
    }
  }
  return new ServiceError('malformed_request', 'expected a request of HTTP/1.1, found something else');
}

/** 405; 404 where the address has no methods. */
export function refusalOfMethod(method: string, address: string, methodsOf: MethodsOf): ServiceError {
  const allow = methodsOf(address)?.join(', ');
  if (allow !== undefined) {
    const words = `method: expected ${allow}, found ${quoted(method, 40)}`;
    return new ServiceError('method_not_allowed', words, { allow });
  }
  const path = address.split(/[?#]/)[0]!;
  return new ServiceError('not_found', `expected a path of this service, found ${quoted(path, 200)}`);
}

/** The request line with the fault; `version` is absent if the line is cut. null: the fault is in another line. */
function requestLine({
  rawPacket,
  bytesParsed = 0,
}: ParseError): { method: string; address: string; version?: string } | null {
  if (!Buffer.isBuffer(rawPacket)) return null;
  const bytes = rawPacket.toString('latin1');
  const start = bytes.slice(bytes.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1);
  const found = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([^\s]+)(?: (HTTP\/1\.[01])\r?\n)?/.exec(start);
  if (found === null) return null;
  const [, method = '', address = '', version] = found;
  return version === undefined ? { method, address } : { method, address, version };
}

function refuse(socket: Socket, refusal: ServiceError): void {
  const before = lastAnswers.get(socket);
  if (before === undefined || !isAnswering(socket)) refuseConnection(socket, refusal);
  else if (before.req.complete) before.once('finish', () => refuseConnection(socket, refusal));
  // The fault is in the body of the request that is being answered.
  else if (before.headersSent) socket.destroy();
  else refuseConnection(socket, refusal);
}

/** Answers with an error at once, and closes the connection. */
export function refuseConnection(socket: Socket, error: ServiceError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  refused.add(socket);
  socket.emit(REFUSED, error.code);
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(error, requestId));
  const fields = Object.entries({
    ...problemHeaders(error),
    'Content-Type': PROBLEM_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    ...SAFE_HEADERS,
    'X-Request-Id': requestId,
    'Access-Control-Allow-Origin': '*',
    Date: new Date().toUTCString(),
    Connection: 'close',
  });
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    ...fields.map((field) => field.join(': ')),
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  linger(socket);
}

/** Reads on for LINGER_MS: closing with unread bytes resets the connection and loses the answer (RFC 9112, 9.6). */
function linger(socket: Socket): void {
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

export class PathTable {
  /** By pattern, in which `:token` stands for any piece. */
  readonly #paths = new Map<string, { readonly shape: RegExp; readonly methods: Set<string> }>();

  add(pattern: string, methods: string | readonly string[]): void {
    const pieces = pattern.replace(/\/$/, '').split('/');
    const shapes = pieces.map((piece) => (piece.startsWith(':') ? '[^/]+' : RegExp.escape(piece)));
    const shape = new RegExp(`^${shapes.join('/')}/?$`);
    const known = this.#paths.getOrInsertComputed(pattern, () => ({ shape, methods: new Set() }));
    for (const method of [methods].flat()) known.methods.add(method);
  }

  /** Sorted; null: no such path. A path of its own goes before a pattern. */
  methodsOf(address: string): readonly string[] | null {
    const path = decoded(address.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/)[0]!);
    const known = [...this.#paths].filter(([, { shape }]) => shape.test(path));
    const [, found] = known.find(([pattern]) => !pattern.includes(':')) ?? known[0] ?? [];
    return found === undefined ? null : [...found.methods].sort();
  }
}
