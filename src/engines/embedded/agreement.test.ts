import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EMBEDDED } from '../../../test/embedded-index.ts';
import { compareOnCorpus, SHAPES } from '../../../test/engine-agreement.ts';
import { folderHarness } from '../../../test/engine-harness.ts';
import { chorus } from '../../../test/sharing-engine.ts';
import { openEmbeddedEngine } from './engine.ts';

const MIN_CASES = 1_000;
/** Each shape twice, once for each kind. */
const CORPORA = 2 * SHAPES.length;
/** Making a corpus takes longer than asking. */
const QUERIES = 4;

const withoutWebAssembly = folderHarness('embedded engine in TypeScript alone', (folder, options) =>
  openEmbeddedEngine(folder, { ...options, workers: 0, kernels: 'typescript' }),
);

/** Columns of all segments are read by page, in memory for less than those of one of 72,000 records. */
const LITTLE_MEMORY = { memoryBytes: 6 * 2 ** 18, wholeDocs: 0 };
const tight = folderHarness('embedded engine with little memory', (folder, options) =>
  openEmbeddedEngine(folder, { ...options, workers: 0, ...LITTLE_MEMORY }),
);

/** All three over one index, which the first writes. */
const inEveryWay = folderHarness('embedded engine in every way', async (folder, options) =>
  chorus([
    await openEmbeddedEngine(folder, { ...options, workers: 0 }),
    await openEmbeddedEngine(folder, { ...options, workers: 0, kernels: 'typescript' }),
    await openEmbeddedEngine(folder, { ...options, workers: 0, ...LITTLE_MEMORY }),
  ]),
);

describe('the embedded engine agrees with the reference engine', () => {
  it('on 1,000 random queries over random corpora', async () => {
    let compared = 0;
    for (let seed = 0; seed < CORPORA; seed++) {
      const shape = SHAPES[seed % SHAPES.length]!;
      compared += await compareOnCorpus(EMBEDDED, { ...shape, queries: QUERIES * shape.queries }, seed);
    }
    assert.ok(compared >= MIN_CASES, `${compared} cases`);
  });

  it('where segments have several chunks, long lists and ties of hundreds: in every way', async () => {
    // In one batch, so that it is one segment, of more than 65,536.
    await compareOnCorpus(inEveryWay, { seeds: 240, copies: 300, batches: 1, queries: 6 }, 1);
  });

  it('without WebAssembly', async () => {
    for (const [seed, shape] of SHAPES.entries())
      await compareOnCorpus(withoutWebAssembly, shape, 100 + seed);
  });

  it('where there is memory for a part of the columns', async () => {
    for (let seed = 0; seed < 3; seed++) await compareOnCorpus(tight, SHAPES[seed % SHAPES.length]!, seed);
  });
});
