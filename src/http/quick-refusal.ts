// Cheap refusals under load, without the framework: the same answers that endpoints.ts and respond.ts would give, for
// requests to the API and for pages asked for by visitors. All other requests go to the framework.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { KeyOwner } from '../accounts/secrets.ts';
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
  hasBody,
  headerValues,
  type KeyChecker,
  type Visitors,
} from './requests/caller.ts';
import type { NetworkLimit, RateLimiter } from './requests/limits.ts';
import { SESSION_COOKIE } from './session.ts';

export interface QuickRefusalDeps {
  readonly admission: Admission;
  readonly keys: KeyChecker;
  readonly hosts: AllowedHosts;
  /** null: no limit. */
  readonly limiter: RateLimiter | null;
  readonly queued: QueuedRoutes;
  readonly visitors: Visitors;
  readonly tellBusy: (requestId: string) => void;
  readonly count: (refusal: QuickRefusal) => void;
}

/** A request that was refused before the framework saw it, as it is counted. */
export interface QuickRefusal {
  readonly method: string;
  /** The pattern of the path. */
  readonly route: string;
  /** Of three digits. */
  readonly status: string;
  readonly code: ProblemCode;
  /** Until the answer was made. */
  readonly answeredMs: number;
  /** Of the answer, its head included. */
  readonly bytes: number;
}

interface QueuedRoute {
  readonly route: string;
  /** Pages only: the limit of a visitor's network. */
  readonly pageLimit?: NetworkLimit;
  /** Matches the addresses that need a turn; absent: all do. */
  readonly asks?: RegExp;
}

/** Routes whose requests wait for a turn. Only the last part of a path may be a parameter: `/thread/:post`. */
export class QueuedRoutes {
  readonly #byPath = new Map<string, QueuedRoute>();

  add(queued: QueuedRoute): void {
    this.#byPath.set(queued.route.replace(/:\w+$/, ':'), queued);
  }

  of(path: string): QueuedRoute | undefined {
    return this.#byPath.get(path) ?? this.#byPath.get(path.replace(/[^/]+$/, ':'));
  }
}

/** Milliseconds by which a refusal is delayed, so that eager callers do not fill the event loop. */
const HELD_BACK_MS = 16;
/** Milliseconds in which further refusals join a delayed one: sending many together costs less. */
const TOGETHER_MS = 6;
/** Milliseconds for which the owner of a key is cached. A key revoked meanwhile gets 503 in place of 401. */
const REMEMBERED_MS = 1_000;
const MAX_REMEMBERED = 10_000;

interface Refusing extends QuickRefusalDeps {
  readonly owners: RecentOwners;
  readonly later: Later;
}

/** Runs before the other listeners of this server's requests. */
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

/** False: not refused; other listeners must answer. */
function refuse(request: IncomingMessage, response: ServerResponse, deps: Refusing): boolean {
  const { admission, hosts, visitors, queued, tellBusy, count, later } = deps;
  const start = performance.now();
  const { url = '' } = request;
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  const known = queued.of(path);
  if (known === undefined || !admission.isFull || known.asks?.test(url) === false) return false;
  if (!isPlain(request, hosts)) return false;
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
    ...commonHeaders(requestId, url, visitors.isPublicTls),
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

/** null: may be signed in, so the framework must answer. */
function visitorOf(request: IncomingMessage, { visitors }: Refusing): { readonly network: string } | null {
  const mayBeSignedIn = request.headers.cookie?.includes(SESSION_COOKIE) === true;
  return mayBeSignedIn ? null : { network: visitors.networkOf(request) };
}

/** Counts the request and returns its rate-limit headers; null: the limit is reached. */
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

/** GET or HEAD without a body and with a valid head. */
function isPlain(request: IncomingMessage, hosts: AllowedHosts): boolean {
  const { method, headers } = request;
  if ((method !== 'GET' && method !== 'HEAD') || hasBody(request)) return false;
  try {
    checkHead(request);
    // The framework checks the host that a trusted proxy names.
    hosts.check(headers.host);
    return true;
  } catch {
    return false;
  }
}

/** Runs work after HELD_BACK_MS, in groups. */
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

class RecentOwners {
  readonly #keys: KeyChecker;
  /** By the header `Authorization`. */
  #known = new Map<string, KeyOwner>();
  #sinceMs = 0;

  constructor(keys: KeyChecker) {
    this.#keys = keys;
  }

  /** null: no valid key. */
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
