// The lines of requests: one for each that is over, and one for a slow question. That tells the shape of the query,
// what kinds of items it has and how many, and nothing of what they say. Contract 14.3.

import type { Visitors } from '../../http/requests/caller.ts';
import type { LogLines } from '../../log.ts';
import type { Query, QueryItem } from '../../model/query.ts';
import { parseQueryString } from '../../operation/query-string.ts';
import { interpretQuery } from '../../search/language/interpret.ts';
import { type WatchedRequest, workClassOf } from './request-watch.ts';

interface RequestLineSettings {
  /** `address`: each line has the whole address of its caller. */
  readonly requests: 'off' | 'on' | 'address';
  /** A question that takes this long, in milliseconds, has a line of its own; 0: none has. */
  readonly slowMs: number;
}

/** Half of the time that a query has by default. */
export const SLOW_MS = 1000;

export interface RequestLineDeps extends RequestLineSettings {
  readonly lines: LogLines;
  readonly visitors: Visitors;
}

/** What programs ask for again and again: where all is well, nobody is told. */
const CHECKS: readonly string[] = ['/livez', '/readyz', '/healthz', '/metrics'];
/** Parameters that hold a query. */
const QUERIES: readonly string[] = ['query', 'q', 'under', 'against'];
/** Of so many queries in one request the shape is told. */
const MAX_SHAPES = 4;
/** What is long by its nature: a file is made while it is sent. */
const NO_QUESTION: readonly string[] = ['export', 'datasets'];

export function requestTeller(deps: RequestLineDeps): (watched: WatchedRequest) => void {
  const { requests, slowMs } = deps;
  return (watched) => {
    const isCheck = CHECKS.includes(watched.route) && watched.status === '200';
    if (requests !== 'off' && !isCheck) tellRequest(deps, watched);
    if (slowMs > 0 && watched.answeredMs >= slowMs) tellSlow(deps, watched);
  };
}

function tellRequest({ lines, visitors, requests }: RequestLineDeps, watched: WatchedRequest): void {
  const { request, route, method, status, code, ms, bytes, isCut } = watched;
  lines.write({
    level: 'info',
    msg: 'request',
    id: request.id,
    method,
    route,
    status: Number(status),
    ...(code !== null && { code }),
    ms: rounded(ms),
    bytes,
    ...(isCut && { cut: true }),
    ...(requests === 'address' && { address: visitors.of(request).address }),
  });
}

function tellSlow({ lines }: RequestLineDeps, { request, route, status, answeredMs }: WatchedRequest): void {
  const shapes = shapesOf(request.raw.url ?? '');
  if (shapes.length === 0 || NO_QUESTION.includes(workClassOf(route))) return;
  lines.write({
    level: 'warn',
    msg: 'slow question',
    id: request.id,
    route,
    status: Number(status),
    ms: rounded(answeredMs),
    shapes,
  });
}

/** Of each query in the address, in its order; what cannot be read has none. */
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

/** `2 words, 1 phrase, after, community`; `everything` where nothing is asked for, `not understood` for a fault. */
export function shapeOfText(text: string): string {
  try {
    return shapeOf(interpretQuery(text, { impliedWindow: 'off' }).query);
  } catch {
    return 'not understood';
  }
}

/** Kinds in the order in which the query has them. */
function shapeOf({ items }: Query): string {
  if (items.length === 0) return 'everything';
  const counts = new Map<string, number>();
  for (const item of items) {
    const name = nameOf(item);
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
  const isExcluded = 'negated' in item && item.negated;
  return `${isExcluded ? 'excluded ' : ''}${item.kind === 'words' ? nameOfWords(item.words) : item.kind}`;
}

function nameOfWords([first, ...others]: Extract<QueryItem, { kind: 'words' }>['words']): string {
  if (first === undefined || others.length > 0) return 'any-of';
  return first.kind === 'term' ? 'word' : first.kind;
}

/** Words have their number always, other items from two on. */
function words(name: string, count: number): string {
  const plain = name.replace('excluded ', '');
  const many = COUNTED[plain];
  if (many === undefined) return count === 1 ? name : `${count} × ${name}`;
  return `${count} ${count === 1 ? name : name.replace(plain, many)}`;
}
