// `npm run test:long -- histories arrivals|citing|datasets [N] [FIRST SEED]`: many random histories (1,000), each made
// of its seed alone and held against a model: of what comes in for callers who ask for what is new, of edits behind
// citations, of data sets and removals. Prints what was done; ends at the first difference.

import { runArrivalHistory } from '../arrival-history.ts';
import { runEditScripts } from '../citing/edit-scripts.ts';
import { runHistory } from '../datasets/histories.ts';
import { temporaryFolder } from '../helpers.ts';

using folder = temporaryFolder();
const RUNS = {
  arrivals: (seed: number) => runArrivalHistory(seed, 80),
  citing: (seed: number) => runEditScripts(1, seed),
  datasets: (seed: number) => runHistory(folder.path, seed, 40),
};

const [name = '', histories = '1000', first = '1'] = process.argv.slice(2);
if (!Object.hasOwn(RUNS, name)) {
  process.stderr.write(`expected one of ${Object.keys(RUNS).join(', ')}, found \`${name}\`\n`);
  process.exit(2);
}
const sum: Record<string, number> = {};
for (let done = 0; done < Number(histories); done++) {
  const counts = await RUNS[name as keyof typeof RUNS](Number(first) + done);
  for (const [what, count] of Object.entries(counts)) sum[what] = (sum[what] ?? 0) + count;
}
process.stdout.write(`${histories} histories as the model says: ${JSON.stringify(sum)}\n`);
