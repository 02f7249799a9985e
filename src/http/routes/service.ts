// Routes besides the endpoints: health checks and the OpenAPI document.

import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { KINDS } from '../../model/record.ts';
import type { SearchService } from '../../search/search-service.ts';
import { storageRefusal } from '../answers/problems.ts';
import { sendRepresentation } from '../answers/representation.ts';
import { type StateDescription, stateSchema } from '../operations/openapi.ts';
import { addReadRoute, JSON_TYPE } from './endpoints.ts';

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

export function addServiceRoutes(server: FastifyInstance, deps: ServiceRouteDeps): void {
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
