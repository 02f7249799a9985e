import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'export',
  operations: async () => (await import('./endpoints.ts')).operations,
  endpoints: async () => (await import('./endpoints.ts')).addEndpoints,
  pages: async () => (await import('./page.ts')).addPages,
  results: async () => {
    const { downloadForm } = await import('./page.ts');
    return (found) => ({ below: downloadForm(found) });
  },
  commands: { export: async () => (await import('./command.ts')).exportCommand() },
  metrics: async () => (await import('./answer.ts')).figuresOf,
  guides: [{ path: '/docs/exporting', file: 'exporting.md', name: 'Exports', endpoints: ['export'] }],
};
