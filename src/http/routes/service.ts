// The paths beside the endpoints: is the server well, what is it, and the OpenAPI document.

import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { HEALTH_ROUTE_SCHEMA } from '../openapi.ts';
import { addReadRoute } from '../read-route.ts';
import { sendRepresentation } from '../representation.ts';

const FRONT = `Colloquy: search over the posts and comments of a discussion site.

API       GET /api/v1/search/posts?query=…  and  GET /api/v1/search/comments?query=…
Key       Authorization: Bearer <key>, made by: node bin/colloquy.mjs keys create --account you@example.org
Schema    GET /api/v1/openapi.json (OpenAPI 3.1)
Docs      the folder docs/ of the project
`;

const JSON_TYPE = 'application/json; charset=utf-8';

export interface ServiceRouteDeps {
  /** Whether questions can be answered. */
  readonly isReady: () => boolean;
  /** Whether there are pages: `/` is then one of them. */
  readonly hasPages: boolean;
}

export function addServiceRoutes(server: FastifyInstance, { isReady, hasPages }: ServiceRouteDeps): void {
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
  addReadRoute(server, {
    path: '/healthz',
    schema: HEALTH_ROUTE_SCHEMA,
    handler: async (_request, reply) => {
      if (!isReady())
        throw new ServiceError('busy', 'expected an open index, found one that is being opened');
      return reply
        .headers({ 'Cache-Control': 'no-store', 'Content-Type': JSON_TYPE })
        .send('{"status":"ok"}');
    },
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
