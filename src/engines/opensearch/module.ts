// The engine OpenSearch as the composition root sees it. Its index is in the cluster: it has no files in a data folder,
// and copies nothing. It is loaded when it is opened.

import type { EngineModule } from '../../model/engine-module.ts';
import type { OpenSearchSettings } from './cluster/client.ts';

export function openSearchModule(settings: OpenSearchSettings): EngineModule {
  return {
    name: 'opensearch',
    files: [],
    elsewhere: `in the indices \`${settings.prefix}-…\` of OpenSearch, which takes snapshots of them`,
    open: async (_folder, options) => (await import('./engine.ts')).openOpenSearchEngine(settings, options),
    check: async (_folder, options) => (await import('./check.ts')).checkIndices(settings, options),
  };
}
