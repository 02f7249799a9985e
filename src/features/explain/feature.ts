import type { Feature } from '../../cli/feature.ts';

/** What each item of a query means, and how many records it finds. */
export const feature: Feature = {
  name: 'explain',
  operations: async () => (await import('./operation.ts')).operations,
};
