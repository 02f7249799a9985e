// `npm run test:analyses [requests] [seed]`: agreement of the embedded engine with the reference engine on so many
// random requests of each analysis (2,000 where none is named). Prints what was compared; ends at the first
// difference.

import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { type Compared, compareAnalyses } from '../analysis-agreement.ts';
import { folderHarness } from '../engine-harness.ts';

const wanted = Number(process.argv[2] ?? 2_000);
const firstSeed = Number(process.argv[3] ?? 1_000_000);
const ON_A_CORPUS = 50;

const harness = folderHarness('embedded engine', (folder, options) =>
  openEmbeddedEngine(folder, { ...options, workers: 0 }),
);
const compared: Compared = new Map();
let corpora = 0;
for (let asked = 0; asked < wanted; asked += ON_A_CORPUS) {
  await compareAnalyses(harness, Math.min(ON_A_CORPUS, wanted - asked), firstSeed + corpora++, compared);
  if (corpora % 10 === 0)
    process.stderr.write(`${asked + ON_A_CORPUS} requests of each on ${corpora} corpora\n`);
}
for (const [name, answers] of compared) process.stdout.write(`${name}: ${answers} answers, no difference\n`);
