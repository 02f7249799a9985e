import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'move',
  commands: { move: async (features) => (await import('./command.ts')).moveCommand(features) },
};
