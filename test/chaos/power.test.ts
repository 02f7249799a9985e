// A short form of `npm run test:long -- power`.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { runPowerCuts } from './power-runs.ts';
import { recordWorkload } from './power-workload.ts';

it('whatever a power cut leaves opens at the last acknowledged state, or at a later whole one', async () => {
  using folder = temporaryFolder();
  const workload = await recordWorkload(`${folder.path}/recorded`);
  const report = await runPowerCuts({ workload, states: 25, seed: 5, folder: folder.path });
  assert.deepEqual(report.problems, []);
  assert.ok(report.states > 18);
});
