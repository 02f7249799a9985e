import type { Feature } from '../../cli/feature.ts';

/** Searches beside each other. */
export const feature: Feature = {
  name: 'compare',
  pages: async () => (await import('./page.ts')).addPages,
  searches: ['/compare', '/compare.csv'],
};
