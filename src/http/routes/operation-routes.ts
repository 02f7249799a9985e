// The endpoints of operations.

import type { FastifyInstance } from 'fastify';
import type { Archive } from '../../operation/archive.ts';
import { type AnalysisFormat, type Operation, pathOf, wordsOf } from '../../operation/operation.ts';
import type { ParameterTable } from '../../operation/parameters.ts';
import { addAnalysisRoute, analysisContent, inTable } from './analysis-route.ts';
import type { KeyedRouteDeps } from './keyed-route.ts';

export function addOperation(
  server: FastifyInstance,
  deps: KeyedRouteDeps,
  archive: Archive,
  operation: Operation,
): void {
  const { name, kind, table, run, headers = {} } = operation;
  for (const schema of [operation.schema, ...(operation.further ?? [])]) server.addSchema(schema);
  addAnalysisRoute<ParameterTable>(server, deps, {
    ...operation,
    path: pathOf(operation),
    words: {
      operationId: kind === undefined ? name : `${name}_${kind}s`,
      summary: wordsOf(operation, operation.summary),
      description: wordsOf(operation, operation.description),
    },
    answer: {
      description: wordsOf(operation, operation.answerWords),
      content: analysisContent(`${operation.schema.$id}`, operation.example, { hasCsv: table !== undefined }),
      headers,
    },
    async analyse(values, { accountId, pathParts, signal }) {
      const told = await run(archive, values, { accountId, pathParts, signal });
      if (table === undefined) return told;
      const { format } = values as { readonly format: AnalysisFormat };
      return { ...told, ...inTable(format, () => table(told.answer, values)) };
    },
  });
}
