// The way of every request to an endpoint that needs a key. The checks before it are the same for every path and are
// in server.ts: the head (400, 414), the path and the method (404, 405). Then come, in this order: the key (401), its
// rate (429), its caller's turn (503), the parameters (400), room for the answer (503), the handler, and sending the
// answer (304, ETag, coding). A body that is made while it is sent is opened behind the 304 alone; it and a file have
// no coding.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../log.ts';
import { MAX_PAGE_BYTES } from '../../model/pages.ts';
import { type ParameterTable, type ParameterValues, readParameters } from '../../operation/parameters.ts';
import type { Admission } from '../admission/admission.ts';
import type { BytesUnderWay } from '../answers/bytes-under-way.ts';
import { type FileAnswer, sendFile } from '../answers/file-answer.ts';
import { REVALIDATED, sendRepresentation } from '../answers/representation.ts';
import { answerStreamed, type StreamedAnswer, type StreamLimits } from '../answers/streamed-answer.ts';
import { type RateLimiter, tooManyRequests } from '../limits/request-limits.ts';
import { type EndpointDescription, endpointSchemas } from '../operations/openapi.ts';
import type { QueuedRoutes } from '../quick-refusal.ts';
import { addReadRoute } from '../read-route.ts';
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
  /** By path: routes add theirs. */
  readonly askable: Map<string, AskableEndpoint>;
}

export interface KeyedEndpoint<Table extends ParameterTable> extends EndpointDescription {
  readonly path: string;
  readonly parameters: Table;
  /** True where it asks no thread that answers questions, or has a limit of its own: it is never held up. */
  readonly needsNoTurn?: boolean;
  /** Bytes of the answer that are to be expected at the most; absent: those of a page. */
  readonly mostBytes?: (values: ParameterValues<Table>) => number;
  readonly handler: (
    values: ParameterValues<Table>,
    request: EndpointRequest,
  ) => Promise<WholeAnswer | StreamedAnswer | FileAnswer>;
}

/** What a handler knows about the request besides its parameters. */
export interface EndpointRequest {
  readonly caller: CallerName;
  /** Whose key it is, or who is signed in. */
  readonly accountId: number | string;
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
  deps.askable.set(endpoint.path, {
    isJson: 'application/json' in endpoint.answer.content,
    ask: (asked, request, reply) => answer(deps, endpoint, asked, request, reply),
  });
  addReadRoute(server, {
    path: endpoint.path,
    ...endpointSchemas(endpoint),
    ...(endpoint.links === undefined ? {} : { links: endpoint.links }),
    handler: async (request, reply) => {
      const { accountId, keyId } = authenticate(
        headerValues(request.raw.rawHeaders, 'authorization'),
        deps.keys,
      );
      const caller = callerName({ accountId });
      const pathParts = request.params as Readonly<Record<string, string>>;
      const told = { address: request.raw.url ?? '', pathParts, vary: 'Authorization' } as const;
      const asked = { caller, accountId, mayAsk: () => deps.keys.isLive(keyId), ...told };
      return await answer(deps, endpoint, asked, request, reply);
    },
  });
}

export const JSON_TYPE = 'application/json; charset=utf-8';

async function answer<Table extends ParameterTable>(
  { limiter, admission, visitors, bytes, log, streamLimits }: KeyedRouteDeps,
  { path, parameters, needsNoTurn = false, mostBytes = () => MAX_PAGE_BYTES, handler }: KeyedEndpoint<Table>,
  { caller, accountId, mayAsk, address, pathParts, vary }: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const allowance = limiter?.take(caller);
  if (allowance !== undefined) {
    reply.headers(allowance.headers);
    if (!allowance.allowed) throw tooManyRequests(allowance);
  }
  const signal = callerSignal(reply);
  // Given back when the answer has been made, however long the caller takes it.
  using _ = needsNoTurn ? null : await admission.enter({ caller, sort: path, signal });
  const values = readParameters(parameters, address);
  const { ownAddress } = visitors.of(request);
  await bytes.hold(reply.raw, { caller, mostBytes: mostBytes(values) }, signal);
  const given = await handler(values, { caller, accountId, ownAddress, pathParts, signal });
  if (!('body' in given)) breakOffUnless(mayAsk, reply);
  if ('file' in given) return sendFile(request, reply, given.file, { vary });
  if ('open' in given) return answerStreamed(given, { log, limits: streamLimits, vary }, request, reply);
  const { body, headers, type = JSON_TYPE } = given;
  reply.headers(headers);
  return sendRepresentation(request, reply, {
    body,
    type,
    caching: REVALIDATED,
    vary: [vary],
  });
}

export interface AskableEndpoint {
  readonly isJson: boolean;
  /** For a program with a key or for a page of somebody who is signed in; sends the answer. */
  readonly ask: (asked: Asked, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

/** Who asks for what. */
export interface Asked {
  readonly caller: CallerName;
  readonly accountId: number | string;
  /** Whether the key or session is still valid. */
  readonly mayAsk: () => boolean | Promise<boolean>;
  /** The address whose query string has the parameters. */
  readonly address: string;
  /** Parts of the path that the route names, decoded. */
  readonly pathParts: Readonly<Record<string, string>>;
  /** The header of the request that the answer depends on. */
  readonly vary: 'Authorization' | 'Cookie';
}
