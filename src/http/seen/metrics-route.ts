// The metrics, as Prometheus reads them: for programs on this machine, or for those that have the token. Contract 14.2.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { EXPOSITION_TYPE, exposition, type FamilySource } from '../../metrics/families.ts';
import { headerValues } from '../auth.ts';
import { isLoopback } from '../rate-limit.ts';
import type { Visitors } from '../visitor.ts';

export const METRICS_PATH = '/metrics';

/** Who may read the metrics: programs on this machine, or whoever has the token. */
export type MetricsReaders =
  | { readonly kind: 'loopback' }
  | { readonly kind: 'token'; readonly token: string };

/** What a proxy adds: with any of them, the request comes from elsewhere. */
const PROXY_HEADERS = [
  ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
];

export function addMetricsRoute(
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
