import type { Feature } from '../../cli/feature.ts';

/** What the index covers, so that "nobody said it" can be told from "it was never imported". */
export const feature: Feature = {
  name: 'coverage',
  operations: async () => [(await import('./operation.ts')).coverage],
  pages: async () => (await import('./page.ts')).addPages,
  navigation: { path: '/coverage', name: 'Coverage' },
  guides: [{ path: '/docs/coverage', file: 'coverage.md', name: 'Coverage', endpoints: ['coverage'] }],
};
