import type { Feature } from '../../cli/feature.ts';

/** Imports dumps, whole or in part; or writes a part of them to a file, without an index. */
export const feature: Feature = {
  name: 'import',
  commands: {
    import: async (features) => (await import('./command.ts')).importCommand(features),
    communities: async (features) => (await import('./command.ts')).communitiesCommand(features),
    filter: async () => (await import('./filter/command.ts')).filterCommand(),
  },
};
