// `npm run test:long [cases] [seed] [shared | typescript]`: agreement of the embedded engine with the reference engine on
// so many random queries (100,000 where none is named), each with up to four pages; `shared`: with every question shared
// out to another searcher; `typescript`: without WebAssembly. Prints what was compared; ends at the first difference.

import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { compareOnCorpus, SHAPES } from '../engine-agreement.ts';
import { folderHarness } from '../engine-harness.ts';
import { openSharingEngine } from '../sharing-engine.ts';

const wanted = Number(process.argv[2] ?? 100_000);
const firstSeed = Number(process.argv[3] ?? 1_000_000);
const isShared = process.argv[4] === 'shared';
const kernels = process.argv[4] === 'typescript' ? 'typescript' : 'webassembly';
const counter = { shared: 0 };
const harness = folderHarness('embedded engine', (folder, options) =>
  isShared
    ? openSharingEngine(folder, options, counter)
    : openEmbeddedEngine(folder, { ...options, workers: 0, kernels }),
);
let compared = 0;
let corpora = 0;
const started = performance.now();
while (compared < wanted) {
  const shape = SHAPES[corpora % SHAPES.length]!;
  compared += await compareOnCorpus(harness, shape, firstSeed + corpora++);
  if (corpora % 50 === 0) {
    process.stderr.write(
      `${compared} queries on ${corpora} corpora, ${Math.round((performance.now() - started) / 1000)} s\n`,
    );
  }
}
const ofThem = isShared ? `; ${counter.shared} answers were shared out` : '';
process.stdout.write(`${compared} queries on ${corpora} corpora: no difference${ofThem}\n`);
