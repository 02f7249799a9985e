// A short form of `npm run test:long -- export-kills`.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { runExportKills } from './export-kill-rounds.ts';

it('an export that is killed again and again, and run again, writes the file of an unbroken one', async () => {
  using folder = temporaryFolder();
  const forms = [
    { format: 'ndjson', compress: 'zstd' },
    { format: 'parquet', compress: 'none' },
  ] as const;
  const report = await runExportKills({ kills: 3, seed: 3, folder: folder.path, forms });
  assert.deepEqual(report.problems, []);
  assert.equal(report.kills, 3);
  assert.ok(report.files > 0);
});
