import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'filter',
  commands: { filter: async () => (await import('./command.ts')).filterCommand() },
};
