// The way of every request to an endpoint that needs a key, or comes from a page of ours. The checks before it are the
// same for every path and are in server.ts: the head (400, 414), the path and the method (404, 405). Then come, in this
// order: the key, the session or what visitors may have (401), its rate (429), its caller's turn (503), the parameters
// (400), room for the answer (503), the handler, and sending the answer (304, ETag, coding). A body that is made while
// it is sent is opened behind the 304 alone; it and a file have no coding.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { MAX_PAGE_BYTES } from '../../model/pages.ts';
import { type ParameterTable, type ParameterValues, readParameters } from '../../operation/parameters.ts';
import type { Admission } from '../admission/admission.ts';
import type { BytesUnderWay } from '../answers/bytes-under-way.ts';
import { type FileAnswer, sendFile } from '../answers/file-answer.ts';
import { REVALIDATED, sendRepresentation } from '../answers/representation.ts';
import { answerStreamed, type StreamedAnswer, type StreamLimits } from '../answers/streamed-answer.ts';
import {
  limitNetwork,
  type NetworkLimit,
  type RateLimiter,
  tooManyRequests,
} from '../limits/request-limits.ts';
import { type EndpointDescription, endpointSchemas } from '../operations/openapi.ts';
import type { QueuedRoutes } from '../quick-refusal.ts';
import { addReadRoute } from '../read-route.ts';
import { isFromOurPage } from '../request-checks.ts';
import {
  authenticate,
  breakOffUnless,
  type CallerName,
  callerName,
  callerSignal,
  headerValues,
  type KeyChecker,
  type Visitors,
} from '../requests/caller.ts';

export interface KeyedRouteDeps {
  readonly keys: KeyChecker;
  /** null: no limit. */
  readonly limiter: RateLimiter | null;
  readonly admission: Admission;
  /** Routes add theirs. */
  readonly queued: QueuedRoutes;
  readonly visitors: Visitors;
  readonly bytes: BytesUnderWay;
  /** For bodies that are made while they are sent. */
  readonly streamLimits: StreamLimits;
  readonly log: Logger;
  /** null: only a key is let in. */
  readonly door: () => Door | null;
}

/** Lets in who comes from a page of ours without a key. */
export interface Door {
  readonly viewer: (request: FastifyRequest) => Promise<{ readonly accountId: number | string } | null>;
  /** Of the searches of visitors. */
  readonly visitorLimit: NetworkLimit;
}

export interface KeyedEndpoint<Table extends ParameterTable> extends EndpointDescription {
  readonly path: string;
  readonly parameters: Table;
  /** True where it asks no thread that answers questions, or has a limit of its own: it is never held up. */
  readonly needsNoTurn?: boolean;
  /** Bytes of the answer that are to be expected at the most; absent: those of a page. */
  readonly mostBytes?: (values: ParameterValues<Table>) => number;
  /** What visitors may have without a key; absent: nothing. */
  readonly isForVisitors?: (values: ParameterValues<Table>) => boolean;
  readonly handler: (
    values: ParameterValues<Table>,
    request: EndpointRequest,
  ) => Promise<WholeAnswer | StreamedAnswer | FileAnswer>;
}

/** What a handler knows about the request besides its parameters. */
export interface EndpointRequest {
  readonly caller: CallerName;
  /** Whose key it is, or who is signed in; null: a visitor. */
  readonly accountId: number | string | null;
  /** The address at which the caller reaches this server, without a final slash. */
  readonly ownAddress: string;
  /** Parts of the path that the route names, decoded. */
  readonly pathParts: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface WholeAnswer {
  /** In pieces or not. */
  readonly body: string | readonly Buffer[];
  /** Media type; absent: JSON. */
  readonly type?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function addKeyedRoute<Table extends ParameterTable>(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  endpoint: KeyedEndpoint<Table>,
): void {
  if (endpoint.needsNoTurn !== true) deps.queued.add({ route: endpoint.path });
  addReadRoute(server, {
    path: endpoint.path,
    ...endpointSchemas(endpoint),
    ...(endpoint.links === undefined ? {} : { links: endpoint.links }),
    handler: async (request, reply) =>
      answer(deps, endpoint, await askerOf(deps, endpoint, request), request, reply),
  });
}

/** Throws `missing_key`, `invalid_key`, and `too_many_requests` to visitors. */
async function askerOf<Table extends ParameterTable>(
  { keys, door: doorOf, visitors }: KeyedRouteDeps,
  endpoint: KeyedEndpoint<Table>,
  request: FastifyRequest,
): Promise<Asker> {
  const given = headerValues(request.raw.rawHeaders, 'authorization');
  const door = given.length === 0 ? doorOf() : null;
  const visitor = visitors.of(request);
  if (door !== null && isFromOurPage(request, visitor.ownAddress)) {
    const viewer = await door.viewer(request);
    if (viewer !== null) {
      const mayAsk = async () => (await door.viewer(request)) !== null;
      return { caller: callerName(viewer), accountId: viewer.accountId, mayAsk, vary: 'Cookie' };
    }
    if (isOpenToVisitors(endpoint, request.raw.url ?? '')) {
      limitNetwork(door.visitorLimit, visitor.network, 'searches');
      return { caller: callerName(visitor), accountId: null, mayAsk: () => true, vary: 'Cookie' };
    }
  }
  const { accountId, keyId } = authenticate(given, keys);
  return {
    ...{ caller: callerName({ accountId }), accountId },
    ...{ mayAsk: () => keys.isLive(keyId), vary: 'Authorization' },
  };
}

function isOpenToVisitors<Table extends ParameterTable>(
  { parameters, isForVisitors }: KeyedEndpoint<Table>,
  address: string,
): boolean {
  if (isForVisitors === undefined) return false;
  try {
    return isForVisitors(readParameters(parameters, address));
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

export const JSON_TYPE = 'application/json; charset=utf-8';

async function answer<Table extends ParameterTable>(
  { limiter, admission, visitors, bytes, log, streamLimits }: KeyedRouteDeps,
  { path, parameters, needsNoTurn = false, mostBytes = () => MAX_PAGE_BYTES, handler }: KeyedEndpoint<Table>,
  { caller, accountId, mayAsk, vary }: Asker,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const isBrowser = vary === 'Cookie';
  if (isBrowser) reply.removeHeader('Access-Control-Allow-Origin').headers(OWN_SITE);
  const allowance = accountId === null ? undefined : limiter?.take(caller);
  if (allowance !== undefined) {
    reply.headers(allowance.headers);
    if (!allowance.allowed) throw tooManyRequests(allowance);
  }
  const signal = callerSignal(reply);
  // Given back when the answer has been made, however long the caller takes it.
  using _ = needsNoTurn ? null : await admission.enter({ caller, sort: path, signal });
  const values = readParameters(parameters, request.raw.url ?? '');
  const pathParts = request.params as Readonly<Record<string, string>>;
  const { ownAddress } = visitors.of(request);
  await bytes.hold(reply.raw, { caller, mostBytes: mostBytes(values) }, signal);
  const given = await handler(values, { caller, accountId, ownAddress, pathParts, signal });
  if (!('body' in given)) breakOffUnless(mayAsk, reply);
  if ('file' in given) return sendFile(request, reply, given.file, { vary });
  if ('open' in given) return answerStreamed(given, { log, limits: streamLimits, vary }, request, reply);
  const { body, headers, type = JSON_TYPE } = given;
  reply.headers(headers);
  if (isBrowser && type !== JSON_TYPE)
    reply.header('Content-Disposition', `attachment; filename="${fileName(path, type)}"`);
  return sendRepresentation(request, reply, {
    body,
    type,
    caching: REVALIDATED,
    vary: [vary],
  });
}

/** What a browser gets by its session is for no other site. */
const OWN_SITE = { 'Cross-Origin-Resource-Policy': 'same-origin' } as const;

/** `timeline-posts.csv`. */
function fileName(path: string, type: string): string {
  const ending = type.startsWith('text/csv') ? 'csv' : 'ndjson';
  return `${path.replace('/api/v1/', '').replaceAll(/[/:]+/g, '-')}.${ending}`;
}

/** Who asks. */
interface Asker {
  readonly caller: CallerName;
  /** null: a visitor. */
  readonly accountId: number | string | null;
  /** Whether the key or session is still valid. */
  readonly mayAsk: () => boolean | Promise<boolean>;
  /** The header of the request that the answer depends on. */
  readonly vary: 'Authorization' | 'Cookie';
}
