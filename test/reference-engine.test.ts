import { engineConformance } from './engine-conformance.ts';
import { folderHarness } from './engine-harness.ts';
import { openReferenceEngine } from './reference/reference-engine.ts';

engineConformance(folderHarness('reference engine', openReferenceEngine));
