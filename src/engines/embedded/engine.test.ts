import { engineConformance } from '../../../test/engine-conformance.ts';
import { INDEX_DAMAGES, LATE_DAMAGE } from '../../../test/index-damage.ts';
import { openEmbeddedEngine } from './engine.ts';

engineConformance(
  'embedded engine',
  (folder, rules, removals) =>
    openEmbeddedEngine(folder, { rules, workers: 0, ...(removals && { removals }) }),
  [...INDEX_DAMAGES, LATE_DAMAGE],
);
