// Routes of operations. server.ts has the checks of every path: head (400, 414), path and method (404, 405). An
// endpoint then checks, in this order: key or session (401), rate limit (429), admission (503), parameters (400),
// memory for the answer (503). Then the handler runs, and the answer is sent (304, ETag, content coding). A streamed
// body is opened after the check for 304; streams and files have no content coding.

import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { MAX_PAGE_BYTES } from '../model/pages.ts';
import {
  type Answered,
  type AnswerLinks,
  type Archive,
  type Asked,
  type BytesOperation,
  exampleRequest,
  type FileAnswer,
  formatsOf,
  linesOf,
  type Operation,
  operationIdOf,
  pathOf,
  type StreamedAnswer,
  wordsOf,
} from '../operation/operation.ts';
import { type ParameterTable, type ParameterValues, readParameters } from '../operation/parameters.ts';
import { TEXT_TYPES, type TextFormat } from '../operation/text-forms.ts';
import { requestAddress } from './addresses.ts';
import type { BytesUnderWay } from './answers/bytes-under-way.ts';
import {
  ARRIVAL_HEADER,
  arrivalHeader,
  CUT_CELLS_HEADER,
  droppedHeader,
  PREFLIGHT_HEADERS,
} from './answers/problems.ts';
import {
  inPieces,
  jsonPieces,
  printedPieces,
  REVALIDATED,
  sendRepresentation,
} from './answers/representation.ts';
import { answerStreamed, FILE_HEADERS, sendFile } from './answers/streamed-answer.ts';
import { endpointSchemas } from './operations/openapi.ts';
import type { QueuedRoutes } from './quick-refusal.ts';
import type { Admission } from './requests/admission.ts';
import {
  authenticate,
  breakOffUnless,
  type CallerName,
  callerName,
  callerSignal,
  headerValues,
  isFromOurPage,
  type KeyChecker,
  type Visitors,
} from './requests/caller.ts';
import { limitNetwork, type NetworkLimit, type RateLimiter } from './requests/limits.ts';
import type { Sessions } from './session.ts';

export interface KeyedRouteDeps {
  readonly keys: KeyChecker;
  /** null: no limit. */
  readonly limiter: RateLimiter | null;
  readonly admission: Admission;
  /** Each route registers itself here. */
  readonly queued: QueuedRoutes;
  readonly visitors: Visitors;
  readonly bytes: BytesUnderWay;
  readonly log: Logger;
  /** Admits requests from our own pages without a key. Made after the routes. */
  readonly site: () => { readonly sessions: Sessions; readonly visitorLimit: NetworkLimit };
}

interface Endpoint
  extends Pick<Operation, 'parameters' | 'isOpen' | 'needsNoTurn' | 'mostBytes' | 'isForVisitors' | 'links'> {
  readonly path: string;
  readonly handler: (
    values: Values,
    request: EndpointRequest,
  ) => Promise<WholeAnswer | StreamedAnswer | FileAnswer>;
}

type Values = ParameterValues<ParameterTable>;

interface EndpointRequest extends Asked {
  readonly caller: CallerName;
  readonly ownAddress: string;
  readonly signal: AbortSignal;
}

interface WholeAnswer {
  readonly body: string | readonly Buffer[];
  /** Media type; absent: JSON. */
  readonly type?: string;
  readonly headers: Readonly<Record<string, string>>;
}

function addEndpoint(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  told: Endpoint,
  schemas: ReturnType<typeof endpointSchemas>,
): void {
  const endpoint = { needsNoTurn: told.isOpen ?? false, ...told };
  const { path, links, needsNoTurn } = endpoint;
  if (!needsNoTurn) deps.queued.add({ route: path });
  addReadRoute(server, {
    ...{ path, ...schemas, links },
    handler: async (request, reply) =>
      answer(deps, endpoint, askerOf(deps, endpoint, request), request, reply),
  });
}

/**
 * `accountId` null: a visitor. `mayAsk`: whether the key or session is still valid. `vary`: the header of the request
 * that the answer depends on. Throws `missing_key`, `invalid_key`, and `too_many_requests` to visitors.
 */
function askerOf({ keys, site, visitors }: KeyedRouteDeps, endpoint: Endpoint, request: FastifyRequest) {
  const visitor = visitors.of(request);
  const stranger = { caller: callerName(visitor), accountId: null, mayAsk: () => true };
  if (endpoint.isOpen) return { ...stranger, vary: 'Host' } as const;
  const given = headerValues(request.raw.rawHeaders, 'authorization');
  if (given.length === 0 && isFromOurPage(request, visitor.ownAddress)) {
    const { sessions, visitorLimit } = site();
    const viewer = sessions.signedIn(request);
    if (viewer !== null) {
      const mayAsk = () => sessions.signedIn(request) !== null;
      return { caller: callerName(viewer), accountId: viewer.accountId, mayAsk, vary: 'Cookie' } as const;
    }
    if (isOpenToVisitors(endpoint, request.raw.url ?? '')) {
      limitNetwork(visitorLimit, visitor.network, 'searches');
      return { ...stranger, vary: 'Cookie' } as const;
    }
  }
  const { accountId, keyId } = authenticate(given, keys);
  const mayAsk = () => keys.isLive(keyId);
  return { caller: callerName({ accountId }), accountId, mayAsk, vary: 'Authorization' } as const;
}

function isOpenToVisitors({ parameters, isForVisitors }: Endpoint, address: string): boolean {
  if (isForVisitors === undefined) return false;
  try {
    return isForVisitors(readParameters(parameters, address));
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

export const JSON_TYPE = 'application/json; charset=utf-8';

async function answer(
  { limiter, admission, visitors, bytes, log }: KeyedRouteDeps,
  { path, parameters, isOpen, needsNoTurn, mostBytes = () => MAX_PAGE_BYTES, handler }: Endpoint,
  { caller, accountId, mayAsk, vary }: ReturnType<typeof askerOf>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const isBrowser = vary === 'Cookie';
  if (isBrowser) reply.removeHeader('Access-Control-Allow-Origin').headers(OWN_SITE);
  if (accountId !== null) limiter?.expect(caller, reply);
  const signal = callerSignal(reply);
  // Held until the answer is made, not until it is sent.
  using _ = needsNoTurn ? null : await admission.enter({ caller, sort: path, signal });
  const values = readParameters(parameters, request.raw.url ?? '');
  const pathParts = request.params as Readonly<Record<string, string>>;
  const { ownAddress } = visitors.of(request);
  if (!isOpen) await bytes.hold(reply.raw, { caller, mostBytes: mostBytes(values) }, signal);
  const given = await handler(values, { caller, accountId, ownAddress, pathParts, signal });
  if (!('body' in given)) breakOffUnless(mayAsk, reply);
  if ('file' in given) return sendFile(request, reply, given.file, { vary });
  if ('open' in given) return answerStreamed(given, { log, vary }, request, reply);
  const { body, headers, type = JSON_TYPE } = given;
  reply.headers(headers);
  if (isBrowser && type !== JSON_TYPE)
    reply.header('Content-Disposition', `attachment; filename="${fileName(path, type)}"`);
  const caching = isOpen ? 'no-cache' : REVALIDATED;
  return sendRepresentation(request, reply, { body, type, caching, vary: [vary] });
}

/** Answers by session must not be embedded by other sites. */
const OWN_SITE = { 'Cross-Origin-Resource-Policy': 'same-origin' } as const;

/** `timeline-posts.csv`. */
function fileName(path: string, type: string): string {
  const ending = type.startsWith('text/csv') ? 'csv' : 'ndjson';
  return `${path.replace('/api/v1/', '').replaceAll(/[/:]+/g, '-')}.${ending}`;
}

export function addOperation(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  archive: Archive,
  operation: Operation,
): void {
  for (const schema of [operation.schema, ...(operation.further ?? [])])
    if (server.getSchema(`${schema.$id}`) === undefined) server.addSchema(schema);
  const { isForVisitors } = operation;
  const isTable = (values: Values) => formatOf(operation, values) === 'csv-excel';
  const endpoint: Endpoint = {
    ...{ ...operation, path: pathOf(operation) },
    ...(isForVisitors && { isForVisitors: (values) => isTable(values) && isForVisitors(values) }),
    async handler(values, asked) {
      const format = formatOf(operation, values);
      const answered = await operation.run(archive, values, { ...asked, mayPrint: format === 'json' });
      return await wholeAnswer(operation, answered, values, format);
    },
  };
  addEndpoint(server, deps, endpoint, schemasOf(operation));
}

export function addBytes(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  archive: Archive,
  operation: BytesOperation,
): void {
  const endpoint: Endpoint = {
    ...{ parameters: operation.parameters, path: pathOf(operation) },
    // It has limits of its own, and goes at the caller's pace.
    ...{ needsNoTurn: true, mostBytes: () => 0 },
    handler(values, asked) {
      const { caller, signal } = asked;
      const enter = (sort: string) => deps.admission.enter({ caller, sort, signal });
      return operation.send(archive, values, { ...asked, enter });
    },
  };
  addEndpoint(server, deps, endpoint, schemasOfBytes(operation));
}

/** Makes the body in pieces; other requests run in between. */
async function wholeAnswer(
  operation: Operation,
  { answer, dropped = [], implied = null, arrival, headers = {}, text, printed = null }: Answered,
  values: Values,
  format: 'json' | TextFormat,
): Promise<WholeAnswer> {
  const told = droppedHeader(dropped);
  const all = {
    ...headers,
    ...(arrival !== undefined && arrivalHeader(arrival)),
    ...(implied !== null && { 'Colloquy-Implied': implied }),
    ...(told !== null && { 'Colloquy-Dropped': told }),
  };
  if (printed !== null) return { body: await printedPieces(answer, printed), headers: all };
  if (format === 'json')
    return { body: await (text === undefined ? jsonPieces(answer) : inPieces(text)), headers: all };
  const lines = linesOf(operation, answer, values, format);
  const body = await inPieces(lines.text);
  return { body, type: lines.type, headers: { ...all, ...lines.headers?.() } };
}

/** Operations without a text form may have a parameter `format` of another meaning. */
function formatOf({ table, records }: Operation, { format }: Values): 'json' | TextFormat {
  return (table ?? records) === undefined ? 'json' : ((format as TextFormat | undefined) ?? 'json');
}

function schemasOf(operation: Operation) {
  const { part, parameters, records, schema, hasNoFormat = false, headers = {} } = operation;
  const formats = hasNoFormat ? [] : formatsOf(operation);
  const text = { schema: { type: 'string' } };
  return endpointSchemas(operation, part && { [part.name]: part.schema }, {
    description: wordsOf(operation, operation.answerWords),
    content: {
      'application/json': { schema: { $ref: `${schema.$id}#` }, ...examplesOf(operation) },
      ...(formats.includes('csv') && { 'text/csv': text }),
      ...(formats.includes('ndjson') && { [TEXT_TYPES.ndjson]: text }),
    },
    headers: {
      ...('query' in parameters && DROPPED_HEADER),
      ...('since' in parameters && ARRIVAL_HEADER),
      ...(records !== undefined && !hasNoFormat && CUT_CELLS_HEADER),
      ...headers,
    },
  });
}

function schemasOfBytes(operation: BytesOperation) {
  const { parts, mediaTypes, headers = FILE_HEADERS } = operation;
  const bytes = { schema: { type: 'string', format: 'binary', description: 'The bytes of the file.' } };
  const content = Object.fromEntries(mediaTypes.map((type) => [type.split(';')[0]!, bytes]));
  return endpointSchemas(operation, parts, { description: 'The file.', content, headers });
}

const DROPPED_HEADER = {
  'Colloquy-Dropped': [
    'What was written and is not searched for, as a list of display strings (RFC 9651): words whose signs',
    'were dropped (`C++` finds `C`), items without a word (`&`). At most 20; only where something was.',
  ].join(' '),
} as const;

/** By operation id: the answer to its example on the sample. Written by test/examples.test.ts. */
const EXAMPLES: Readonly<Record<string, object>> = JSON.parse(
  readFileSync(new URL('./operations/examples.json', import.meta.url), 'utf8'),
);

function examplesOf(operation: Operation) {
  const value = EXAMPLES[operationIdOf(operation)];
  if (value === undefined) return {};
  const { pathParts, values } = exampleRequest(operation);
  const path = pathOf(operation).replaceAll(/:(\w+)/g, '{$1}');
  return { examples: { answer: { summary: `GET ${requestAddress(path, pathParts, values)}`, value } } };
}

const READ_METHODS = 'GET, HEAD, OPTIONS';

interface ReadRoute {
  readonly path: string;
  /** Absent: the path is not in the OpenAPI document. */
  readonly schema?: FastifySchema;
  /** Schema of HEAD; absent: not in the document. */
  readonly headSchema?: FastifySchema;
  readonly links?: AnswerLinks | undefined;
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

export function addReadRoute(
  server: FastifyInstance,
  { path, schema, headSchema, links, handler }: ReadRoute,
): void {
  const hidden: FastifySchema = { hide: true };
  const shown = { schema: schema ?? hidden, ...(links === undefined ? {} : { links: { 200: links } }) };
  server.route({ method: 'GET', url: path, ...shown, handler });
  server.route({ method: 'HEAD', url: path, schema: headSchema ?? hidden, handler });
  server.route({
    method: 'OPTIONS',
    url: path,
    schema: hidden,
    handler: async (_request, reply) =>
      reply
        .code(204)
        .headers({ ...PREFLIGHT_HEADERS, Allow: READ_METHODS })
        .send(),
  });
}
