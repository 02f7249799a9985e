// The two endpoints: posts and comments. Contract 1.2.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Kind } from '../../model/record.ts';
import type { SearchService } from '../../search/search-service.ts';
import { authenticate, headerValues, type KeyChecker } from '../auth.ts';
import { droppedHeader } from '../dropped-header.ts';
import { EXAMPLES } from '../examples.ts';
import { searchRouteSchema } from '../openapi.ts';
import { readSearchParameters } from '../params.ts';
import { type RateLimiter, tooManyRequests } from '../rate-limit.ts';
import { addReadRoute } from '../read-route.ts';
import { REVALIDATED, sendRepresentation } from '../representation.ts';

export interface SearchRouteDeps {
  readonly search: SearchService;
  readonly keys: KeyChecker;
  /** null: no limit. */
  readonly limiter: RateLimiter | null;
}

const ENDPOINTS: readonly { readonly kind: Kind; readonly path: string; readonly envelopeId: string }[] = [
  { kind: 'post', path: '/api/v1/search/posts', envelopeId: 'PostsEnvelope' },
  { kind: 'comment', path: '/api/v1/search/comments', envelopeId: 'CommentsEnvelope' },
];

export function addSearchRoutes(server: FastifyInstance, deps: SearchRouteDeps): void {
  for (const { kind, path, envelopeId } of ENDPOINTS) {
    addReadRoute(server, {
      path,
      schema: searchRouteSchema(kind, envelopeId, EXAMPLES[kind]),
      handler: (request, reply) => answer(kind, deps, request, reply),
    });
  }
}

async function answer(
  kind: Kind,
  { search, keys, limiter }: SearchRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const owner = authenticate(headerValues(request.raw.rawHeaders, 'authorization'), keys);
  const allowance = limiter?.take(owner.keyId);
  if (allowance !== undefined) {
    reply.headers(allowance.headers);
    if (!allowance.allowed) throw tooManyRequests(allowance);
  }
  const { envelope, implied, dropped } = await search.search({
    kind,
    ...readSearchParameters(request.raw.url ?? ''),
  });
  if (implied !== null) reply.header('Colloquy-Implied', implied);
  const told = droppedHeader(dropped);
  if (told !== null) reply.header('Colloquy-Dropped', told);
  return sendRepresentation(request, reply, {
    body: JSON.stringify(envelope),
    type: 'application/json; charset=utf-8',
    caching: REVALIDATED,
    vary: ['Authorization'],
  });
}
