import type { Feature } from '../../cli/feature.ts';

/** Dumps come in, whole or a part; or a part of them goes into a file, without an index. */
export const feature: Feature = {
  name: 'import',
  commands: {
    import: async (features) => (await import('./command.ts')).importCommand(features),
    communities: async (features) => (await import('./communities.ts')).communitiesCommand(features),
    filter: async () => (await import('./filter/command.ts')).filterCommand(),
  },
};
