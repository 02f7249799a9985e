import type { Feature } from '../../cli/feature.ts';

/** Posts and comments by a query. */
export const feature: Feature = {
  name: 'search',
  operations: async () => (await import('./operation.ts')).operations,
};
