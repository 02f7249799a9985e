import type { Feature } from '../../cli/feature.ts';

/** What this site is, and what it knows of its visitors. */
export const feature: Feature = {
  name: 'about',
  pages: async () => (await import('./page.ts')).addPages,
  light: ['/about', '/privacy'],
};
