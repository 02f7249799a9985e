import { engineConformance } from '../../../test/engine-conformance.ts';
import { openEmbeddedEngine } from './engine.ts';

engineConformance('embedded engine', (folder, rules, removals) =>
  openEmbeddedEngine(folder, { rules, workers: 0, ...(removals && { removals }) }),
);
