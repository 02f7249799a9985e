// Builds the HTTP server: its limits, the order of checks, the routes; health checks and the OpenAPI document.

import { availableParallelism } from 'node:os';
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyInstance as Server } from 'fastify';
import type { SecurityLog } from '../accounts/security-log.ts';
import { ServiceError } from '../errors.ts';
import { log as defaultLog, type Logger } from '../log.ts';
import { KINDS } from '../model/record.ts';
import type { Archive } from '../operation/operation.ts';
import type { SearchService } from '../search/search-service.ts';
import { BytesUnderWay } from './answers/bytes-under-way.ts';
import { faultTeller, problemHandler, storageRefusal } from './answers/problems.ts';
import { sendRepresentation } from './answers/representation.ts';
import { Connections, drain } from './connections.ts';
import { addBytes, addOperation, addReadRoute, JSON_TYPE } from './endpoints.ts';
import { createServer, PathTable, refusalOfMethod, setCommonHeaders, watchAnswers } from './framework.ts';
import { addSchemas, OPENAPI_OPTIONS, type StateDescription, stateSchema } from './operations/openapi.ts';
import { QueuedRoutes, refuseQuickly } from './quick-refusal.ts';
import { Admission, type AdmissionSettings } from './requests/admission.ts';
import {
  AllowedHosts,
  checkHead,
  type HostSettings,
  hasBody,
  hasLongBody,
  passOverBody,
  type VisitorSettings,
  Visitors,
} from './requests/caller.ts';
import { limitNetwork, networkBuckets, RateLimiter } from './requests/limits.ts';
import { addPageRoutes, errorSender } from './site/respond.ts';
import type { ServedFeature, Site, Watcher } from './site/site.ts';

/**
 * Memory of all unsent answers together: 192 MiB, or 32 MiB a core if that is more, a page of the largest records for
 * each request at work.
 */
const ANSWER_BYTES = Math.max(192, 32 * availableParallelism()) * 1_048_576;

/** Their bodies are read and ignored. */
const BODILESS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export type { Server };

export interface ServerDeps {
  readonly archive: Archive;
  /** In the order of the navigation. */
  readonly features: readonly ServedFeature[];
  readonly settings: VisitorSettings &
    HostSettings & {
      /** For each account; 0: no limit. `requestsPerMinute` in limits.ts derives it. */
      readonly requestsPerMinute: number;
      /** How many requests use the engine at once. */
      readonly admission: AdmissionSettings;
    };
  readonly log?: Logger;
  /** Makes the watcher of requests (metrics and the request log); absent: none. */
  readonly watch?: (visitors: Visitors) => Watcher;
  /** Absent: no security log. */
  readonly security?: SecurityLog;
}

/** Light pages, which need no search: 20 a second for each network. */
const LIGHT_REQUESTS = { burst: 600, msOfToken: 50 };

/** Paths whose errors are problem documents, whatever `Accept` says; features add theirs. */
const MACHINES = ['/api', '/api/', '/readyz', '/healthz', '/livez'];

function isOneOf(paths: readonly string[], address: string): boolean {
  const [path = ''] = address.split('?', 1);
  return paths.some((one) => (one.endsWith('/') ? path.startsWith(one) : path === one));
}

/** The server, not yet listening. `close()` lets answers finish, for STOP_TIMEOUT_MS at most. */
export async function buildServer(deps: ServerDeps): Promise<Server> {
  const paths = new PathTable();
  const methodsOf = (address: string) => paths.methodsOf(address);
  const { archive, features, log = defaultLog, security = () => undefined } = deps;
  const { search, accounts } = archive;
  const { keys } = accounts;
  let site: Site | null = null;
  const { tellBusy, tellFault } = faultTeller(log);
  const machines = [...MACHINES, ...features.flatMap((feature) => feature.machines ?? [])];
  const onError = problemHandler(({ raw: { url = '' } }) =>
    site === null || isOneOf(machines, url) ? null : errorSender(site),
  );
  const visitors = new Visitors(deps.settings, log);
  const hosts = new AllowedHosts(deps.settings);
  const watcher = deps.watch?.(visitors);
  const server = createServer(methodsOf, visitors, (error, request, reply) => {
    // Fastify runs no hook for these errors.
    watcher?.begin(request, reply);
    return onError(error, request, reply);
  });
  server.setErrorHandler(onError);
  watcher?.watch(server);
  server.addHook('onResponse', (request, reply, done) => {
    tellFault(request, reply.statusCode);
    done();
  });
  const lightPaths = features.flatMap((feature) => feature.light ?? []);
  const lightRoutes = new Set<string>();
  server.addHook('onRoute', ({ url, method }) => {
    paths.add(url, method);
    if (lightPaths.some((path) => url === path || (path !== '/' && url.startsWith(`${path}/`))))
      lightRoutes.add(url);
  });
  // With `done`, not async: most requests have nothing to wait for.
  server.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(visitors, request, reply);
    checkHeadOrClose(request, reply);
    hosts.check(visitors.hostOf(request));
    if (hasLongBody(request.raw)) reply.header('Connection', 'close');
    if (request.is404) throw refusalOfMethod(request.method, request.raw.url ?? '', methodsOf);
    if (BODILESS.includes(request.method) && hasBody(request.raw))
      passOverBody(request.raw).then(() => done(), done);
    else done();
  });
  const connections = new Connections(visitors);
  const light = networkBuckets(LIGHT_REQUESTS);
  server.addHook('onRequest', (request, _reply, done) => {
    if (lightRoutes.has(request.routeOptions.url ?? '')) limitNetwork(light, visitors.of(request).network);
    done();
  });
  let isStopping = false;
  server.addHook('preClose', () => {
    isStopping = true;
    return drain(server.server, connections);
  });
  await server.register(swagger, OPENAPI_OPTIONS);
  addSchemas(server);
  const { requestsPerMinute } = deps.settings;
  const limiter = requestsPerMinute === 0 ? null : new RateLimiter(requestsPerMinute);
  const admission = new Admission(deps.settings.admission);
  const queued = new QueuedRoutes();
  refuseQuickly(server.server, {
    ...{ admission, keys, hosts, limiter, queued, visitors, tellBusy },
    count: (refusal) => watcher?.countQuick(refusal),
  });
  // Before refuseQuickly's listener, so that its requests are counted.
  connections.watch(server.server);
  watchAnswers(server.server, methodsOf);
  const bytes = new BytesUnderWay({
    maxBytes: ANSWER_BYTES,
    waitMs: deps.settings.admission.queueMs,
  });
  const keyed = { keys, limiter, admission, queued, visitors, bytes, log, site: () => site! };
  for (const feature of features)
    for (const operation of (await feature.operations?.()) ?? [])
      addOperation(server, keyed, archive, operation);
  for (const feature of features)
    for (const operation of (await feature.bytes?.()) ?? []) addBytes(server, keyed, archive, operation);
  for (const { endpoints } of features) await (await endpoints?.())?.(server, { ...keyed, archive });
  const sources = await Promise.all(
    features.map(async ({ metrics }) => (await metrics?.())?.(archive) ?? []),
  );
  watcher?.addRoutes(server, { connections, bytes, admission }, sources.flat());
  addServiceRoutes(server, { search, isStopping: () => isStopping });
  const asking = { archive, features, admission, bytes, security, accountLimiter: limiter };
  site = addPageRoutes(server, visitors, asking);
  for (const { pages } of features) await (await pages?.())?.(server, site);
  for (const route of features.flatMap(({ turns }) => turns ?? [])) queued.add({ route, pageLimit: light });
  const { visitorLimit: pageLimit } = site;
  for (const search of features.flatMap(({ searches }) => searches ?? []))
    queued.add({ pageLimit, ...(typeof search === 'string' ? { route: search } : search) });
  return server;
}

/** An ambiguous head ends the connection: what follows cannot be trusted to be a new request. */
function checkHeadOrClose(request: FastifyRequest, reply: FastifyReply): void {
  try {
    checkHead(request.raw);
  } catch (error) {
    reply.header('Connection', 'close');
    throw error;
  }
}

const HEALTH = {
  description: 'Needs no key. A 503 names the kind that cannot be read.',
  schema: 'Health',
  answers: 'Both kinds can be searched.',
  answer: { status: 'ok', posts: 'ok', comments: 'ok' },
} as const;

const STATES: readonly (StateDescription & { readonly path: string })[] = [
  { path: '/readyz', operationId: 'ready', summary: 'Whether the server is ready', ...HEALTH },
  { path: '/healthz', operationId: 'health', summary: 'The same under another name', ...HEALTH },
  {
    path: '/livez',
    operationId: 'live',
    summary: 'Whether the process answers',
    description: 'Needs no key, and looks at nothing else: neither at the index nor at what answers queries.',
    schema: 'Live',
    answers: 'It answers.',
    answer: { status: 'ok' },
  },
];

interface ServiceRouteDeps {
  readonly search: Pick<SearchService, 'readiness'>;
  /** The server is shutting down: it still answers, but load balancers should send no more. */
  readonly isStopping: () => boolean;
}

function addServiceRoutes(server: FastifyInstance, deps: ServiceRouteDeps): void {
  for (const { path, ...state } of STATES) {
    addReadRoute(server, {
      path,
      schema: stateSchema(state),
      handler: async (_request, reply) => {
        if (state.schema === 'Health') await expectReady(deps);
        reply.headers({ 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE });
        return reply.send(JSON.stringify(state.answer));
      },
    });
  }
  let document: string | null = null;
  addReadRoute(server, {
    path: '/api/v1/openapi.json',
    handler: (request, reply) => {
      document ??= JSON.stringify(server.swagger());
      return sendRepresentation(request, reply, { body: document, type: JSON_TYPE, caching: 'no-cache' });
    },
  });
}

/** Throws if the engine's threads are not running or an index cannot be read. Only the log has the details. */
async function expectReady({ search, isStopping }: ServiceRouteDeps): Promise<void> {
  if (isStopping())
    throw new ServiceError('busy', 'expected a running server, found one that is shutting down');
  const damages = await search.readiness();
  const refused = KINDS.map((kind) => storageRefusal(damages[kind])).find((error) => error !== null);
  if (refused !== undefined) throw refused;
  const out = KINDS.filter((kind) => damages[kind] !== null).map((kind) => `${kind}s`);
  if (out.length === 0) return;
  throw new ServiceError(
    'index_damaged',
    `expected an index that can be read, found that of ${out.join(' and ')} damaged`,
  );
}
