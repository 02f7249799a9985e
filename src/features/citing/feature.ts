import type { Feature } from '../../cli/feature.ts';

/** What a query finds, kept so that others can check it. */
export const feature: Feature = {
  name: 'citing',
  operations: async () => (await import('./operation.ts')).operations,
  pages: async () => (await import('./page.ts')).addPages,
  commands: { cite: async () => (await import('./command.ts')).citeCommand() },
  slots: {
    'results.tools': { path: '/cite', name: 'Cite', isShown: ({ accounts }) => !accounts.isReadOnly },
  },
  guides: [{ path: '/docs/citing', file: 'citing.md', name: 'Citing', endpoints: ['citations'] }],
};
