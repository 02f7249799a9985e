// Counts and times every request when its answer is sent or its caller disconnects, and logs it if that is set. A slow
// query has its own line. No line contains text from callers: the route stands for the path, and the kinds and numbers
// of its items for a query. Contract 14.2 and 14.3.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { SecurityEventName } from '../../accounts/security-log.ts';
import type { ProblemCode } from '../../errors.ts';
import { refusalOf } from '../../http/answers/problems.ts';
import { REFUSED } from '../../http/framework.ts';
import type { QuickRefusal } from '../../http/quick-refusal.ts';
import type { Visitors } from '../../http/requests/caller.ts';
import type { Told } from '../../http/site/site.ts';
import { Thinned } from '../../log.ts';
import type { Query, QueryItem } from '../../model/query.ts';
import { parseQueryString } from '../../operation/parameters.ts';
import { interpretQuery } from '../../search/language/interpret.ts';

/** Seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const GONE = '499';

/** Milliseconds between two lines of the security log about a rate-limited network. */
const LIMIT_HIT_EVERY_MS = 10_000;

/** A finished request: answered in full, or the caller disconnected. */
interface WatchedRequest {
  readonly request: FastifyRequest;
  readonly method: string;
  /** The pattern of the path; NO_ROUTE: no route handles it. */
  readonly route: string;
  readonly status: string;
  /** The code of the error, in whatever format it was sent; null: none. */
  readonly code: ProblemCode | null;
  /** Until the answer was made; `ms`: until all of it was sent. */
  readonly answeredMs: number;
  readonly ms: number;
  /** Of the answer, headers included. */
  readonly bytes: number;
  /** The caller disconnected before all of the answer was sent. */
  readonly isCut: boolean;
}

export interface WatchDeps extends Told {
  /** `address`: lines include the caller's full address. */
  readonly requests: 'off' | 'on' | 'address';
  /** A query that takes at least this many milliseconds has its own line; 0: none has. */
  readonly slowMs: number;
}

export class RequestWatch {
  readonly #deps: WatchDeps;
  readonly #visitors: Visitors;
  /** When the answer was made, for requests in progress. */
  readonly #answered = new WeakMap<FastifyRequest, number>();
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: 'colloquy_requests_total',
    help:
      'Requests, by the pattern of their path (`none`: no such path), their method and the status of the answer ' +
      '(499: the caller went before).',
    labelNames: ['route', 'method', 'status'],
    registers: [this.registry],
  });
  readonly #refusals = new Counter({
    name: 'colloquy_refusals_total',
    help: 'Answers that are a problem, by its code, as in the list of errors.',
    labelNames: ['code'],
    registers: [this.registry],
  });
  readonly #seconds = new Histogram({
    name: 'colloquy_request_seconds',
    help: 'Seconds until the answer was made, by the class of the work; without the time in which it was sent.',
    buckets: BOUNDS,
    labelNames: ['class'],
    registers: [this.registry],
  });
  readonly #bytes = new Counter({
    name: 'colloquy_sent_bytes_total',
    help: 'Bytes of answers, with their heads.',
    registers: [this.registry],
  });
  readonly #underWay = new Gauge({
    name: 'colloquy_requests_under_way',
    help: 'Requests in progress, including the one for the metrics.',
    registers: [this.registry],
  });
  readonly #limitHits = new Thinned(LIMIT_HIT_EVERY_MS);

  constructor(deps: WatchDeps, visitors: Visitors) {
    this.#deps = deps;
    this.#visitors = visitors;
  }

  /** Call it before anything else is added to the server. */
  watch(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      this.begin(request, reply);
      done();
    });
    server.addHook('onSend', (request, _reply, payload, done) => {
      this.#answered.set(request, performance.now());
      done(null, payload);
    });
    server.server.on('connection', (socket) =>
      socket.once(REFUSED, (code: ProblemCode) => this.#refusals.inc({ code })),
    );
  }

  begin(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = reply;
    const { socket } = request.raw;
    const start = performance.now();
    const sentBefore = socket.bytesWritten ?? 0;
    this.#underWay.inc();
    raw.once('close', () => {
      this.#underWay.dec();
      const end = performance.now();
      const isGone = !raw.headersSent;
      this.#count({
        request,
        method: request.method,
        route: request.is404 ? NO_ROUTE : (request.routeOptions.url ?? NO_ROUTE),
        status: isGone ? GONE : String(raw.statusCode),
        code: refusalOf(request),
        answeredMs: (this.#answered.get(request) ?? end) - start,
        ms: end - start,
        bytes: Math.max(0, (socket.bytesWritten ?? 0) - sentBefore),
        isCut: !isGone && !raw.writableFinished,
      });
    });
  }

  #count(watched: WatchedRequest): void {
    const { route, status, code, request } = watched;
    this.countQuick(watched);
    const event = securityEventOf(status, code);
    if (event !== null) {
      const { address, network } = this.#visitors.of(request);
      const others = event === 'limit_hit' ? this.#limitHits.next(network) : 0;
      const told = { security: event, id: request.id, address, route } as const;
      if (others !== null) this.#deps.security({ ...told, ...(others > 0 && { others }) });
    }
    const { requests, slowMs } = this.#deps;
    const isCheck = CHECKS.includes(route) && status === '200';
    if (requests !== 'off' && !isCheck) this.#tellRequest(watched);
    if (slowMs > 0 && watched.answeredMs >= slowMs) this.#tellSlow(watched);
  }

  #tellRequest({ request, route, method, status, code, ms, bytes, isCut }: WatchedRequest): void {
    this.#deps.lines.write({
      ...{ level: 'info', msg: 'request', id: request.id, method, route, status: Number(status) },
      ...(code !== null && { code }),
      ...{ ms: rounded(ms), bytes },
      ...(isCut && { cut: true }),
      ...(this.#deps.requests === 'address' && { address: this.#visitors.of(request).address }),
    });
  }

  #tellSlow({ request, route, status, answeredMs }: WatchedRequest): void {
    const shapes = shapesOf(request.raw.url ?? '');
    if (shapes.length === 0 || NO_QUESTION.includes(workClassOf(route))) return;
    this.#deps.lines.write({
      ...{ level: 'warn', msg: 'slow question', id: request.id, route, status: Number(status) },
      ...{ ms: rounded(answeredMs), shapes },
    });
  }

  /** Counts without a log line: under load there may be thousands of refusals a second. */
  countQuick(refusal: Omit<QuickRefusal, 'code'> & Pick<WatchedRequest, 'code'>): void {
    const { route, method, status, code, answeredMs, bytes } = refusal;
    this.#requests.inc({ route, method, status });
    this.#seconds.observe({ class: workClassOf(route) }, answeredMs / 1000);
    this.#bytes.inc(bytes);
    if (code !== null) this.#refusals.inc({ code });
  }
}

/** null: not for the security log. Sign-ins write their own events. */
function securityEventOf(status: string, code: ProblemCode | null): SecurityEventName | null {
  if (status === '429') return 'limit_hit';
  if (code === 'invalid_key') return 'key_refused';
  return code === 'forbidden' ? 'request_refused' : null;
}

/** Classes of routes with similar durations, which share a histogram. The first match counts. */
const CLASSES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^\/api\/v1\/search\//, 'search'],
  [/^\/api\/v1\/(?:timeline|counts|breakdown|compare|explain|sample|words)\//, 'analysis'],
  [/^\/api\/v1\/(?:records|thread)\//, 'records'],
  [/^\/api\/v1\/export\/.*\/schema$/, 'service'],
  [/^\/(?:api\/v1\/export\/|download$)/, 'export'],
  [/^\/(?:api\/v1\/)?datasets(?:\/|$)/, 'datasets'],
  [/^\/(?:api\/v1\/)?coverage$/, 'coverage'],
  [/^\/(?:|search|breakdown|timeline\.csv|breakdown\.csv|suggest)$/, 'search_page'],
  [/^\/(?:compare|pictures)(?:\.csv)?$/, 'analysis_page'],
  [/^\/(?:record|thread)(?:\/|$)/, 'reading_page'],
  [/^\/(?:feed\/|search\.(?:atom|json)$)/, 'feed'],
  [/^\/api\/v1\/saved(?:\/|$)/, 'saved'],
  [/^\/(?:cite|api\/v1\/citations)(?:\/|$)/, 'citations'],
  [/^\/(?:sign-in|sign-out|register|account)(?:\/|$)/, 'account_page'],
  [/^\//, 'service'],
];

const NO_ROUTE = 'none';

export const CLASS_NAMES: readonly string[] = [...new Set(CLASSES.map(([, name]) => name)), NO_ROUTE];

/** `route`: the router's pattern, or NO_ROUTE. */
export function workClassOf(route: string): string {
  return CLASSES.find(([pattern]) => pattern.test(route))?.[1] ?? NO_ROUTE;
}

export const SLOW_MS = 1000;

/** Health checks and scrapes, not logged if they succeed. */
const CHECKS: readonly string[] = ['/livez', '/readyz', '/healthz', '/metrics'];
const QUERIES: readonly string[] = ['query', 'q', 'under', 'against'];
const MAX_SHAPES = 4;
/** Streamed downloads: always long, so never slow queries. */
const NO_QUESTION: readonly string[] = ['export', 'datasets'];

/** One per query in the address, in order; empty if the address cannot be parsed. */
function shapesOf(address: string): string[] {
  const start = address.indexOf('?');
  if (start === -1) return [];
  try {
    return parseQueryString(address.slice(start + 1))
      .filter(({ name }) => QUERIES.includes(name))
      .slice(0, MAX_SHAPES)
      .map(({ name, value }) => (name === 'query' ? shapeOfText(value) : `${name}: ${shapeOfText(value)}`));
  } catch {
    return [];
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** `2 words, 1 phrase, after, community`; `everything` for an empty query, `not understood` for a bad one. */
export function shapeOfText(text: string): string {
  try {
    return shapeOf(interpretQuery(text, { impliedWindow: 'off' }).query);
  } catch {
    return 'not understood';
  }
}

function shapeOf({ items }: Query): string {
  if (items.length === 0) return 'everything';
  const counts = new Map<string, number>();
  for (const item of items) {
    const isExcluded = 'negated' in item && item.negated;
    const name = `${isExcluded ? 'excluded ' : ''}${nameOf(item)}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => words(name, count)).join(', ');
}

const COUNTED: Readonly<Record<string, string>> = {
  word: 'words',
  phrase: 'phrases',
  prefix: 'prefixes',
  'any-of': 'any-ofs',
};

function nameOf(item: QueryItem): string {
  if (item.kind !== 'words') return item.kind;
  const [first, ...others] = item.words;
  if (first === undefined || others.length > 0) return 'any-of';
  return first.kind === 'term' ? 'word' : first.kind;
}

/** Words always have a number, other items from two on. */
function words(name: string, count: number): string {
  const plain = name.replace('excluded ', '');
  const many = COUNTED[plain];
  if (many === undefined) return count === 1 ? name : `${count} × ${name}`;
  return `${count} ${count === 1 ? name : name.replace(plain, many)}`;
}
