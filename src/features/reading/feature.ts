import type { Feature } from '../../cli/feature.ts';

/** Records by their ids, and threads: a post and what is said below it. */
export const feature: Feature = {
  name: 'reading',
  operations: async () => (await import('./operation.ts')).operations,
  pages: async () => (await import('./page.ts')).addPages,
  commands: { thread: async () => (await import('./command.ts')).threadCommand() },
  guides: [{ path: '/docs/threads', file: 'threads.md', name: 'Threads', endpoints: ['thread'] }],
};
