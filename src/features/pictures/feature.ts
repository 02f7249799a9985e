import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'pictures',
  pages: async () => (await import('./page.ts')).addPages,
  searches: ['/pictures'],
};
