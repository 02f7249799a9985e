// What the endpoints for analyses have in common: an answer as JSON that begins with type, kind, query and index, or as
// a table of CSV; queries of which several may be given.

import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type CsvTable, csvText } from '../analysis/csv.ts';
import { NORMALISES, type Normalise } from '../analysis/normalise.ts';
import { ServiceError } from '../errors.ts';
import type { IndexFingerprint } from '../model/index-fingerprint.ts';
import type { KindName } from '../model/record.ts';
import type { Dropped } from '../search/language/dropped.ts';
import { droppedHeader } from './dropped-header.ts';
import {
  addKeyedRoute,
  type EndpointRequest,
  type KeyedEndpoint,
  type KeyedRouteDeps,
  type WholeAnswer,
} from './keyed-route.ts';
import type { AnswerContent } from './openapi.ts';
import { choice, type Parameter, type ParameterTable, type ParameterValues } from './parameters.ts';
import { query } from './search-parameters.ts';

/** An analysis as the API gives it: its fields stand in this order, and others behind. */
export interface AnalysisAnswer {
  /** Its name, as in the path. */
  readonly type: string;
  readonly kind: KindName | null;
  /** In canonical form; null where there is none, or several. */
  readonly query: string | null;
  readonly index: IndexFingerprint | null;
}

/** What a handler gives. */
export interface Analysis {
  readonly answer: AnalysisAnswer;
  /** What of the queries is not searched for. */
  readonly dropped?: readonly Dropped[];
  /** Where CSV was asked for. */
  readonly table?: CsvTable;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AnalysisEndpoint<Table extends ParameterTable>
  extends Omit<KeyedEndpoint<Table>, 'handler' | 'tag'> {
  readonly analyse: (values: ParameterValues<Table>, request: EndpointRequest) => Promise<Analysis>;
}

export function addAnalysisRoute<Table extends ParameterTable>(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  { analyse, ...endpoint }: AnalysisEndpoint<Table>,
): void {
  addKeyedRoute(server, deps, {
    ...endpoint,
    tag: 'analysis',
    answer: { ...endpoint.answer, headers: { ...ANALYSIS_HEADERS, ...endpoint.answer.headers } },
    handler: async (values, request) => wholeAnswer(await analyse(values, request)),
  });
}

const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

const ANALYSIS_HEADERS = {
  'Colloquy-Dropped': [
    'What was written and is not searched for, as a list of display strings (RFC 9651): words whose signs',
    'were dropped (`C++` finds `C`), items without a word (`&`). At most 20; only where something was.',
  ].join(' '),
} as const;

function wholeAnswer({ answer, dropped = [], table, headers = {} }: Analysis): WholeAnswer {
  const told = droppedHeader(dropped);
  const all = { ...headers, ...(told === null ? {} : { 'Colloquy-Dropped': told }) };
  if (table !== undefined) return { body: csvText(table), type: CSV_TYPE, headers: all };
  return { body: JSON.stringify(answer), headers: all };
}

/** What an endpoint answers, for OpenAPI: JSON of this schema, with an example, and CSV where it gives that too. */
export function analysisContent(
  schema: string,
  example: AnalysisAnswer,
  { hasCsv = false }: { readonly hasCsv?: boolean } = {},
): AnswerContent {
  return {
    'application/json': { schema: { $ref: `${schema}#` }, examples: { answer: { value: example } } },
    ...(hasCsv && { 'text/csv': { schema: { type: 'string' } } }),
  };
}

/** One query, without an implied window. */
export const analysisQuery: Parameter<string> = {
  ...query,
  schema: Type.String({
    maxLength: 4096,
    description:
      'Which records, in the query language and with the limits of a search; a `before:` needs an `after:` beside it. ' +
      'If empty, every record.',
    examples: ['cats,/r/aww,-dogs', 'score:100,after:2021-01-01,before:2022-01-01'],
  }),
};

/** Of a parameter that may be given several times: as many as `most`. */
export function severalQueries(most: number): Parameter<readonly string[]> {
  return {
    read: (given, name) => [analysisQuery.read(given, name)],
    readAll: (given, name) => {
      if (given.length <= most) return given;
      throw new ServiceError(
        'too_many_queries',
        `parameter \`${name}\`: expected at most ${most} queries, found ${given.length}`,
      );
    },
    schema: Type.Array(analysisQuery.schema, {
      minItems: 1,
      maxItems: most,
      description: `A query, or up to ${most}: the parameter is then given several times.`,
      examples: [['cats,/r/aww', 'dogs,/r/aww']],
    }),
    documented: { values: `a query, without an implied window; up to ${most} times`, default: 'required' },
  };
}

export const normalise: Parameter<Normalise> = choice(NORMALISES, {
  standard: 'scope',
  code: 'bad_value',
  description: [
    'What shares are of. `scope`: the same query without its words, phrases, prefixes and any-ofs, included or excluded;',
    '`all`: only its dates; `none`: there are no shares. Empty counts as absent.',
  ].join(' '),
  examples: ['all'],
});

export const ANALYSIS_FORMATS = ['json', 'csv'] as const;

export type AnalysisFormat = (typeof ANALYSIS_FORMATS)[number];

export const analysisFormat: Parameter<AnalysisFormat> = choice(ANALYSIS_FORMATS, {
  standard: 'json',
  code: 'bad_format',
  description: 'JSON, or CSV (RFC 4180, LF, a header). Empty counts as absent.',
  examples: ['csv'],
});
