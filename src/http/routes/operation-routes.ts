// The endpoints of operations.

import type { FastifyInstance } from 'fastify';
import { FORMATS, type TextFormat } from '../../exporting/formats.ts';
import type { Archive } from '../../operation/archive.ts';
import { Type } from '../../operation/json-schema.ts';
import { formatsOf, linesOf, type Operation, pathOf, wordsOf } from '../../operation/operation.ts';
import type { ParameterTable } from '../../operation/parameters.ts';
import { ARRIVAL_HEADER, CUT_CELLS_HEADER } from '../answers/headers.ts';
import type { AnswerContent } from '../operations/openapi.ts';
import { addAnalysisRoute, analysisContent } from './analysis-route.ts';
import type { KeyedRouteDeps } from './keyed-route.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export function addOperation(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  archive: Archive,
  operation: Operation,
): void {
  const { name, kind, part, records, run, headers = {} } = operation;
  for (const schema of [operation.schema, ...(operation.further ?? [])])
    if (server.getSchema(`${schema.$id}`) === undefined) server.addSchema(schema);
  addAnalysisRoute<ParameterTable>(server, deps, {
    ...operation,
    path: pathOf(operation),
    ...(part === undefined ? {} : { pathParameters: Type.Object({ [part.name]: part.schema }) }),
    words: {
      operationId: operation.operationId ?? (kind === undefined ? name : `${name}_${kind}s`),
      summary: wordsOf(operation, operation.summary),
      description: wordsOf(operation, operation.description),
    },
    answer: {
      description: wordsOf(operation, operation.answerWords),
      content: contentOf(operation),
      headers: {
        ...('since' in operation.parameters && ARRIVAL_HEADER),
        ...(records !== undefined && CUT_CELLS_HEADER),
        ...headers,
      },
    },
    async analyse(values, { accountId, ownAddress, pathParts, signal }) {
      const { text, ...told } = await run(archive, values, { accountId, ownAddress, pathParts, signal });
      const { format = 'json' } = values as { readonly format?: 'json' | TextFormat };
      if (format !== 'json') return { ...told, lines: linesOf(operation, told.answer, values, format) };
      return text === undefined ? told : { ...told, lines: { type: JSON_TYPE, text } };
    },
  });
}

function contentOf(operation: Operation): AnswerContent {
  const formats = formatsOf(operation);
  return {
    ...analysisContent(`${operation.schema.$id}`, operation.example, { hasCsv: formats.includes('csv') }),
    ...(formats.includes('ndjson') && { [FORMATS.ndjson.mediaType]: { schema: { type: 'string' } } }),
  };
}
