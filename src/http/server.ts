// The HTTP server: its limits, the order of checks, and the routes. Testable by `inject`; sockets are an
// adapter.

import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyReply, type FastifyRequest, type FastifyInstance as Server } from 'fastify';

import type { Accounts } from '../accounts/accounts.ts';
import { log as defaultLog, type Logger } from '../log.ts';
import type { SearchService } from '../search/search-service.ts';
import { addAccountPages } from './account-pages/account-routes.ts';
import type { KeyChecker } from './auth.ts';
import { answerParseError, methodNotAllowed, notFound, watchAnswers } from './client-errors.ts';
import { CORS_HEADERS } from './cors.ts';
import { addSchemas, OPENAPI_OPTIONS } from './openapi.ts';
import { addPageRoutes, isPagePath, type PageDeps, type SendErrorPage } from './pages/page-routes.ts';
import { PathTable } from './path-table.ts';
import { problemHandler } from './problems.ts';
import { RateLimiter } from './rate-limit.ts';
import { checkHead, hasLongBody, MAX_HEAD_BYTES, passOverBody } from './request-checks.ts';
import { addSearchRoutes } from './routes/search.ts';
import { addServiceRoutes } from './routes/service.ts';
import { Sessions } from './session.ts';
import { drain } from './shutdown.ts';
import { type VisitorSettings, Visitors } from './visitor.ts';

/** Milliseconds. */
export const HEADERS_TIMEOUT_MS = 10_000;
export const REQUEST_TIMEOUT_MS = 15_000;
/** An idle connection stays open longer than the 60 s for which proxies keep theirs. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** A connection on which nothing moves, as with a caller that does not read its answer. */
const STALLED_TIMEOUT_MS = 120_000;
const TIMEOUT_CHECK_MS = 1_000;

/** Methods whose routes ask for no body. */
const BODILESS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export type { Server };

export interface ServerDeps {
  readonly search: SearchService;
  readonly keys: KeyChecker;
  readonly settings: VisitorSettings & {
    /**
     * Of each key; 0: no limit (`requestsPerMinute` of rate-limit.ts makes it of the setting and the host).
     */
    readonly requestsPerMinute: number;
  };
  /** Absent: no pages, the API alone. */
  readonly pages?: PageDeps;
  /** Beside pages; absent: everybody is a visitor, and nobody can sign in. */
  readonly accounts?: AccountDeps;
  readonly log?: Logger;
  /** Milliseconds, for the rate limit. */
  readonly now?: () => number;
}

export interface AccountDeps {
  readonly accounts: Accounts;
  readonly registration: 'open' | 'closed';
  /** Unix seconds, to say how long ago something was; absent: the clock. */
  readonly time?: () => number;
}

/**
 * The server with its routes, not yet listening. `close()` cuts no answer, and takes STOP_TIMEOUT_MS at most.
 */
export async function buildServer(deps: ServerDeps): Promise<Server> {
  const paths = new PathTable();
  let sendErrorPage: SendErrorPage | null = null;
  const onError = problemHandler(deps.log ?? defaultLog, (request) =>
    isPagePath(request.raw.url ?? '') ? sendErrorPage : null,
  );
  const visitors = new Visitors(deps.settings);
  const server = createServer(paths, visitors, onError);
  server.setErrorHandler(onError);
  server.addHook('onRoute', ({ url, method }) => paths.add(url, method));
  server.addHook('onRequest', async (request, reply) => {
    setCommonHeaders(request, reply);
    checkHeadOrClose(request, reply);
    if (hasLongBody(request.raw)) reply.header('Connection', 'close');
    if (request.is404) throw refuse(request, reply, paths);
    if (BODILESS.includes(request.method)) await passOverBody(request.raw);
  });
  server.addHook('preClose', () => drain(server.server));
  watchAnswers(server.server, (address) => paths.methodsOf(address));
  await server.register(swagger, OPENAPI_OPTIONS);
  addSchemas(server);
  const { requestsPerMinute } = deps.settings;
  const limiter = requestsPerMinute === 0 ? null : new RateLimiter(requestsPerMinute, deps.now);
  addSearchRoutes(server, { search: deps.search, keys: deps.keys, limiter, visitors });
  addServiceRoutes(server, { search: deps.search, hasPages: deps.pages !== undefined });
  if (deps.pages !== undefined) {
    const isReady = () =>
      deps.search.readiness().then(
        () => true,
        () => false,
      );
    sendErrorPage = addPages(server, deps, visitors, { isReady, ...deps.pages });
  }
  return server;
}

/** The pages of searching, and those of accounts on top of them. */
function addPages(server: Server, deps: ServerDeps, visitors: Visitors, pages: PageDeps): SendErrorPage {
  if (deps.accounts === undefined) return addPageRoutes(server, visitors, pages).sendErrorPage;
  const { accounts, registration, time = () => Math.floor(Date.now() / 1000) } = deps.accounts;
  const sessions = new Sessions(accounts, visitors);
  const { site, sendErrorPage } = addPageRoutes(server, visitors, {
    viewer: async (request) => sessions.signedIn(request),
    canRegister: () => registration === 'open',
    ...pages,
  });
  const { requestsPerMinute } = deps.settings;
  const now = deps.now ?? (() => performance.now());
  addAccountPages(server, { site, accounts, sessions, registration, requestsPerMinute, now, time });
  return sendErrorPage;
}

function createServer(
  paths: PathTable,
  visitors: Visitors,
  onError: ReturnType<typeof problemHandler>,
): Server {
  const server: Server = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    trustProxy: (address) => visitors.trusts(address),
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    rewriteUrl: (request) => originForm(request.url ?? '/'),
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: STALLED_TIMEOUT_MS,
    http: {
      // Node refuses from this size on.
      maxHeaderSize: MAX_HEAD_BYTES + 1,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      requireHostHeader: false,
    },
    // The query string is read by parameters.ts, from the address itself.
    routerOptions: { ignoreTrailingSlash: true, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request as FastifyRequest, reply as FastifyReply);
      onError(error, request as FastifyRequest, reply as FastifyReply);
    },
    clientErrorHandler: (error, socket) =>
      answerParseError(server.server, error, socket, (address) => paths.methodsOf(address)),
  });
  // As many as MAX_HEAD_BYTES holds: Node would drop those beyond 2,000 in silence.
  server.server.maxHeadersCount = 0;
  // The schemas are for the document and the tests: parameters are read by parameters.ts, answers are made by
  // us.
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => (data) => JSON.stringify(data));
  return server;
}

/** A target in absolute form (RFC 9112, 3.2.2) without its scheme and host. */
function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') || rest === '*' ? rest : `/${rest}`;
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'X-Request-Id': request.id,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    ...(request.raw.url?.startsWith('/api/') ? CORS_HEADERS : {}),
  });
}

/** A connection on which a request was not clear is not used for another. */
function checkHeadOrClose(request: FastifyRequest, reply: FastifyReply): void {
  try {
    checkHead(request.raw);
  } catch (error) {
    reply.header('Connection', 'close');
    throw error;
  }
}

/** 405 where the path has other methods, 404 where there is no such path. */
function refuse(request: FastifyRequest, reply: FastifyReply, paths: PathTable): Error {
  const address = request.raw.url ?? '';
  const methods = paths.methodsOf(address);
  if (methods === null) return notFound(address);
  const { error, headers } = methodNotAllowed(request.method, methods);
  reply.headers(headers);
  return error;
}
