import type { Feature } from '../../cli/feature.ts';

/** The status page, and the metrics of the index, the data folder and the process. */
export const feature: Feature = {
  name: 'monitoring',
  watcher: async () => (await import('./watcher.ts')).watcherOf,
  pages: async () => (await import('./page.ts')).addPages,
  metrics: async () => (await import('./figures.ts')).figuresOf,
  light: ['/status'],
  machines: ['/metrics'],
};
