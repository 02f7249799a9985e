import type { Feature } from '../../cli/feature.ts';

/** Which words set the matches of a query apart from those of another. */
export const feature: Feature = {
  name: 'words',
  operations: async () => (await import('./operation.ts')).operations,
};
