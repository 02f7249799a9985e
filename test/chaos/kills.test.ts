// A short form of `npm run test:long -- kills`.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { runKills } from './kill-rounds.ts';

it('killed again and again while it imports, removes, purges and backs up, a folder ends as if undisturbed', async () => {
  using folder = temporaryFolder();
  const report = await runKills({ kills: 3, seed: 7, records: 2400, folder: folder.path });
  assert.deepEqual(report.problems, []);
  assert.ok(report.kills >= 3);
  assert.deepEqual([report.lost, report.half, report.revived, report.orphansLeft], [0, 0, 0, 0]);
});
