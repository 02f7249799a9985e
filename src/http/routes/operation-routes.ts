// The endpoints of operations: those that need a key, and those that are open.

import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { FORMATS, type TextFormat } from '../../exporting/formats.ts';
import type { Archive } from '../../operation/archive.ts';
import { Type } from '../../operation/json-schema.ts';
import {
  type Answered,
  type Asked,
  exampleRequest,
  formatsOf,
  linesOf,
  type Operation,
  operationIdOf,
  pathOf,
  wordsOf,
} from '../../operation/operation.ts';
import { type ParameterTable, type ParameterValues, readParameters } from '../../operation/parameters.ts';
import { requestAddress } from '../addresses/pages.ts';
import { inPieces, jsonPieces, printedPieces } from '../answers/json-pieces.ts';
import { ARRIVAL_HEADER, arrivalHeader, CUT_CELLS_HEADER, droppedHeader } from '../answers/problems.ts';
import { sendRepresentation } from '../answers/representation.ts';
import { type AnswerContent, type EndpointDescription, endpointSchemas } from '../operations/openapi.ts';
import { addReadRoute } from '../read-route.ts';
import { addKeyedRoute, JSON_TYPE, type KeyedRouteDeps, type WholeAnswer } from './keyed-route.ts';

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

/** Without a key, and without limits: of what is at hand. */
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

/** Made in pieces, with room for other requests in between. */
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

/** Others may have a parameter of this name too. */
function formatOf({ table, records }: Operation, { format }: Values): 'json' | TextFormat {
  return (table ?? records) === undefined ? 'json' : ((format as TextFormat | undefined) ?? 'json');
}

function describe(operation: Operation): EndpointDescription {
  const { part, parameters, records, headers = {}, links, isTool = false, isOpen = false } = operation;
  return {
    ...{ parameters, isTool, isOpen, tag: operation.tag },
    ...(part !== undefined && { pathParameters: Type.Object({ [part.name]: part.schema }) }),
    ...(links !== undefined && { links }),
    words: {
      operationId: operationIdOf(operation),
      summary: wordsOf(operation, operation.summary),
      description: wordsOf(operation, operation.description),
    },
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
    ...(formats.includes('ndjson') && { [FORMATS.ndjson.mediaType]: text }),
  };
}

/** Of each operation by its id what it answers to its example on the sample: test/examples.test.ts writes it. */
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
