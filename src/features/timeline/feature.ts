import type { Feature } from '../../cli/feature.ts';

/** How many records match, when, and what share that is. */
export const feature: Feature = {
  name: 'timeline',
  operations: async () => {
    const { timelines, counts } = await import('./operation.ts');
    return [...timelines, ...counts];
  },
  pages: async () => (await import('./page.ts')).addPages,
  searches: ['/timeline.csv'],
};
