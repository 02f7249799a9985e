import { INDEX_DAMAGES, LATE_DAMAGE } from '../../../test/corruption.ts';
import { engineConformance } from '../../../test/engine-conformance.ts';
import { folderHarness } from '../../../test/engine-harness.ts';
import { largeConformance } from '../../../test/engine-large.ts';
import { openEmbeddedEngine } from './engine.ts';

const harness = folderHarness(
  'embedded engine',
  (folder, options) => openEmbeddedEngine(folder, { ...options, workers: 0 }),
  [...INDEX_DAMAGES, LATE_DAMAGE],
);
engineConformance(harness);
largeConformance(harness);
