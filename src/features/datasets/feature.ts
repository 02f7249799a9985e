import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'datasets',
  operations: async () => (await import('./endpoints.ts')).operations,
  endpoints: async () => (await import('./endpoints.ts')).addEndpoints,
  light: ['/datasets'],
  pages: async () => (await import('./page.ts')).addPages,
  commands: { datasets: async () => (await import('./command.ts')).datasetsCommand() },
  upkeep: async () => (await import('./upkeep.ts')).startRebuilding,
  navigation: {
    ...{ path: '/datasets', name: 'Data sets' },
    isShown: ({ catalogue }) => catalogue.datasets.all().some(({ state }) => state !== 'new'),
  },
  guides: [{ path: '/docs/datasets', file: 'datasets.md', name: 'Data sets', endpoints: ['datasets'] }],
};
