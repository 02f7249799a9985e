// What the operator is told of requests: metrics, lines, and the security log, as the settings say. Metrics of the
// index, the data folder and the process are in figures.ts.

import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SecurityLog } from '../../accounts/security-log.ts';
import type { Config } from '../../config.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import { headerValues, isLoopback, type Visitors } from '../../http/requests/caller.ts';
import type { ServerFigures, Told, Watcher } from '../../http/site/site.ts';
import type { LogLines } from '../../log.ts';
import { describedFigures, type FamilySource, type FigureTable } from '../../metrics/families.ts';
import { quoted } from '../../text/quoted.ts';
import { EXPOSITION_TYPE, exposition } from './exposition.ts';
import { ADMISSION_FIGURES, BYTE_FIGURES, CONNECTION_FIGURES } from './figures.ts';
import { type RequestLineDeps, RequestWatch, requestTeller, SLOW_MS } from './request-watch.ts';

export interface SeenDeps extends Omit<RequestLineDeps, 'visitors'> {
  readonly security: SecurityLog;
  /** null: nobody; there is no such path then. */
  readonly metrics: MetricsReaders | null;
}

/** Watches all that is added to the server from now on. */
export class Seen extends RequestWatch implements Watcher {
  readonly #deps: SeenDeps;
  readonly #visitors: Visitors;

  constructor(deps: SeenDeps, visitors: Visitors) {
    super({ visitors, security: deps.security, tell: requestTeller({ ...deps, visitors }) });
    this.#deps = deps;
    this.#visitors = visitors;
  }

  addRoutes(server: FastifyInstance, figures: ServerFigures, sources: readonly FamilySource[]): void {
    const { metrics, lines } = this.#deps;
    if (metrics === null) return;
    const own = [
      () => this.families(),
      describedFigures(LOG_FIGURES, () => lines.figures()),
      describedFigures(CONNECTION_FIGURES, figures.connections),
      describedFigures(BYTE_FIGURES, figures.bytes),
      describedFigures(ADMISSION_FIGURES, figures.admission),
    ];
    addMetricsRoute(server, metrics, this.#visitors, [...own, ...sources]);
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

const LOG_FIGURES: FigureTable<ReturnType<LogLines['figures']>> = {
  lost: {
    ...{ name: 'colloquy_log_lines_lost_total', type: 'counter' },
    help: 'Lines of the log that could not be written.',
  },
};

/** Characters: a token that is shorter could be guessed. */
export const MIN_TOKEN_LENGTH = 16;

/** As the settings say. Throws a UsageError where a file that is set cannot be used. */
export function watcherOf(config: Config, { lines, security }: Told): (visitors: Visitors) => Watcher {
  const metrics = metricsReaders(config);
  const deps = { lines, security, metrics, requests: config.logRequests, slowMs: SLOW_MS };
  return (visitors) => new Seen(deps, visitors);
}

/** null: nobody. */
function metricsReaders({ metrics }: Config): MetricsReaders | null {
  if (metrics === 'off') return null;
  return metrics === 'loopback' ? { kind: 'loopback' } : { kind: 'token', token: readToken(metrics) };
}

function readToken(file: string): string {
  const expected = `expected \`loopback\`, \`off\`, or a file with a token of ${MIN_TOKEN_LENGTH} characters or more`;
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`setting \`COLLOQUY_METRICS\`: ${expected}, found ${quoted(file)} (${code})`, {
      cause: error,
    });
  }
  if (token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(`setting \`COLLOQUY_METRICS\`: ${expected}, found other content in ${quoted(file)}`);
}
