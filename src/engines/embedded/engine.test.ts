import { INDEX_DAMAGES, LATE_DAMAGE } from '../../../test/corruption.ts';
import { engineConformance } from '../../../test/engine-conformance.ts';
import { folderHarness } from '../../../test/engine-harness.ts';
import { openEmbeddedEngine } from './engine.ts';

engineConformance(
  folderHarness(
    'embedded engine',
    (folder, options) => openEmbeddedEngine(folder, { ...options, workers: 0 }),
    [...INDEX_DAMAGES, LATE_DAMAGE],
  ),
);
