// `npm run test:power -- [N] [--seed S]`: N states (2,000) that a power cut could leave, each opened; prints what they
// came to, and ends with 1 where something acknowledged was lost.

import { parseArgs } from 'node:util';
import { temporaryFolder } from '../helpers.ts';
import { surroundings } from './figures.ts';
import { runPowerCuts } from './power-runs.ts';
import { recordWorkload } from './power-workload.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' } },
});
const states = Number(positionals[0] ?? 2000);
const seed = Number(values.seed);
using folder = temporaryFolder();
const started = performance.now();
const workload = await recordWorkload(`${folder.path}/recorded`);
const report = await runPowerCuts({
  workload,
  states,
  seed,
  folder: folder.path,
  onState: (now) => {
    if (now.states % 200 === 0) process.stderr.write(`${now.states} states\n`);
  },
});
process.stdout.write(`${surroundings()}
${workload.events.length} events of ${workload.states.length - 1} steps, seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s
states ${report.states}; bad opens ${report.badOpens}, acknowledged lost ${report.lost}; a later whole state ${report.later}; other problems ${report.problems.length - report.badOpens - report.lost}
`);
for (const problem of report.problems) process.stdout.write(`${problem}\n`);
if (report.problems.length > 0) process.exitCode = 1;
