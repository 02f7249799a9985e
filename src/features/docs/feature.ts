import type { Feature } from '../../cli/feature.ts';

/** The documentation: guides, their search, the API reference, and running endpoints from their pages. */
export const feature: Feature = {
  name: 'docs',
  navigation: { path: '/docs', name: 'API docs' },
  light: ['/docs', '/api/v1/openapi.json'],
  machines: ['/docs/run/'],
  pages: async () => (await import('./page.ts')).addPages,
  results: async () => (await import('./api-examples.ts')).copyPanel,
};
