import type { Feature } from '../../cli/feature.ts';

const timeline = () => import('./timeline.ts');
const breakdown = () => import('./breakdown.ts');
const words = () => import('./words.ts');
const sample = () => import('./sample.ts');
const explain = () => import('./explain.ts');
const compare = () => import('./compare/compare.ts');

/** Analyses of the matches of queries: counts, timelines, breakdowns, words, samples, pictures, comparisons. */
export const feature: Feature = {
  name: 'analysis',
  operations: async () => {
    const told = await Promise.all(
      [sample, words, timeline, breakdown, compare, explain].map((load) => load()),
    );
    return told.flatMap(({ operations }) => operations);
  },
  // Loaded separately, since each module takes about a millisecond.
  commands: {
    sample: async () => (await sample()).operations,
    words: async () => (await words()).operations,
    timeline: async () => (await timeline()).operations,
    breakdown: async () => (await breakdown()).operations,
    explain: async () => (await explain()).operations,
  },
  pages: async () => {
    const pages = [import('./breakdown-page.ts'), import('./compare/page.ts'), import('./pictures/page.ts')];
    const added = await Promise.all(pages);
    return (server, site) => {
      for (const { addPages } of added) addPages(server, site);
    };
  },
  searches: ['/breakdown', { route: '/compare', asks: /[?&]query=[^&].*&query=[^&]/ }, '/pictures'],
  guides: [{ path: '/docs/samples', file: 'samples.md', name: 'Samples', endpoints: ['sample', 'words'] }],
};
