// The endpoints of operations.

import type { FastifyInstance } from 'fastify';
import type { Archive } from '../../operation/archive.ts';
import { Type } from '../../operation/json-schema.ts';
import { type AnalysisFormat, type Operation, pathOf, wordsOf } from '../../operation/operation.ts';
import type { ParameterTable } from '../../operation/parameters.ts';
import { addAnalysisRoute, analysisContent, inTable } from './analysis-route.ts';
import type { KeyedRouteDeps } from './keyed-route.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export function addOperation(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  archive: Archive,
  operation: Operation,
): void {
  const { name, kind, part, table, run, headers = {} } = operation;
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
      content: analysisContent(`${operation.schema.$id}`, operation.example, { hasCsv: table !== undefined }),
      headers,
    },
    async analyse(values, { accountId, ownAddress, pathParts, signal }) {
      const { text, ...told } = await run(archive, values, { accountId, ownAddress, pathParts, signal });
      if (text !== undefined) return { ...told, lines: { type: JSON_TYPE, text } };
      if (table === undefined) return told;
      const { format } = values as { readonly format: AnalysisFormat };
      return { ...told, ...inTable(format, () => table(told.answer, values)) };
    },
  });
}
