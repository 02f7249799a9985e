// `npm run test:long [cases]`: agreement of the embedded engine with the reference engine on so many random queries
// (100,000 where none is named), each with up to four pages. Prints what was compared; ends at the first difference.

import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { compareOnCorpus, SHAPES } from '../engine-agreement.ts';

const wanted = Number(process.argv[2] ?? 100_000);
const firstSeed = Number(process.argv[3] ?? 1_000_000);
let compared = 0;
let corpora = 0;
const started = performance.now();
while (compared < wanted) {
  const shape = SHAPES[corpora % SHAPES.length]!;
  const open = (folder: string, rules: { readonly keepOriginals: boolean }) =>
    openEmbeddedEngine(folder, { rules, workers: 0 });
  compared += await compareOnCorpus(open, shape, firstSeed + corpora++);
  if (corpora % 50 === 0) {
    process.stderr.write(
      `${compared} queries on ${corpora} corpora, ${Math.round((performance.now() - started) / 1000)} s\n`,
    );
  }
}
process.stdout.write(`${compared} queries on ${corpora} corpora: no difference\n`);
