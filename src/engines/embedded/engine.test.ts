import { engineConformance } from '../../../test/engine-conformance.ts';
import { folderHarness } from '../../../test/engine-harness.ts';
import { INDEX_DAMAGES, LATE_DAMAGE } from '../../../test/index-damage.ts';
import { openEmbeddedEngine } from './engine.ts';

engineConformance(
  folderHarness(
    'embedded engine',
    (folder, options) => openEmbeddedEngine(folder, { ...options, workers: 0 }),
    [...INDEX_DAMAGES, LATE_DAMAGE],
  ),
);
