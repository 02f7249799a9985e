// What the endpoints for analyses have in common: an answer as JSON that begins with type, kind, query and index, or as
// a table of CSV.

import type { FastifyInstance } from 'fastify';
import { type CsvTable, csvLines } from '../../analysis/asking.ts';
import type { AnalysisFormat, Answer, Lines } from '../../operation/operation.ts';
import type { ParameterTable, ParameterValues } from '../../operation/parameters.ts';
import type { Dropped } from '../../search/language/dropped.ts';
import { arrivalHeader, droppedHeader } from '../answers/headers.ts';
import { inPieces, jsonPieces } from '../answers/json-pieces.ts';
import { CSV_TYPE } from '../answers/representation.ts';
import type { AnswerContent, OperationWords } from '../operations/openapi.ts';
import {
  addKeyedRoute,
  type EndpointRequest,
  type KeyedEndpoint,
  type KeyedRouteDeps,
  type WholeAnswer,
} from './keyed-route.ts';

/** What a handler gives. */
export interface Analysis {
  readonly answer: Answer;
  /** What of the queries is not searched for. */
  readonly dropped?: readonly Dropped[];
  /** Of the view that answered; absent: it is not told. */
  readonly arrival?: number;
  /** Where another form was asked for. */
  readonly lines?: Lines;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AnalysisEndpoint<Table extends ParameterTable>
  extends Omit<KeyedEndpoint<Table>, 'handler' | 'operations' | 'tag'> {
  /** Absent: `analysis`. */
  readonly tag?: KeyedEndpoint<Table>['tag'];
  /** Of GET; those of HEAD follow from them. */
  readonly words: OperationWords;
  readonly analyse: (values: ParameterValues<Table>, request: EndpointRequest) => Promise<Analysis>;
}

export function addAnalysisRoute<Table extends ParameterTable>(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  { analyse, words, ...endpoint }: AnalysisEndpoint<Table>,
): void {
  addKeyedRoute(server, deps, {
    tag: 'analysis',
    ...endpoint,
    operations: { get: words, head: wordsOfHead(words) },
    answer: {
      ...endpoint.answer,
      headers: { ...('query' in endpoint.parameters && ANALYSIS_HEADERS), ...endpoint.answer.headers },
    },
    handler: async (values, request) => wholeAnswer(await analyse(values, request)),
  });
}

function wordsOfHead({ operationId, summary }: OperationWords): OperationWords {
  return {
    operationId: `head_${operationId}`,
    summary: `Headers of ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
    description: 'Status and headers of the same GET, without its body.',
  };
}

const ANALYSIS_HEADERS = {
  'Colloquy-Dropped': [
    'What was written and is not searched for, as a list of display strings (RFC 9651): words whose signs',
    'were dropped (`C++` finds `C`), items without a word (`&`). At most 20; only where something was.',
  ].join(' '),
} as const;

/** Made in pieces, with room for other requests in between. */
export async function wholeAnswer(analysis: Analysis): Promise<WholeAnswer> {
  const { answer, dropped = [], arrival, lines, headers = {} } = analysis;
  const told = droppedHeader(dropped);
  const arrived = arrival === undefined ? {} : arrivalHeader(arrival);
  const all = { ...headers, ...arrived, ...(told === null ? {} : { 'Colloquy-Dropped': told }) };
  if (lines === undefined) return { body: await jsonPieces(answer), headers: all };
  const body = await inPieces(lines.text);
  return { body, type: lines.type, headers: { ...all, ...lines.headers?.() } };
}

/** The lines of an analysis that is not asked for as JSON. */
export function inTable(format: AnalysisFormat, table: () => CsvTable): Pick<Analysis, 'lines'> {
  return format === 'json' ? {} : { lines: { type: CSV_TYPE, text: csvLines(table(), format) } };
}

/** What an endpoint answers, for OpenAPI: JSON of this schema, with an example, and CSV where it gives that too. */
export function analysisContent(
  schema: string,
  example: Answer,
  { hasCsv = false }: { readonly hasCsv?: boolean } = {},
): AnswerContent {
  return {
    'application/json': { schema: { $ref: `${schema}#` }, examples: { answer: { value: example } } },
    ...(hasCsv && { 'text/csv': { schema: { type: 'string' } } }),
  };
}
