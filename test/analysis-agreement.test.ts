import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { type Compared, compareAnalyses, GENERATORS, LOOK_UPS } from './analysis-agreement.ts';
import { folderHarness } from './engine-harness.ts';

const embedded = folderHarness('embedded engine', (folder, options) =>
  openEmbeddedEngine(folder, { ...options, workers: 0 }),
);

it('analyses by the embedded engine are those of the reference engine', async () => {
  const compared: Compared = new Map();
  for (const seed of [1, 2]) await compareAnalyses(embedded, 15, seed, compared);
  await compareAnalyses(embedded, 20, 7, compared, LOOK_UPS);
  for (const name of Object.keys(GENERATORS)) assert.ok(compared.get(name)!.answers >= 5, name);
});
