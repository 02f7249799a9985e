import type { Feature } from '../../cli/feature.ts';

/** Every record from one engine to another. */
export const feature: Feature = {
  name: 'move',
  commands: { move: async () => (await import('./command.ts')).moveCommand() },
};
