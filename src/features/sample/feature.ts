import type { Feature } from '../../cli/feature.ts';

/** A random sample of the matches, which the same seed draws again. */
export const feature: Feature = {
  name: 'sample',
  operations: async () => (await import('./operation.ts')).operations,
  guides: [{ path: '/docs/samples', file: 'samples.md', name: 'Samples', endpoints: ['sample', 'words'] }],
};
