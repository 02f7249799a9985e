// All endpoints that need a key.

import type { FastifyInstance } from 'fastify';
import type { AnalysisContext } from '../../analysis/asking.ts';
import type { Archive } from '../../operation/archive.ts';
import type { Operation } from '../../operation/operation.ts';
import type { SearchService } from '../../search/search-service.ts';
import type { KeyedRouteDeps } from './keyed-route.ts';
import { addOperation } from './operation-routes.ts';
import { addSearchRoutes } from './search.ts';

interface ApiDeps extends KeyedRouteDeps {
  readonly search: SearchService;
  readonly analysis: AnalysisContext;
  readonly archive: Archive;
  readonly operations: readonly Operation[];
}

/** In the order of the OpenAPI document. */
export function addApiRoutes(server: FastifyInstance, deps: ApiDeps): void {
  const { archive, operations } = deps;
  addSearchRoutes(server, deps);
  for (const operation of operations) addOperation(server, deps, archive, operation);
}
