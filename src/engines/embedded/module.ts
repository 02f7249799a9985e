// The embedded engine as the composition root sees it. Its parts are loaded when they are used: commands that only look
// at the data folder open no index.

import type { EngineModule } from '../../model/engine-module.ts';

export const EMBEDDED: Required<Omit<EngineModule, 'elsewhere'>> = {
  name: 'embedded',
  files: ['posts.db', 'comments.db'],
  open: async (folder, options) => (await import('./engine.ts')).openEmbeddedEngine(folder, options),
  check: async (folder, options) => (await import('./check.ts')).checkIndex(folder, options),
  snapshot: async (folder, target) => (await import('./backup.ts')).IndexSnapshot.take(folder, target),
};
