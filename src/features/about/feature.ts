import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'about',
  pages: async () => (await import('./page.ts')).addPages,
  light: ['/about', '/privacy'],
};
