// Agreement of a far engine with the reference engine (test/remote/) under other faults for each seed, and every answer
// compared as in engine-agreement.ts: `npm run test:long -- remote-agreement [corpora] [seed]`, 200 corpora where none
// are named. Prints what was compared and what befell; ends at the first difference.

import { compareOnCorpus, SHAPES } from '../engine-agreement.ts';
import { FAULTS } from '../remote/faults.ts';
import { remoteHarness } from '../remote/harness.ts';

const corpora = Number(process.argv[2] ?? 200);
const firstSeed = Number(process.argv[3] ?? 1_000_000);
const counts = Object.fromEntries(FAULTS.map((fault) => [fault, 0]));
let compared = 0;
for (let i = 0; i < corpora; i++) {
  const harness = remoteHarness(firstSeed + i);
  const place = harness.place();
  compared += await compareOnCorpus(
    { place: () => place, splitsBatches: true },
    SHAPES[i % SHAPES.length]!,
    firstSeed + i,
  );
  for (const fault of FAULTS) counts[fault]! += place.faults.counts[fault];
  if ((i + 1) % 20 === 0) process.stderr.write(`${compared} queries on ${i + 1} corpora\n`);
}
const befell = FAULTS.map((fault) => `${fault} ${counts[fault]} times`).join(', ');
process.stdout.write(`${compared} queries on ${corpora} corpora: no difference; ${befell}\n`);
