import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'settings',
  pages: async () => (await import('./page.ts')).addPages,
};
