import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'compare',
  operations: async () => (await import('./operation.ts')).operations,
  pages: async () => (await import('./page.ts')).addPages,
  searches: ['/compare'],
};
