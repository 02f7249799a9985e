import { engineConformance } from '../engine-conformance.ts';
import { openSearchHarness } from './harness.ts';
import { onCluster } from './test-cluster.ts';

await onCluster('conformance', (nodes) => engineConformance(openSearchHarness(nodes)));
