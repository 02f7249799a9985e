// `npm run test:long -- export-kills [N] [--seed S]`: N kills (200) of exports into files, of every format and
// compression; prints what they came to, and ends with 1 where a finished file is not the one of an
// unbroken run.

import { parseArgs } from 'node:util';
import { temporaryFolder } from '../helpers.ts';
import { runExportKills } from './export-kill-rounds.ts';
import { endWith, surroundings } from './figures.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' } },
});
const kills = Number(positionals[0] ?? 200);
const seed = Number(values.seed);
const folder = temporaryFolder();
const started = performance.now();
const report = await runExportKills({
  kills,
  seed,
  folder: folder.path,
  onKill: (now) => {
    if (now.kills % 20 === 0) process.stderr.write(`${now.kills} kills, ${now.files} files\n`);
  },
});
process.stdout.write(`${surroundings()}
${kills} kills, seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s
kills ${report.kills}, of them behind the last byte ${report.killsAtTheEnd}
runs that went on behind a step ${report.resumed}
files finished behind a kill ${report.files}, other than those of unbroken runs ${report.problems.length}
`);
endWith(report.problems, folder.path);
