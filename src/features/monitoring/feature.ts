import type { Feature } from '../../cli/feature.ts';

/** What the metrics tell of the index, the data folder and the process. */
export const feature: Feature = {
  name: 'monitoring',
  metrics: async () => (await import('./figures.ts')).figuresOf,
};
