import type { Feature } from '../../cli/feature.ts';
import { settingOf, switchSetting } from '../../config.ts';

const PUBLIC_CITATIONS = switchSetting('COLLOQUY_PUBLIC_CITATIONS');

export const feature: Feature = {
  name: 'citing',
  operations: async () => (await import('./operation.ts')).operations,
  pages: async () => {
    const { addPages } = await import('./page.ts');
    return (server, site) =>
      addPages(server, site, settingOf(site.archive.config, PUBLIC_CITATIONS) === 'on');
  },
  tables: async () => ({ catalogue: (await import('./store.ts')).CITATIONS }),
  onRemoval: 'keeps none',
  ofAccount: async () => (await import('./store.ts')).OF_ACCOUNT,
  commands: { cite: async () => (await import('./command.ts')).citeCommand() },
  settings: [PUBLIC_CITATIONS],
  slots: {
    'results.tools': { path: '/cite', name: 'Cite', isShown: ({ accounts }) => !accounts.isReadOnly },
  },
  guides: [{ path: '/docs/citing', file: 'citing.md', name: 'Citing', endpoints: ['citations'] }],
};
