import type { Feature } from '../../cli/feature.ts';

/** Finding records: by a query from programs and from pages, the start page, and what completes a search. */
export const feature: Feature = {
  name: 'search',
  operations: async () => (await import('./operation.ts')).operations,
  pages: async () => (await import('./page.ts')).addPages,
  warm: async () => (await import('./service.ts')).warmedPages,
  searches: ['/search'],
  light: ['/', '/suggest'],
  turns: ['/', '/suggest'],
};
