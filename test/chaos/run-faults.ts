// `npm run test:long -- run-faults [--stride N] [--verbose]`: every call of the file system fails once, in each of the
// ways that may befall it; then imports on a disk that is full in earnest. `--verbose` prints what the errors say.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../helpers.ts';
import { type FaultReport, prepareScenario, runFaults } from './fault-runs.ts';
import { SCENARIOS } from './fault-scenarios.ts';
import { FAULT_KINDS } from './faults.ts';
import { surroundings } from './figures.ts';
import { canMount, type Means, runFullDisk } from './full-disk.ts';

/** KiB: from not enough for an empty folder to enough for all. */
const SIZES = [
  40, 80, 120, 160, 240, 300, 400, 500, 600, 750, 900, 1100, 1300, 1600, 2000, 2500, 3000, 4000, 5000, 8000,
];

const { values } = parseArgs({
  options: { stride: { type: 'string', default: '1' }, verbose: { type: 'boolean', default: false } },
});
process.stdout.write(`${surroundings()}\n`);
using folder = temporaryFolder();
for (const [number, scenario] of SCENARIOS.entries()) {
  const prepared = await prepareScenario(scenario, join(folder.path, `${number}`));
  for (const kind of FAULT_KINDS) {
    const report: FaultReport = { runs: 0, failedSteps: 0, messages: new Set(), problems: [] };
    await runFaults(prepared, kind, Number(values.stride), report);
    process.stdout.write(
      `${scenario.name}, ${kind}: ${report.runs} calls failed, ${report.failedSteps} steps; wrong ${report.problems.length}\n`,
    );
    tell([...report.messages, ...report.problems], report.problems.length);
  }
}

const means: readonly Means[] = canMount(folder.path) ? ['tmpfs', 'file size limit'] : ['file size limit'];
for (const one of means) {
  const options = { means: one, sizes: SIZES, records: 4_000 };
  const report = await runFullDisk({ ...options, folder: join(folder.path, one) });
  process.stdout.write(
    `a full disk (${one}): ${report.runs} sizes, ${report.failed} too small; wrong ${report.problems.length}\n`,
  );
  tell([...report.messages, ...report.problems], report.problems.length);
}

function tell(lines: readonly string[], problems: number): void {
  if (values.verbose || problems > 0) for (const line of lines) process.stdout.write(`  ${line}\n`);
  if (problems > 0) process.exitCode = 1;
}
