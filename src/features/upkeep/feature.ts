import type { Feature } from '../../cli/feature.ts';

export const feature: Feature = {
  name: 'upkeep',
  commands: {
    stats: async () => (await import('./stats.ts')).statsCommand(),
    check: async () => (await import('./check.ts')).checkCommand(),
    backup: async (features) => await (await import('./backup.ts')).backupCommand(features),
  },
};
