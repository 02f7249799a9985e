// The two endpoints: posts and comments. Contract 1.2.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Kind } from '../../model/record.ts';
import type { SearchResult, SearchService } from '../../search/search-service.ts';
import { authenticate, headerValues, type KeyChecker } from '../auth.ts';
import { droppedHeader } from '../dropped-header.ts';
import { jsonPieces } from '../json-pieces.ts';
import { pageLinks, searchRouteSchemas } from '../openapi.ts';
import { readSearchParameters, type SearchParameters } from '../params.ts';
import { encodeValue } from '../query-string.ts';
import { type RateLimiter, tooManyRequests } from '../rate-limit.ts';
import { addReadRoute } from '../read-route.ts';
import { REVALIDATED, sendRepresentation } from '../representation.ts';
import type { Visitors } from '../visitor.ts';

export interface SearchRouteDeps {
  readonly search: SearchService;
  readonly keys: KeyChecker;
  /** null: no limit. */
  readonly limiter: RateLimiter | null;
  readonly visitors: Visitors;
}

interface Endpoint {
  readonly kind: Kind;
  readonly path: string;
  readonly envelopeId: string;
}

const ENDPOINTS: readonly Endpoint[] = [
  { kind: 'post', path: '/api/v1/search/posts', envelopeId: 'PostsEnvelope' },
  { kind: 'comment', path: '/api/v1/search/comments', envelopeId: 'CommentsEnvelope' },
];

export function addSearchRoutes(server: FastifyInstance, deps: SearchRouteDeps): void {
  for (const endpoint of ENDPOINTS) {
    const { kind, path, envelopeId } = endpoint;
    const { get, head } = searchRouteSchemas(kind, envelopeId);
    addReadRoute(server, {
      path,
      schema: get,
      headSchema: head,
      links: pageLinks(kind),
      handler: (request, reply) => answer(endpoint, deps, request, reply),
    });
  }
}

async function answer(
  { kind, path }: Endpoint,
  { search, keys, limiter, visitors }: SearchRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const owner = authenticate(headerValues(request.raw.rawHeaders, 'authorization'), keys);
  const allowance = limiter?.take(owner.keyId);
  if (allowance !== undefined) {
    reply.headers(allowance.headers);
    if (!allowance.allowed) throw tooManyRequests(allowance);
  }
  const parameters = readSearchParameters(request.raw.url ?? '');
  const result = await search.search({ kind, ...parameters });
  const address = visitors.of(request).ownAddress + path;
  reply.headers(headersOf(result, parameters, address));
  return sendRepresentation(request, reply, {
    body: await jsonPieces(result.envelope),
    type: 'application/json; charset=utf-8',
    caching: REVALIDATED,
    vary: ['Authorization'],
  });
}

/** What is told of a page beside its body. `address` is that of the endpoint. */
function headersOf(
  { envelope, implied, dropped, hasMore, isShort }: SearchResult,
  { order, limit }: SearchParameters,
  address: string,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (implied !== null) headers['Colloquy-Implied'] = implied;
  const told = droppedHeader(dropped);
  if (told !== null) headers['Colloquy-Dropped'] = told;
  if (isShort) headers['Colloquy-Page'] = 'short';
  if (hasMore) {
    // The echo, not the query as written: its window is the same on every page.
    const query = `query=${encodeValue(envelope.query)}&order_by=${order}&limit=${limit}`;
    headers.Link = `<${address}?${query}&after=${envelope.sort_key[0]![0]!}>; rel="next"`;
  }
  return headers;
}
