// The features, a line each, in the order of commands, documents and navigation. Nothing else names one.

import type { FeatureEntry } from './cli/feature.ts';

// biome-ignore format: a line each
export const FEATURES: readonly FeatureEntry[] = [
  { commands: ['keys', 'accounts'], load: () => import('./features/account/feature.ts') },
  { commands: ['search'], load: () => import('./features/search/feature.ts') },
  { commands: ['import', 'communities', 'filter'], load: () => import('./features/import/feature.ts') },
  { commands: ['remove'], load: () => import('./features/remove/feature.ts') },
  { commands: ['sample', 'words', 'timeline', 'breakdown', 'explain'], load: () => import('./features/analysis/feature.ts') },
  { commands: ['thread'], load: () => import('./features/reading/feature.ts') },
  { commands: ['export', 'datasets'], load: () => import('./features/export/feature.ts') },
  { commands: ['saved', 'watch'], load: () => import('./features/saved/feature.ts') },
  { commands: ['cite'], load: () => import('./features/citing/feature.ts') },
  { commands: ['coverage'], load: () => import('./features/coverage/feature.ts') },
  { commands: ['stats', 'check', 'backup'], load: () => import('./features/upkeep/feature.ts') },
  { commands: ['move'], load: () => import('./features/move/feature.ts') },
  { commands: ['mcp'], load: () => import('./features/mcp/feature.ts') },
  { commands: [], load: () => import('./features/monitoring/feature.ts') },
  { commands: [], load: () => import('./features/docs/feature.ts') },
  { commands: [], load: () => import('./features/about/feature.ts') },
];
