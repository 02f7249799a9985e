// The features, a line each, in the order of commands, documents and navigation. Nothing else names one.

import type { FeatureEntry } from './cli/feature.ts';

export const FEATURES: readonly FeatureEntry[] = [
  {
    commands: ['import', 'communities'],
    load: async () => (await import('./features/import/feature.ts')).feature,
  },
  { commands: ['filter'], load: async () => (await import('./features/filter/feature.ts')).feature },
  { commands: ['remove'], load: async () => (await import('./features/remove/feature.ts')).feature },
  { commands: ['sample'], load: async () => (await import('./features/sample/feature.ts')).feature },
  { commands: ['words'], load: async () => (await import('./features/words/feature.ts')).feature },
  { commands: ['timeline'], load: async () => (await import('./features/timeline/feature.ts')).feature },
  { commands: ['thread'], load: async () => (await import('./features/reading/feature.ts')).feature },
  { commands: ['breakdown'], load: async () => (await import('./features/breakdown/feature.ts')).feature },
  { commands: ['export'], load: async () => (await import('./features/export/feature.ts')).feature },
  { commands: ['explain'], load: async () => (await import('./features/explain/feature.ts')).feature },
  { commands: ['cite'], load: async () => (await import('./features/citing/feature.ts')).feature },
  { commands: ['coverage'], load: async () => (await import('./features/coverage/feature.ts')).feature },
  {
    commands: ['stats', 'check', 'backup'],
    load: async () => (await import('./features/upkeep/feature.ts')).feature,
  },
  { commands: ['move'], load: async () => (await import('./features/move/feature.ts')).feature },
];
