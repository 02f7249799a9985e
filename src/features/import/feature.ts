import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'import',
  commands: {
    import: async (features) => (await import('./command.ts')).importCommand(features),
    communities: async (features) => (await import('./communities.ts')).communitiesCommand(features),
  },
};
