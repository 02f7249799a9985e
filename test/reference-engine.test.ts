import { openReferenceEngine } from '../src/engines/reference/reference-engine.ts';
import { engineConformance } from './engine-conformance.ts';
import { folderHarness } from './engine-harness.ts';
import { REFERENCE_DAMAGES } from './reference-damage.ts';

engineConformance(folderHarness('reference engine', openReferenceEngine, REFERENCE_DAMAGES));
