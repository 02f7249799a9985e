import { engineConformance } from './engine-conformance.ts';
import { folderHarness } from './engine-harness.ts';
import { openReferenceEngine } from './reference/reference-engine.ts';
import { REFERENCE_DAMAGES } from './reference-damage.ts';

engineConformance(folderHarness('reference engine', openReferenceEngine, REFERENCE_DAMAGES));
