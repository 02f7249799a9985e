// `npm run test:long -- engine-agreement [cases] [seed] [shared] [small] [typescript] [many]`: agreement of the
// embedded engine with the reference engine on so many random queries (100,000 where none is named), each with up to
// four pages; `shared`: with every question shared out to another searcher; `small`: with columns of all segments read
// by page, in memory for a few of them; `typescript`: without WebAssembly; `many`: twenty times as many queries on each
// corpus, of which most of the time goes into making it. Prints what was compared; ends at the first difference.

import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { compareOnCorpus, SHAPES } from '../engine-agreement.ts';
import { folderHarness } from '../engine-harness.ts';
import { openSharingEngine } from '../sharing-engine.ts';

const wanted = Number(process.argv[2] ?? 100_000);
const firstSeed = Number(process.argv[3] ?? 1_000_000);
const factor = process.argv.includes('many', 4) ? 20 : 1;
const isShared = process.argv.includes('shared', 4);
const kernels = process.argv.includes('typescript', 4) ? 'typescript' : 'webassembly';
/** Forty pages. */
const small = process.argv.includes('small', 4) ? { memoryBytes: 80 * 2 ** 18, wholeDocs: 0 } : {};
const counter = { shared: 0 };
const harness = folderHarness('embedded engine', (folder, options) =>
  isShared
    ? openSharingEngine(folder, { ...options, ...small }, counter)
    : openEmbeddedEngine(folder, { ...options, ...small, workers: 0, kernels }),
);
let compared = 0;
let corpora = 0;
const started = performance.now();
while (compared < wanted) {
  const shape = SHAPES[corpora % SHAPES.length]!;
  const queries = shape.queries * factor;
  compared += await compareOnCorpus(harness, { ...shape, queries }, firstSeed + corpora++);
  if ((corpora * factor) % 40 === 0) {
    process.stderr.write(
      `${compared} queries on ${corpora} corpora, ${Math.round((performance.now() - started) / 1000)} s\n`,
    );
  }
}
const ofThem = isShared ? `; ${counter.shared} answers were shared out` : '';
process.stdout.write(`${compared} queries on ${corpora} corpora: no difference${ofThem}\n`);
