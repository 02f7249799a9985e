import type { Feature } from '../../cli/feature.ts';

/** What the matches of a query are counted by. */
export const feature: Feature = {
  name: 'breakdown',
  operations: async () => (await import('./operation.ts')).operations,
  pages: async () => (await import('./page.ts')).addPages,
  searches: ['/breakdown', '/breakdown.csv'],
};
