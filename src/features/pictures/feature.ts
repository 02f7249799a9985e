import type { Feature } from '../../cli/feature.ts';

/** Pictures of the matches of a query. */
export const feature: Feature = {
  name: 'pictures',
  pages: async () => (await import('./page.ts')).addPages,
  searches: ['/pictures', '/pictures.csv'],
};
