// Refusals for little: under load most requests are refused, and this answers those to the API and of visitors to pages
// as the whole way would (endpoints.ts, respond.ts), without the framework. What it does not know goes the whole
// way.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ProblemCode } from '../errors.ts';
import {
  BUSY_HEADERS,
  BUSY_PAGE,
  commonHeaders,
  PROBLEM_TYPE,
  problemHeaders,
  problemOf,
} from './answers/problems.ts';
import type { Admission } from './requests/admission.ts';
import {
  type AllowedHosts,
  authenticate,
  callerName,
  checkHead,
  headerValues,
  type KeyChecker,
  type KeyOwner,
  type Visitors,
} from './requests/caller.ts';
import type { NetworkLimit, RateLimiter } from './requests/limits.ts';
import { SESSION_COOKIE } from './session.ts';

export interface QuickRefusalDeps {
  readonly admission: Admission;
  readonly keys: KeyChecker;
  readonly hosts: Pick<AllowedHosts, 'check'>;
  /** People reach this server by https, according to the setting. */
  readonly isPublicTls: boolean;
  /** null: no limit. */
  readonly limiter: RateLimiter | null;
  readonly queued: QueuedRoutes;
  readonly visitors: Pick<Visitors, 'networkOf'>;
  /** Logs a refusal. */
  readonly tellBusy: (requestId: string) => void;
  /** Told of each refusal once it is sent: milliseconds since the request, and bytes of the answer. */
  readonly count: (refusal: {
    readonly route: string;
    readonly method: string;
    readonly status: string;
    readonly code: ProblemCode;
    readonly answeredMs: number;
    readonly bytes: number;
  }) => void;
}

interface QueuedRoute {
  readonly route: string;
  /** Of pages: the limit of visitors. */
  readonly pageLimit?: NetworkLimit;
  /** Of the addresses that ask something; absent: all do. */
  readonly asks?: RegExp;
}

/** Routes whose requests go through the door. Of a path, only the last part may have a name: `/thread/:post`. */
export class QueuedRoutes {
  readonly #byPath = new Map<string, QueuedRoute>();

  add(queued: QueuedRoute): void {
    this.#byPath.set(queued.route.replace(/:\w+$/, ':'), queued);
  }

  of(path: string): QueuedRoute | undefined {
    return this.#byPath.get(path) ?? this.#byPath.get(path.replace(/[^/]+$/, ':'));
  }
}

/** Milliseconds by which a refusal is delayed: eager callers would keep the event loop busy. */
const HELD_BACK_MS = 16;
/** Milliseconds for which others join a refusal that is held back: they go out with it, each for less. */
const TOGETHER_MS = 6;
/** Milliseconds for which the owner of a key is remembered: one that is revoked meanwhile is refused all the same. */
const REMEMBERED_MS = 1_000;
const MAX_REMEMBERED = 10_000;

interface Refusing extends QuickRefusalDeps {
  readonly owners: RecentOwners;
  readonly later: Later;
}

/** Stands in front of whatever listens to the requests of this server. */
export function refuseQuickly(server: Server, deps: QuickRefusalDeps): void {
  const owners = new RecentOwners(deps.keys);
  const later = new Later();
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (server.listening && refuse(request, response, { owners, later, ...deps })) return;
    for (const listener of listeners) listener.call(server, request, response);
  });
}

/** False: it has done nothing. */
function refuse(request: IncomingMessage, response: ServerResponse, deps: Refusing): boolean {
  const { admission, hosts, isPublicTls, queued, tellBusy, count, later } = deps;
  const start = performance.now();
  if (!admission.isFull || !isPlain(request, hosts)) return false;
  const { url = '' } = request;
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  const known = queued.of(path);
  if (known === undefined || known.asks?.test(url) === false) return false;
  const { route, pageLimit } = known;
  const isPage = pageLimit !== undefined;
  const who = isPage ? visitorOf(request, deps) : deps.owners.of(request);
  if (who === null) return false;
  const caller = callerName(who);
  const refusal = admission.refusal({ caller, sort: route });
  if (refusal === null) return false;
  const limits = take(who, pageLimit, deps.limiter);
  if (limits === null) return false;
  const requestId = randomUUID();
  tellBusy(requestId);
  const body = isPage ? BUSY_PAGE : JSON.stringify(problemOf(refusal, requestId));
  const headers = {
    ...commonHeaders(requestId, url, isPublicTls),
    ...limits,
    ...problemHeaders(refusal),
    ...(isPage ? BUSY_HEADERS : PROBLEM_HEADERS),
    'Content-Length': Buffer.byteLength(body),
  };
  later.do(() => {
    const { bytesWritten: before } = request.socket;
    response.writeHead(refusal.status, headers).end(body);
    const { method = '', socket } = request;
    const answeredMs = performance.now() - start;
    const bytes = Math.max(0, socket.bytesWritten - before);
    count({ route, method, status: String(refusal.status), code: refusal.code, answeredMs, bytes });
  });
  return true;
}

/** null: who is signed in is found on the whole way. */
function visitorOf(request: IncomingMessage, { visitors }: Refusing): { readonly network: string } | null {
  const mayBeSignedIn = request.headers.cookie?.includes(SESSION_COOKIE) === true;
  return mayBeSignedIn ? null : { network: visitors.networkOf(request) };
}

/** Counts it, and gives the headers that tell so; null: the limit is reached. */
function take(
  who: KeyOwner | { readonly network: string },
  pageLimit: NetworkLimit | undefined,
  limiter: RateLimiter | null,
): Readonly<Record<string, string>> | null {
  if ('network' in who) return pageLimit?.take(who.network) === 0 ? {} : null;
  if (limiter === null) return {};
  const { allowed, headers } = limiter.take(callerName(who));
  return allowed ? headers : null;
}

const PROBLEM_HEADERS = { 'Cache-Control': 'no-store', 'Content-Type': PROBLEM_TYPE } as const;

/** Without a body, and with a head that nothing is wrong with. */
function isPlain(request: IncomingMessage, hosts: QuickRefusalDeps['hosts']): boolean {
  const { method, headers } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  try {
    checkHead(request);
    // What a trusted proxy says instead is looked at on the whole way.
    hosts.check(headers.host);
    return true;
  } catch {
    return false;
  }
}

/** Does what it is given later, several pieces of work together. */
class Later {
  #next: (() => void)[] = [];
  #nextMs = 0;

  do(work: () => void): void {
    const now = performance.now();
    if (this.#next.length === 0 || now - this.#nextMs > TOGETHER_MS) {
      const together: (() => void)[] = [];
      this.#next = together;
      this.#nextMs = now;
      setTimeout(() => {
        for (const one of together) one();
        together.length = 0;
      }, HELD_BACK_MS);
    }
    this.#next.push(work);
  }
}

/** Owners of keys that have been checked lately. */
class RecentOwners {
  readonly #keys: KeyChecker;
  /** By the header `Authorization`. */
  #known = new Map<string, KeyOwner>();
  #sinceMs = 0;

  constructor(keys: KeyChecker) {
    this.#keys = keys;
  }

  /** null: none is known by the header. */
  of({ rawHeaders }: IncomingMessage): KeyOwner | null {
    const now = performance.now();
    if (now - this.#sinceMs > REMEMBERED_MS || this.#known.size >= MAX_REMEMBERED) {
      this.#known = new Map();
      this.#sinceMs = now;
    }
    const headers = headerValues(rawHeaders, 'authorization');
    const [header = ''] = headers;
    const known = headers.length === 1 ? this.#known.get(header) : undefined;
    if (known !== undefined) return known;
    try {
      const owner = authenticate(headers, this.#keys);
      this.#known.set(header, owner);
      return owner;
    } catch {
      return null;
    }
  }
}
