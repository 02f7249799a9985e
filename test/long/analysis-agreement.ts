// `npm run test:long -- analysis-agreement [requests] [seed] [names]`: agreement of the embedded engine with the
// reference engine on so many random requests (2,000 where none is named) of each analysis, of explanations, named
// records, threads and coverage, or of those named, with commas. Prints what was compared; ends at the first
// difference.

import { type Compared, compareAnalyses, GENERATORS } from '../analysis-agreement.ts';
import { EMBEDDED } from '../embedded-index.ts';

const wanted = Number(process.argv[2] ?? 2_000);
const firstSeed = Number(process.argv[3] ?? 1_000_000);
const names = process.argv[4]?.split(',') ?? Object.keys(GENERATORS);
const ON_A_CORPUS = 50;

const unknown = names.find((name) => !(name in GENERATORS));
if (unknown !== undefined) {
  const known = Object.keys(GENERATORS).join(', ');
  process.stderr.write(`names: expected some of ${known}, with commas, found ${unknown}\n`);
  process.exit(2);
}
const generators = Object.fromEntries(names.map((name) => [name, GENERATORS[name]!]));

const compared: Compared = new Map();
let corpora = 0;
for (let asked = 0; asked < wanted; asked += ON_A_CORPUS) {
  await compareAnalyses(
    EMBEDDED,
    Math.min(ON_A_CORPUS, wanted - asked),
    firstSeed + corpora++,
    compared,
    generators,
  );
  if (corpora % 10 === 0)
    process.stderr.write(`${asked + ON_A_CORPUS} requests of each on ${corpora} corpora\n`);
}
for (const [name, { answers, refusals }] of compared) {
  process.stdout.write(`${name}: ${answers} answers and ${refusals} refusals, no difference\n`);
}
