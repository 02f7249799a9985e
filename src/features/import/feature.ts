import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'import',
  commands: {
    import: async () => (await import('./command.ts')).importCommand(),
    communities: async () => (await import('./communities.ts')).communitiesCommand(),
  },
};
