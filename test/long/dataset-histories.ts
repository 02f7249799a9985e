// Many random histories of data sets and removals: npm run test:long -- dataset-histories [HISTORIES]

import { runHistory } from '../datasets/histories.ts';
import { temporaryFolder } from '../helpers.ts';

const histories = Number(process.argv[2] ?? 100);
const STEPS = 40;

using folder = temporaryFolder();
const all: Record<string, number> = {};
for (let seed = 1; seed <= histories; seed++) {
  for (const [name, count] of Object.entries(await runHistory(folder.path, seed, STEPS)))
    all[name] = (all[name] ?? 0) + count;
}
process.stdout.write(`${histories} histories as the model says: ${JSON.stringify(all)}\n`);
