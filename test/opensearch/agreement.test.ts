import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareOnCorpus, SHAPES } from '../engine-agreement.ts';
import { openSearchHarness } from './harness.ts';
import { onCluster } from './test-cluster.ts';

const SEEDS = 12;

await onCluster('OpenSearch agrees with the reference engine', (nodes) => {
  const harness = openSearchHarness(nodes);
  for (let seed = 0; seed < SEEDS; seed++) {
    const shape = SHAPES[seed % SHAPES.length]!;
    it(`on corpus ${seed}, with ${shape.queries} random queries`, async () => {
      assert.equal(await compareOnCorpus(harness, shape, seed), shape.queries);
    });
  }
});
