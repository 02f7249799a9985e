// Routes of operations. server.ts has the checks of every path: head (400, 414), path and method (404, 405). An
// endpoint then checks, in this order: key or session (401), rate limit (429), admission (503), parameters (400),
// memory for the answer (503). Then the handler runs, and the answer is sent (304, ETag, content coding). A streamed
// body is opened after the check for 304; streams and files have no content coding.

import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { MAX_PAGE_BYTES } from '../../model/pages.ts';
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
} from '../../operation/operation.ts';
import {
  type ParameterTable,
  type ParameterValues,
  readParameters,
  Type,
} from '../../operation/parameters.ts';
import { TEXT_TYPES, type TextFormat } from '../../operation/text-forms.ts';
import { requestAddress } from '../addresses.ts';
import type { BytesUnderWay } from '../answers/bytes-under-way.ts';
import {
  ARRIVAL_HEADER,
  arrivalHeader,
  CUT_CELLS_HEADER,
  droppedHeader,
  PREFLIGHT_HEADERS,
} from '../answers/problems.ts';
import {
  inPieces,
  jsonPieces,
  printedPieces,
  REVALIDATED,
  sendRepresentation,
} from '../answers/representation.ts';
import { answerStreamed, FILE_HEADERS, sendFile } from '../answers/streamed-answer.ts';
import {
  type AnswerContent,
  type EndpointDescription,
  endpointSchemas,
  type OperationWords,
} from '../operations/openapi.ts';
import type { QueuedRoutes } from '../quick-refusal.ts';
import type { Admission } from '../requests/admission.ts';
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
} from '../requests/caller.ts';
import { limitNetwork, type NetworkLimit, type RateLimiter, tooManyRequests } from '../requests/limits.ts';
import type { Sessions } from '../session.ts';

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
  /** null: requests need a key. */
  readonly door: () => Door | null;
}

/** Admits requests from our own pages without a key. */
export interface Door {
  readonly sessions: Sessions;
  /** The limit of visitors' searches. */
  readonly visitorLimit: NetworkLimit;
}

interface KeyedEndpoint<Table extends ParameterTable> extends EndpointDescription {
  readonly path: string;
  readonly parameters: Table;
  /** It skips admission, because it does not use the engine or has a limit of its own. */
  readonly needsNoTurn?: boolean;
  /** Most bytes of the answer; absent: those of a page. */
  readonly mostBytes?: (values: ParameterValues<Table>) => number;
  /** Whether visitors may ask this without a key; absent: no. */
  readonly isForVisitors?: (values: ParameterValues<Table>) => boolean;
  readonly handler: (
    values: ParameterValues<Table>,
    request: EndpointRequest,
  ) => Promise<WholeAnswer | StreamedAnswer | FileAnswer>;
}

/** Whatever a handler is told besides the parameters. */
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

function addKeyedRoute<Table extends ParameterTable>(
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
      answer(deps, endpoint, askerOf(deps, endpoint, request), request, reply),
  });
}

/** Throws `missing_key`, `invalid_key`, and `too_many_requests` to visitors. */
function askerOf<Table extends ParameterTable>(
  { keys, door: doorOf, visitors }: KeyedRouteDeps,
  endpoint: KeyedEndpoint<Table>,
  request: FastifyRequest,
): Asker {
  const given = headerValues(request.raw.rawHeaders, 'authorization');
  const door = given.length === 0 ? doorOf() : null;
  const visitor = visitors.of(request);
  if (door !== null && isFromOurPage(request, visitor.ownAddress)) {
    const viewer = door.sessions.signedIn(request);
    if (viewer !== null) {
      const mayAsk = () => door.sessions.signedIn(request) !== null;
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
  { limiter, admission, visitors, bytes, log }: KeyedRouteDeps,
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
  // Held until the answer is made, not until it is sent.
  using _ = needsNoTurn ? null : await admission.enter({ caller, sort: path, signal });
  const values = readParameters(parameters, request.raw.url ?? '');
  const pathParts = request.params as Readonly<Record<string, string>>;
  const { ownAddress } = visitors.of(request);
  await bytes.hold(reply.raw, { caller, mostBytes: mostBytes(values) }, signal);
  const given = await handler(values, { caller, accountId, ownAddress, pathParts, signal });
  if (!('body' in given)) breakOffUnless(mayAsk, reply);
  if ('file' in given) return sendFile(request, reply, given.file, { vary });
  if ('open' in given) return answerStreamed(given, { log, vary }, request, reply);
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

/** Answers by session must not be embedded by other sites. */
const OWN_SITE = { 'Cross-Origin-Resource-Policy': 'same-origin' } as const;

/** `timeline-posts.csv`. */
function fileName(path: string, type: string): string {
  const ending = type.startsWith('text/csv') ? 'csv' : 'ndjson';
  return `${path.replace('/api/v1/', '').replaceAll(/[/:]+/g, '-')}.${ending}`;
}

interface Asker {
  readonly caller: CallerName;
  /** null: a visitor. */
  readonly accountId: number | null;
  /** Whether the key or session is still valid. */
  readonly mayAsk: () => boolean;
  /** The header of the request that the answer depends on. */
  readonly vary: 'Authorization' | 'Cookie';
}

type Values = ParameterValues<ParameterTable>;

export function addOperation(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  archive: Archive,
  operation: Operation,
): void {
  for (const schema of [operation.schema, ...(operation.further ?? [])])
    if (server.getSchema(`${schema.$id}`) === undefined) server.addSchema(schema);
  const endpoint = { ...describe(operation), path: pathOf(operation) };
  const answer = async (values: Values, asked: Omit<Asked, 'mayPrint'>) => {
    const format = formatOf(operation, values);
    const answered = await operation.run(archive, values, { ...asked, mayPrint: format === 'json' });
    return await wholeAnswer(operation, answered, values, format);
  };
  if (operation.isOpen) addOpenRoute(server, deps, endpoint, answer);
  else {
    const { needsNoTurn = false, mostBytes, isForVisitors } = operation;
    addKeyedRoute<ParameterTable>(server, deps, {
      ...{ ...endpoint, needsNoTurn, handler: answer },
      ...(mostBytes !== undefined && { mostBytes }),
      ...(isForVisitors !== undefined && {
        isForVisitors: (values) => formatOf(operation, values) === 'csv-excel' && isForVisitors(values),
      }),
    });
  }
}

export function addBytes(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  archive: Archive,
  operation: BytesOperation,
): void {
  addKeyedRoute<ParameterTable>(server, deps, {
    ...describeBytes(operation),
    path: pathOf(operation),
    // It has limits of its own, and goes at the caller's pace.
    needsNoTurn: true,
    mostBytes: () => 0,
    handler(values, asked) {
      const { caller, signal } = asked;
      const enter = (sort: string) => deps.admission.enter({ caller, sort, signal });
      return operation.send(archive, values, { ...asked, enter });
    },
  });
}

/** A route without key and limits, for operations that are cheap. */
function addOpenRoute(
  server: FastifyInstance,
  { visitors }: KeyedRouteDeps,
  endpoint: EndpointDescription & { readonly path: string },
  answer: (values: Values, asked: Asked) => Promise<WholeAnswer>,
): void {
  addReadRoute(server, {
    ...{ path: endpoint.path, ...endpointSchemas(endpoint) },
    async handler(request, reply) {
      const values = readParameters(endpoint.parameters, request.raw.url ?? '');
      const { ownAddress } = visitors.of(request);
      const pathParts = request.params as Readonly<Record<string, string>>;
      const { body, type = JSON_TYPE } = await answer(values, { accountId: null, ownAddress, pathParts });
      return sendRepresentation(request, reply, { body, type, caching: 'no-cache', vary: ['Host'] });
    },
  });
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

function describe(operation: Operation): EndpointDescription {
  const { part, parameters, records, headers = {}, links, isTool = false, isOpen = false } = operation;
  return {
    ...{ parameters, isTool, isOpen, tag: operation.tag },
    ...(part !== undefined && { pathParameters: Type.Object({ [part.name]: part.schema }) }),
    ...(links !== undefined && { links }),
    words: namesOf(operation),
    answer: {
      description: wordsOf(operation, operation.answerWords),
      content: contentOf(operation),
      headers: {
        ...('query' in parameters && DROPPED_HEADER),
        ...('since' in parameters && ARRIVAL_HEADER),
        ...(records !== undefined && !operation.hasNoFormat && CUT_CELLS_HEADER),
        ...headers,
      },
    },
  };
}

function describeBytes(operation: BytesOperation): EndpointDescription {
  const { parts, mediaTypes, isFile = false, headers = FILE_HEADERS } = operation;
  const bytes = { schema: { type: 'string', format: 'binary', description: 'The bytes of the file.' } };
  const content = Object.fromEntries(mediaTypes.map((type) => [type.split(';')[0], bytes]));
  const part = { description: 'The part of the file that `Range` asks for.', content };
  return {
    ...{ parameters: operation.parameters, tag: operation.tag, words: namesOf(operation) },
    ...(parts !== undefined && { pathParameters: Type.Object({ ...parts }) }),
    ...(isFile && { furtherStatuses: [410, 416], furtherAnswers: { 206: part } }),
    answer: { description: 'The file.', content, headers },
  };
}

function namesOf(
  operation: Pick<Operation, 'operationId' | 'name' | 'kind' | 'summary' | 'description'>,
): OperationWords {
  return {
    operationId: operationIdOf(operation),
    summary: wordsOf(operation, operation.summary),
    description: wordsOf(operation, operation.description),
  };
}

const DROPPED_HEADER = {
  'Colloquy-Dropped': [
    'What was written and is not searched for, as a list of display strings (RFC 9651): words whose signs',
    'were dropped (`C++` finds `C`), items without a word (`&`). At most 20; only where something was.',
  ].join(' '),
} as const;

function contentOf(operation: Operation): AnswerContent {
  const { schema, hasNoFormat = false } = operation;
  const formats = hasNoFormat ? [] : formatsOf(operation);
  const text = { schema: { type: 'string' } };
  return {
    'application/json': { schema: { $ref: `${schema.$id}#` }, ...examplesOf(operation) },
    ...(formats.includes('csv') && { 'text/csv': text }),
    ...(formats.includes('ndjson') && { [TEXT_TYPES.ndjson]: text }),
  };
}

/** By operation id: the answer to its example on the sample. Written by test/examples.test.ts. */
const EXAMPLES: Readonly<Record<string, object>> = JSON.parse(
  readFileSync(new URL('../operations/examples.json', import.meta.url), 'utf8'),
);

function examplesOf(operation: Operation): Pick<AnswerContent[string], 'examples'> {
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
  /** Links of the answer to GET. */
  readonly links?: AnswerLinks;
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
