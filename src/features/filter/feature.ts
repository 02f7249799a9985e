import type { Feature } from '../../cli/feature.ts';

/** The records of dumps that match a query, as a file. */
export const feature: Feature = {
  name: 'filter',
  commands: { filter: async () => (await import('./command.ts')).filterCommand() },
};
