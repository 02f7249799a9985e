import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareOnCorpus, SHAPES } from '../engine-agreement.ts';
import { openSearchHarness } from './harness.ts';
import { onCluster } from './test-cluster.ts';

/** How many corpora; the first of them is `COLLOQUY_TEST_FIRST_SEED`. */
const SEEDS = numberIn('COLLOQUY_TEST_SEEDS', SHAPES.length);
const FIRST_SEED = numberIn('COLLOQUY_TEST_FIRST_SEED', 0);
/** More of them are more segments, which here are the cluster's. */
const MOST_BATCHES = 12;

function numberIn(name: string, standard: number): number {
  const text = process.env[name] ?? `${standard}`;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name}: expected a whole number, found ${text}`);
  return Number(text);
}

await onCluster('OpenSearch agrees with the reference engine', (nodes) => {
  const harness = openSearchHarness(nodes);
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const { batches, ...shape } = SHAPES[seed % SHAPES.length]!;
    it(`on corpus ${seed}, with ${shape.queries} random queries`, async () => {
      const fewer = { ...shape, batches: Math.min(batches, MOST_BATCHES) };
      assert.equal(await compareOnCorpus(harness, fewer, seed), shape.queries);
    });
  }
});
