// `npm run test:long -- power [N] [--seed S]`: N states (2,000) that a power cut could leave, each opened; prints what
// they came to, and ends with 1 where something acknowledged was lost.

import { parseArgs } from 'node:util';
import { temporaryFolder } from '../helpers.ts';
import { endWith, surroundings } from './figures.ts';
import { runPowerCuts } from './power-runs.ts';
import { recordWorkload } from './power-workload.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' } },
});
const states = Number(positionals[0] ?? 2000);
const seed = Number(values.seed);
const folder = temporaryFolder();
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
const { badOpens, lost, later, problems } = report;
const losses = `bad opens ${badOpens}, acknowledged lost ${lost}`;
const others = problems.length - badOpens - lost;
process.stdout.write(`${surroundings()}
${workload.events.length} events of ${workload.states.length - 1} steps, seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s
states ${report.states}; ${losses}; a later whole state ${later}; other problems ${others}
`);
endWith(problems, folder.path);
