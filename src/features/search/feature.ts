import type { Feature } from '../../cli/feature.ts';

/** Search: the API, the start page, the results, and completions. */
export const feature: Feature = {
  name: 'search',
  operations: async () => (await import('./operation.ts')).operations,
  pages: async () => (await import('./page.ts')).addPages,
  warm: async () => (await import('./service.ts')).warmedPages,
  searches: ['/search'],
  light: ['/', '/suggest'],
  turns: ['/', '/suggest'],
};
