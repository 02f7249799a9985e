// `npm run test:long -- kills [N] [--seed S] [--records R]`: N kills (200) of a process that imports, replaces, merges,
// removes, takes back, purges and backs up; prints what they came to, and ends with 1 where a record was lost.

import { parseArgs } from 'node:util';
import { temporaryFolder } from '../helpers.ts';
import { endWith, percentile, surroundings } from './figures.ts';
import { runKills } from './kill-rounds.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, records: { type: 'string', default: '12000' } },
});
const kills = Number(positionals[0] ?? 200);
const seed = Number(values.seed);
const records = Number(values.records);
const folder = temporaryFolder();
const started = performance.now();
const report = await runKills({
  kills,
  seed,
  records,
  folder: folder.path,
  onKill: (now) => {
    if (now.kills % 20 === 0) process.stderr.write(`${now.kills} kills, ${now.rounds} rounds\n`);
  },
});
const { rounds, lost, half, revived, failedOpens } = report;
const { acknowledgedBatches, wholeBatches, absentBatches } = report;
const ms = (share: number) => `${Math.round(percentile(report.openMs, share))} ms`;
process.stdout.write(`${surroundings()}
${kills} kills, seed ${seed}, three editions of ${records} records, ${Math.round((performance.now() - started) / 1000)} s
kills ${report.kills} in ${rounds} rounds; lost ${lost}, half ${half}, revived ${revived}, failed opens ${failedOpens}
under way: ${[...report.killsAt].map(([kind, kills]) => `${kind} ${kills}`).join(', ')}
batches acknowledged ${acknowledgedBatches}; under way at a kill: whole ${wholeBatches}, absent ${absentBatches}
orphans after kills ${report.orphans}, left ${report.orphansLeft}
reopening: p50 ${ms(0.5)}, p95 ${ms(0.95)}, slowest ${ms(1)}
`);
endWith(report.problems, folder.path);
