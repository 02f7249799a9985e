// `npm run test:faults -- [--stride N]`: every call of the file system fails once, in each of the ways that befall it.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../helpers.ts';
import { type FaultReport, runFaults } from './fault-runs.ts';
import { SCENARIOS } from './fault-scenarios.ts';
import { FAULT_KINDS } from './faults.ts';
import { surroundings } from './figures.ts';
import { canMount, type Means, runFullDisk } from './full-disk.ts';

/** KiB: from not enough for an empty folder to enough for all. */
const SIZES = [
  40, 80, 120, 160, 240, 300, 400, 500, 600, 750, 900, 1100, 1300, 1600, 2000, 2500, 3000, 4000, 5000, 8000,
];

const { values } = parseArgs({ options: { stride: { type: 'string', default: '1' } } });
process.stdout.write(`${surroundings()}\n`);
using folder = temporaryFolder();
for (const [number, scenario] of SCENARIOS.entries()) {
  for (const kind of FAULT_KINDS) {
    const home = join(folder.path, `${number} ${kind}`);
    const report: FaultReport = { runs: 0, failedSteps: 0, messages: new Set(), problems: [] };
    await runFaults({ scenario, kind, folder: home, stride: Number(values.stride) }, report);
    process.stdout.write(
      `${scenario.name}, ${kind}: ${report.runs} calls failed, ${report.failedSteps} steps; wrong ${report.problems.length}\n`,
    );
    for (const line of report.messages) process.stdout.write(`  ${line}\n`);
    for (const line of report.problems) process.stdout.write(`    ${line}\n`);
    if (report.problems.length > 0) process.exitCode = 1;
    rmSync(home, { recursive: true, force: true });
  }
}

const means: readonly Means[] = canMount(folder.path) ? ['tmpfs', 'file size limit'] : ['file size limit'];
for (const one of means) {
  const report = await runFullDisk({
    means: one,
    sizes: SIZES,
    records: 4_000,
    folder: join(folder.path, one),
  });
  process.stdout.write(
    `a full disk (${one}): ${report.runs} sizes, ${report.failed} too small; wrong ${report.problems.length}\n`,
  );
  for (const line of [...report.messages, ...report.problems]) process.stdout.write(`  ${line}\n`);
  if (report.problems.length > 0) process.exitCode = 1;
}
