import type { Feature } from '../../cli/feature.ts';

/** Dumps into the index, and what is known of communities into the catalogue. */
export const feature: Feature = {
  name: 'import',
  commands: {
    import: async () => (await import('./command.ts')).importCommand(),
    communities: async () => (await import('./communities.ts')).communitiesCommand(),
  },
};
