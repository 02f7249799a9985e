// A path that can only be read: GET, HEAD with the same headers, and OPTIONS for a browser's preflight. And the
// methods that every path has.

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { AnswerLinks } from '../operation/operation.ts';
import { PREFLIGHT_HEADERS } from './answers/problems.ts';

const READ_METHODS = 'GET, HEAD, OPTIONS';

interface ReadRoute {
  readonly path: string;
  /** Absent: the path is not in the OpenAPI document. */
  readonly schema?: FastifySchema;
  /** The same for HEAD. */
  readonly headSchema?: FastifySchema;
  /** Of the answers to GET; absent: none. */
  readonly links?: AnswerLinks;
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

export function addReadRoute(
  server: FastifyInstance,
  { path, schema, headSchema, links, handler }: ReadRoute,
): void {
  const hidden: FastifySchema = { hide: true };
  const shown = { schema: schema ?? hidden, ...(links === undefined ? {} : { links: { 200: links } }) };
  server.route({ method: 'GET', url: path, ...shown, handler });
  server.route({ method: 'HEAD', url: path, schema: headSchema ?? hidden, handler });
  server.route({
    method: 'OPTIONS',
    url: path,
    schema: hidden,
    handler: async (_request, reply) =>
      reply
        .code(204)
        .headers({ ...PREFLIGHT_HEADERS, Allow: READ_METHODS })
        .send(),
  });
}

/**
 * Which methods a path has, for `Allow` on requests that no route handles. Filled as routes are added. Stores paths
 * with parameters (`/account/link/:token`) by their pattern.
 */
export class PathTable {
  readonly #methods = new Map<string, Set<string>>();

  add(path: string, methods: string | readonly string[]): void {
    const key = normalised(path);
    const known = this.#methods.get(key) ?? new Set();
    for (const method of [methods].flat()) known.add(method);
    this.#methods.set(key, known);
  }

  /** Methods of the path of this address, sorted; null if there is no such path. */
  methodsOf(address: string): readonly string[] | null {
    const path = decoded(normalised(address.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/)[0]!));
    const exact = this.#methods.get(path);
    if (exact !== undefined) return [...exact].sort();
    for (const [pattern, methods] of this.#methods) {
      if (isMatch(pattern, path)) return [...methods].sort();
    }
    return null;
  }
}

function normalised(path: string): string {
  return path.replace(/\/$/, '') || '/';
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isMatch(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const found = path.split('/');
  return (
    pattern.includes(':') &&
    wanted.length === found.length &&
    wanted.every((piece, at) => (piece.startsWith(':') ? found[at] !== '' : piece === found[at]))
  );
}
