import type { Feature } from '../../cli/feature.ts';
import { DATASETS, datasetsOf } from './datasets/store.ts';

const told = () => Promise.all([import('./answer.ts'), import('./datasets/endpoints.ts')]);

/** Exports of every match as a stream or file; and data sets, which publish a query's matches as files. */
export const feature: Feature = {
  name: 'export',
  operations: async () => (await told()).flatMap(({ operations }) => operations),
  bytes: async () => (await told()).flatMap(({ bytes }) => bytes),
  light: ['/datasets'],
  pages: async () => {
    const added = await Promise.all([import('./page.ts'), import('./datasets/page.ts')]);
    return (server, site) => {
      for (const { addPages } of added) addPages(server, site);
    };
  },
  results: async () => (await import('./page.ts')).downloadOf,
  commands: {
    export: async () => (await import('./command.ts')).exportCommand(),
    datasets: async () => (await import('./datasets/command.ts')).datasetsCommand(),
  },
  tables: async () => ({ catalogue: DATASETS }),
  onRemoval: async () => (await import('./datasets/members.ts')).copiesOf,
  files: async () => (await import('./datasets/copying.ts')).KEPT_FILES,
  upkeep: async () => (await import('./datasets/shelf.ts')).startRebuilding,
  metrics: async () => (await import('./answer.ts')).figuresOf,
  navigation: {
    ...{ path: '/datasets', name: 'Data sets' },
    isShown: ({ catalogue }) =>
      datasetsOf(catalogue)
        .all()
        .some(({ state }) => state !== 'new'),
  },
  guides: [
    { path: '/docs/exporting', file: 'exporting.md', name: 'Exports', endpoints: ['export'] },
    { path: '/docs/datasets', file: 'datasets.md', name: 'Data sets', endpoints: ['datasets'] },
  ],
};
