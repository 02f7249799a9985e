import type { Feature } from '../../cli/feature.ts';

/** Records that have to go. */
export const feature: Feature = {
  name: 'remove',
  commands: { remove: async () => (await import('./command.ts')).removeCommand() },
};
