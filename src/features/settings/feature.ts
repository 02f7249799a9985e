import type { Feature } from '../../cli/feature.ts';

/** What somebody sets for the pages in one browser. */
export const feature: Feature = {
  name: 'settings',
  pages: async () => (await import('./page.ts')).addPages,
};
