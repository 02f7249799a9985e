// The framework as this server wants it: its time limits, how it reads addresses, and whom it asks for errors. It
// checks and writes nothing itself: the schemas are for the document.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, {
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  type FastifyInstance as Server,
} from 'fastify';
import { commonHeaders } from './answers/headers.ts';
import type { problemHandler } from './answers/problems.ts';
import type { StreamLimits } from './answers/streamed-answer.ts';
import { answerParseError } from './client-errors.ts';
import type { PathTable } from './read-route.ts';
import { MAX_ADDRESS_BYTES, MAX_HEAD_BYTES } from './request-checks.ts';
import type { Visitors } from './visitor.ts';

/** Milliseconds. */
export const HEADERS_TIMEOUT_MS = 10_000;
export const REQUEST_TIMEOUT_MS = 15_000;
/** Idle connections stay open longer than the 60 s for which proxies keep theirs. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** For a connection on which nothing moves, for instance because the caller does not read the answer. */
const STALLED_TIMEOUT_MS = 120_000;
/** For a body that is made while it is sent. */
export const STREAM_LIMITS: StreamLimits = { stalledMs: STALLED_TIMEOUT_MS, maxMs: 6 * 60 * 60 * 1000 };
const TIMEOUT_CHECK_MS = 1_000;

/**
 * The schemas are for the document and the tests: parameters.ts reads parameters, and we make the answers. Where
 * nothing is given here, 100 modules are loaded that check and write by schemas.
 */
const UNCHECKED = {
  compilersFactory: {
    buildValidator: () => () => () => true,
    buildSerializer: () => () => (data: unknown) => JSON.stringify(data),
  },
} as unknown as NonNullable<FastifyServerOptions['schemaController']>;

export function createServer(
  paths: PathTable,
  visitors: Visitors,
  onError: ReturnType<typeof problemHandler>,
): Server {
  const server: Server = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    trustProxy: (address) => visitors.trusts(address),
    return503OnClosing: false,
    // None: it would end a stop too, which has a limit of its own.
    pluginTimeout: 0,
    genReqId: () => randomUUID(),
    rewriteUrl: originForm,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: STALLED_TIMEOUT_MS,
    http: {
      // Node refuses this size and more.
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
      // A link may stand in a path.
      maxParamLength: MAX_ADDRESS_BYTES,
    },
    schemaController: UNCHECKED,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(visitors, request as FastifyRequest, reply as FastifyReply);
      onError(error, request as FastifyRequest, reply as FastifyReply);
    },
    clientErrorHandler: (error, socket) =>
      answerParseError(server.server, error, socket, (address) => paths.methodsOf(address)),
  });
  // As many as fit into MAX_HEAD_BYTES: Node would silently drop those beyond 2,000.
  server.server.maxHeadersCount = 0;
  return server;
}

/** Strips scheme and host from a target in absolute form; that host stands for `Host` (RFC 9112, 3.2.2). */
function originForm({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const [start = '', host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (host !== undefined) headers.host = host;
  const rest = url.slice(start.length);
  return rest.startsWith('/') || rest === '*' ? rest : `/${rest}`;
}

export function setCommonHeaders(visitors: Visitors, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders(request.id, request.raw.url ?? '', visitors.isPublicTls));
}
