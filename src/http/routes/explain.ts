// The two endpoints that tell what a query means and does, item by item. Contract 10.5.

import type { FastifyInstance } from 'fastify';
import type { AnalysisContext } from '../../analysis/asking.ts';
import { explain } from '../../analysis/explain.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import type { SearchService } from '../../search/search-service.ts';
import { analysisPath } from '../addresses/api.ts';
import { EXPLAIN_EXAMPLE, EXPLAIN_PARAMETERS, type ExplainTable } from '../operations/explain.ts';
import { type AnalysisEndpoint, addAnalysisRoute, analysisContent } from './analysis-route.ts';
import type { KeyedRouteDeps } from './keyed-route.ts';

interface ExplainRouteDeps extends KeyedRouteDeps {
  readonly analysis: AnalysisContext;
  /** Says what it adds to queries. */
  readonly search: Pick<SearchService, 'impliedWindow'>;
}

export function addExplainRoutes(
  server: FastifyInstance,
  { analysis, search, ...deps }: ExplainRouteDeps,
): void {
  for (const kind of KINDS) addAnalysisRoute(server, deps, explainEndpoint(kind, analysis, search));
}

function explainEndpoint(
  kind: Kind,
  analysis: AnalysisContext,
  search: ExplainRouteDeps['search'],
): AnalysisEndpoint<ExplainTable> {
  return {
    path: analysisPath('explain', kind),
    parameters: EXPLAIN_PARAMETERS,
    words: {
      operationId: `explain_${kind}s`,
      summary: `What a query for ${kind}s means`,
      description:
        'For each item of the query: what it means, how many records it finds alone, how many the query finds ' +
        'without it, and how many up to it. Nothing is added to the query.',
    },
    answer: {
      description: 'The items of the query, in the order written.',
      content: analysisContent('Explanation', EXPLAIN_EXAMPLE[kind]),
      headers: {},
    },
    analyse: ({ query }, { signal }) => explain(analysis, { kind, query }, search, signal),
  };
}
