// Who may read the metrics, and their text. Figures of the index and the data folder are in figures.ts.

import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Config } from '../../config.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import { headerValues, isLoopback, type Visitors } from '../../http/requests/caller.ts';
import { addRead } from '../../http/site/respond.ts';
import type { ServerFigures, Told, Watcher } from '../../http/site/site.ts';
import type { LogLines } from '../../log.ts';
import { describedFigures, type Family, type FamilySource, type FigureTable } from '../../metrics.ts';
import { quoted } from '../../text/quoted.ts';
import { ADMISSION_FIGURES, BYTE_FIGURES, CONNECTION_FIGURES } from './figures.ts';
import { RequestWatch, SLOW_MS, type WatchDeps } from './request-watch.ts';

export interface SeenDeps extends WatchDeps {
  /** null: nobody; `/metrics` does not exist. */
  readonly metrics: MetricsReaders | null;
}

/** Watches the routes that are added after it. */
export class Seen extends RequestWatch implements Watcher {
  readonly #deps: SeenDeps;
  readonly #visitors: Visitors;

  constructor(deps: SeenDeps, visitors: Visitors) {
    super(deps, visitors);
    this.#deps = deps;
    this.#visitors = visitors;
  }

  addRoutes(server: FastifyInstance, figures: ServerFigures, sources: readonly FamilySource[]): void {
    const { metrics, lines } = this.#deps;
    if (metrics === null) return;
    watchProcess(this.registry);
    const own = [
      describedFigures(LOG_FIGURES, () => lines.figures()),
      describedFigures(CONNECTION_FIGURES, () => figures.connections.figures()),
      describedFigures(BYTE_FIGURES, () => figures.bytes.figures()),
      describedFigures(ADMISSION_FIGURES, () => figures.admission.figures()),
    ];
    addMetricsRoute(server, metrics, this.#visitors, this.registry, [...own, ...sources]);
  }
}

const METRICS_PATH = '/metrics';

/** Who may read the metrics: programs on this machine, or holders of the token. */
export type MetricsReaders =
  | { readonly kind: 'loopback' }
  | { readonly kind: 'token'; readonly token: string };

/** Headers that proxies add: with any of them, the request is not local. */
const PROXY_HEADERS = [
  ...['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
];

function addMetricsRoute(
  server: FastifyInstance,
  readers: MetricsReaders,
  visitors: Visitors,
  counted: Registry,
  sources: readonly FamilySource[],
): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    expectReader(request, readers, visitors);
    const families = await Promise.all(sources.map((source) => source()));
    const told = Registry.merge([counted, registryOf(families.flat())]);
    return reply
      .headers({ 'Cache-Control': 'no-store', 'Content-Type': told.contentType })
      .send(Buffer.from(await told.metrics()));
  };
  // No OPTIONS, because pages of other sites must not read them.
  addRead(server, METRICS_PATH, handler);
}

/** Keeps the order; omits families without samples. */
export function registryOf(families: readonly Family[]): Registry {
  const registry = new Registry();
  for (const { name, help, samples } of families) {
    const [first] = samples;
    if (first === undefined) continue;
    const told = { name, help, labelNames: Object.keys(first.labels ?? {}), registers: [registry] };
    if (name.endsWith('_total')) {
      const counter = new Counter(told);
      for (const { labels = {}, value } of samples) counter.inc(labels, value);
    } else {
      const gauge = new Gauge(told);
      for (const { labels = {}, value } of samples) gauge.set(labels, value);
    }
  }
  return registry;
}

/** Gauges whose names end as those of counters do. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `nodejs_active_${what}_total`);

/** CPU, memory, files and the event loop, by the names that dashboards for Node know. */
function watchProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  let last = performance.eventLoopUtilization();
  new Gauge({
    name: 'nodejs_eventloop_utilization',
    help: 'Share of the time since the metrics were last read in which the event loop was at work, 0 to 1.',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, last).utilization);
      last = now;
    },
  });
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
 * Checks the peer of the connection, and the `Host`, which a page of another site cannot forge. Refuses HTTP/1.0, which
 * nginx speaks by default: it may be a proxy that adds no header.
 */
function isFromHere({ raw, hostname, server }: FastifyRequest): boolean {
  if (raw.httpVersion === '1.0' || PROXY_HEADERS.some((name) => raw.headers[name] !== undefined))
    return false;
  // Only programs on this machine can reach a Unix socket.
  if (typeof server.server.address() === 'string') return true;
  const { remoteAddress = '' } = raw.socket;
  const peer = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '');
  return isLoopback(peer) && isLoopback(hostname);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const LOG_FIGURES: FigureTable<ReturnType<LogLines['figures']>> = {
  lost: ['colloquy_log_lines_lost_total', 'Log lines that could not be written.'],
};

/** Characters: shorter tokens could be guessed. */
export const MIN_TOKEN_LENGTH = 16;

/** Throws a UsageError if a file named in the settings cannot be used. */
export function watcherOf(config: Config, told: Told): (visitors: Visitors) => Watcher {
  const metrics = metricsReaders(config);
  const deps = { ...told, metrics, requests: config.logRequests, slowMs: SLOW_MS };
  return (visitors) => new Seen(deps, visitors);
}

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
