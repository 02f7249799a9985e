// A short form of `npm run test:long -- run-faults`: a part of the calls.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { folderInMemory } from '../helpers.ts';
import { type FaultReport, prepareScenario, runFaults } from './fault-runs.ts';
import { SCENARIOS } from './fault-scenarios.ts';
import { FAULT_KINDS } from './faults.ts';
import { runFullDisk } from './full-disk.ts';

/** Of each kind and scenario so many calls are passed over. */
const STRIDE = 254;

describe('when the file system fails, the old state answers and the work can be done again', () => {
  for (const scenario of SCENARIOS) {
    it(scenario.name, async () => {
      using folder = folderInMemory();
      const prepared = await prepareScenario(scenario, folder.path);
      for (const kind of FAULT_KINDS) {
        const report: FaultReport = { runs: 0, failedSteps: 0, messages: new Set(), problems: [] };
        await runFaults(prepared, kind, STRIDE, report);
        assert.deepEqual(report.problems, []);
      }
    });
  }

  const noLimit = process.platform === 'win32' ? 'files have no limit of size on Windows' : false;
  it('no room for SQLite nor for segments, then room again', { skip: noLimit }, async () => {
    using folder = folderInMemory();
    const options = { means: 'file size limit', records: 3_000, folder: folder.path } as const;
    const report = await runFullDisk({ ...options, sizes: [60, 350] });
    assert.deepEqual(report.problems, []);
    assert.equal(report.failed, 2);
  });
});
