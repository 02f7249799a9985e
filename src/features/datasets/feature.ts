import type { Feature } from '../../cli/feature.ts';
import { DATASETS, datasetsOf } from './store.ts';

export const feature: Feature = {
  name: 'datasets',
  operations: async () => (await import('./endpoints.ts')).operations,
  endpoints: async () => (await import('./endpoints.ts')).addEndpoints,
  light: ['/datasets'],
  pages: async () => (await import('./page.ts')).addPages,
  commands: { datasets: async () => (await import('./command.ts')).datasetsCommand() },
  tables: async () => ({ catalogue: DATASETS }),
  onRemoval: async () => (await import('./withdrawing.ts')).copiesOf,
  files: async () => (await import('./copying.ts')).KEPT_FILES,
  upkeep: async () => (await import('./upkeep.ts')).startRebuilding,
  navigation: {
    ...{ path: '/datasets', name: 'Data sets' },
    isShown: ({ catalogue }) =>
      datasetsOf(catalogue)
        .all()
        .some(({ state }) => state !== 'new'),
  },
  guides: [{ path: '/docs/datasets', file: 'datasets.md', name: 'Data sets', endpoints: ['datasets'] }],
};
