import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Compared, compareAnalyses, GENERATORS, LOOK_UPS } from './analysis-agreement.ts';
import { EMBEDDED } from './embedded-index.ts';

it('analyses by the embedded engine are those of the reference engine', async () => {
  const compared: Compared = new Map();
  for (const seed of [1, 2]) await compareAnalyses(EMBEDDED, 15, seed, compared);
  await compareAnalyses(EMBEDDED, 20, 7, compared, LOOK_UPS);
  for (const name of Object.keys(GENERATORS)) assert.ok(compared.get(name)!.answers >= 5, name);
});
