// Routes besides the endpoints: health checks, a front page for servers without pages, and the OpenAPI document.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { KINDS } from '../../model/record.ts';
import type { SearchService } from '../../search/search-service.ts';
import { SEARCH_PATHS } from '../addresses.ts';
import { storageRefusal } from '../answers/problems.ts';
import { sendRepresentation } from '../answers/representation.ts';
import { healthRouteSchema, liveRouteSchema } from '../operations/openapi.ts';
import { addReadRoute, JSON_TYPE } from './endpoints.ts';

const FRONT = `Colloquy: search over the posts and comments of a discussion site.

API       ${KINDS.map((kind) => `GET ${SEARCH_PATHS[kind]}?query=…`).join('  and  ')}
Key       Authorization: Bearer <key>, made by: node bin/colloquy.mjs keys create --account you@example.org
Schema    GET /api/v1/openapi.json (OpenAPI 3.1)
Docs      the folder docs/ of the project
`;

const READY = JSON.stringify({
  status: 'ok',
  ...Object.fromEntries(KINDS.map((kind) => [`${kind}s`, 'ok'])),
});

const ALIVE = JSON.stringify({ status: 'ok' });

/** Path, operation id and summary for the OpenAPI document. */
const HEALTH_PATHS = [
  ['/readyz', 'ready', 'Whether the server is ready'],
  ['/healthz', 'health', 'The same under another name'],
] as const;

interface ServiceRouteDeps {
  readonly search: Pick<SearchService, 'readiness'>;
  /** Then `/` is a page. */
  readonly hasPages: boolean;
  /** The server is shutting down: it still answers, but load balancers should send no more. */
  readonly isStopping: () => boolean;
}

export function addServiceRoutes(server: FastifyInstance, deps: ServiceRouteDeps): void {
  const { search, hasPages, isStopping } = deps;
  if (!hasPages) {
    addReadRoute(server, {
      path: '/',
      handler: (request, reply) =>
        sendRepresentation(request, reply, {
          body: FRONT,
          type: 'text/plain; charset=utf-8',
          caching: 'no-cache',
        }),
    });
  }
  for (const [path, operationId, summary] of HEALTH_PATHS) {
    addReadRoute(server, {
      path,
      schema: healthRouteSchema(operationId, summary),
      handler: async (_request, reply) => {
        if (isStopping())
          throw new ServiceError('busy', 'expected a running server, found one that is shutting down');
        await expectReady(search);
        return sendState(reply, READY);
      },
    });
  }
  addReadRoute(server, {
    path: '/livez',
    schema: liveRouteSchema(),
    handler: async (_request, reply) => sendState(reply, ALIVE),
  });
  let document: string | null = null;
  addReadRoute(server, {
    path: '/api/v1/openapi.json',
    handler: (request, reply) => {
      document ??= JSON.stringify(server.swagger());
      return sendRepresentation(request, reply, { body: document, type: JSON_TYPE, caching: 'no-cache' });
    },
  });
}

function sendState(reply: FastifyReply, state: string): FastifyReply {
  return reply.headers({ 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE }).send(state);
}

/** Throws if the engine's threads are not running or an index cannot be read. Only the log has the details. */
async function expectReady(search: ServiceRouteDeps['search']): Promise<void> {
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
