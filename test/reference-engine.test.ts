import { openReferenceEngine } from '../src/engines/reference/reference-engine.ts';
import { engineConformance } from './engine-conformance.ts';

engineConformance('reference engine', (folder, rules, removals) =>
  openReferenceEngine(folder, { rules, ...(removals && { removals }) }),
);
