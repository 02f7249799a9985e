import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'remove',
  commands: { remove: async (features) => (await import('./command.ts')).removeCommand(features) },
};
