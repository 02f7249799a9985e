// All endpoints that need a key.

import type { FastifyInstance } from 'fastify';
import type { SavedSearches } from '../../accounts/saved-searches.ts';
import type { AnalysisContext } from '../../analysis/asking.ts';
import type { CoverageService } from '../../analysis/coverage.ts';
import type { CitingService } from '../../citing/citing-service.ts';
import type { DatasetReader } from '../../datasets/shelf.ts';
import type { SearchService } from '../../search/search-service.ts';
import type { ExportDesk } from '../export-answer.ts';
import { addBreakdownRoutes } from './breakdown.ts';
import { addCitationRoute } from './citations.ts';
import { addCoverageRoute } from './coverage.ts';
import { addDatasetRoutes } from './datasets.ts';
import { addExplainRoutes } from './explain.ts';
import { addExportRoutes } from './export.ts';
import type { KeyedRouteDeps } from './keyed-route.ts';
import { addRecordsRoutes } from './records.ts';
import { addSampleRoutes } from './sample.ts';
import { addSavedRoutes } from './saved.ts';
import { addSearchRoutes } from './search.ts';
import { addThreadRoute } from './thread.ts';
import { addCountsRoutes, addTimelineRoutes } from './timeline.ts';

interface ApiDeps extends KeyedRouteDeps {
  readonly search: SearchService;
  readonly analysis: AnalysisContext;
  /** null: nobody is told what the index covers. */
  readonly coverage: CoverageService | null;
  /** null: nothing can be cited. */
  readonly citing: CitingService | null;
  readonly datasets: DatasetReader;
  readonly desk: ExportDesk;
  /** null: nobody saves searches. */
  readonly saved: SavedSearches | null;
}

/** In the order of the OpenAPI document. */
export function addApiRoutes(server: FastifyInstance, deps: ApiDeps): void {
  const { coverage, citing, saved } = deps;
  addSearchRoutes(server, deps);
  addRecordsRoutes(server, deps);
  addTimelineRoutes(server, deps);
  addCountsRoutes(server, deps);
  addSampleRoutes(server, deps);
  addExplainRoutes(server, deps);
  addBreakdownRoutes(server, deps);
  addExportRoutes(server, deps);
  if (coverage !== null) addCoverageRoute(server, { ...deps, coverage });
  if (citing !== null) addCitationRoute(server, { ...deps, citing });
  addDatasetRoutes(server, deps);
  if (saved !== null) addSavedRoutes(server, { ...deps, saved });
  addThreadRoute(server, { ...deps, threads: deps.search.threads });
}
