// What the operator is told of requests: metrics, lines, and the security log. One place for what other parts of the
// server count: `add`.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SecurityLog } from '../../accounts/security-log.ts';
import { ServiceError } from '../../errors.ts';
import { EXPOSITION_TYPE, exposition, type FamilySource } from '../../metrics/families.ts';
import { headerValues, isLoopback, type Visitors } from '../requests/caller.ts';
import { type RequestLineDeps, requestTeller } from './request-lines.ts';
import { RequestWatch } from './request-watch.ts';

export interface SeenDeps extends Omit<RequestLineDeps, 'visitors'> {
  readonly security: SecurityLog;
  /** null: nobody; there is no such path then. */
  readonly metrics: MetricsReaders | null;
  /** What is told of the program besides the server. */
  readonly sources: readonly FamilySource[];
}

/** Watches all that is added to the server from now on. */
export class Seen {
  readonly watch: RequestWatch;
  readonly #deps: SeenDeps;
  readonly #visitors: Visitors;
  readonly #sources: FamilySource[];

  constructor(deps: SeenDeps, visitors: Visitors) {
    this.#deps = deps;
    this.#visitors = visitors;
    const tell = requestTeller({ ...deps, visitors });
    this.watch = new RequestWatch({ visitors, security: deps.security, tell });
    this.#sources = [() => this.watch.families(), ...deps.sources];
  }

  /** Further metrics, asked for whenever somebody reads them. */
  add(source: FamilySource): void {
    this.#sources.push(source);
  }

  addRoute(server: FastifyInstance): void {
    const { metrics } = this.#deps;
    if (metrics !== null) addMetricsRoute(server, metrics, this.#visitors, this.#sources);
  }
}

const METRICS_PATH = '/metrics';

/** Who may read the metrics: programs on this machine, or whoever has the token. */
export type MetricsReaders =
  | { readonly kind: 'loopback' }
  | { readonly kind: 'token'; readonly token: string };

/** What a proxy adds: with any of them, the request comes from elsewhere. */
const PROXY_HEADERS = [
  ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
];

/**
 * The metrics, as Prometheus reads them: for programs on this machine, or for those that have the token. Contract
 * 14.2.
 */
function addMetricsRoute(
  server: FastifyInstance,
  readers: MetricsReaders,
  visitors: Visitors,
  sources: readonly FamilySource[],
): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    expectReader(request, readers, visitors);
    const families = await Promise.all(sources.map((source) => source()));
    return reply
      .headers({ 'Cache-Control': 'no-store', 'Content-Type': EXPOSITION_TYPE })
      .send(Buffer.from(exposition(families.flat())));
  };
  // No OPTIONS: no page of another site has anything to do with it.
  for (const method of ['GET', 'HEAD'] as const) {
    server.route({ method, url: METRICS_PATH, schema: { hide: true }, handler });
  }
}

function expectReader(request: FastifyRequest, readers: MetricsReaders, visitors: Visitors): void {
  if (readers.kind === 'token') expectToken(request, readers.token);
  else if (!isFromHere(request) || visitors.hasStrangeProxy) {
    throw new ServiceError(
      'forbidden',
      'expected a request from this machine that came through no proxy, found another; ' +
        'the operator may set `COLLOQUY_METRICS` to a file with a token',
    );
  }
}

function expectToken(request: FastifyRequest, token: string): void {
  const [given, ...others] = headerValues(request.raw.rawHeaders, 'authorization');
  if (given === undefined) {
    throw new ServiceError('missing_key', 'expected the header `Authorization: Bearer <token>`, found none');
  }
  const presented = /^bearer +(\S+)$/i.exec(given.trim())?.[1] ?? '';
  if (others.length > 0 || !timingSafeEqual(digest(presented), digest(token))) {
    throw new ServiceError(
      'invalid_key',
      'header `Authorization`: expected the token that `COLLOQUY_METRICS` names, found another',
    );
  }
}

/**
 * By the connection itself and the name that was asked for, which a page of another site cannot choose. A proxy that
 * adds no header may speak HTTP/1.0, as nginx does unless it is told otherwise.
 */
function isFromHere({ raw, hostname, server }: FastifyRequest): boolean {
  if (raw.httpVersion === '1.0' || PROXY_HEADERS.some((name) => raw.headers[name] !== undefined))
    return false;
  // A socket in the file system: only programs of this machine reach it.
  if (typeof server.server.address() === 'string') return true;
  const { remoteAddress = '' } = raw.socket;
  const peer = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '');
  return isLoopback(peer) && isLoopback(hostname);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
