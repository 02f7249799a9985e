import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareOnCorpus, SHAPES } from '../../../test/engine-agreement.ts';
import { folderHarness } from '../../../test/engine-harness.ts';
import { openEmbeddedEngine } from './engine.ts';

const MIN_CASES = 2_000;
const CORPORA = 40;
/** Making a corpus takes longer than asking. */
const QUERIES = 2;

const embedded = folderHarness('embedded engine', (folder, options) =>
  openEmbeddedEngine(folder, { ...options, workers: 0 }),
);

describe('the embedded engine agrees with the reference engine', () => {
  it('on 2,000 random queries over random corpora', async () => {
    let compared = 0;
    for (let seed = 0; seed < CORPORA; seed++) {
      const shape = SHAPES[seed % SHAPES.length]!;
      compared += await compareOnCorpus(embedded, { ...shape, queries: QUERIES * shape.queries }, seed);
    }
    assert.ok(compared >= MIN_CASES, `${compared} cases`);
  });

  it('where segments have several chunks, long lists and ties of hundreds', async () => {
    const shape = { seeds: 300, copies: 300, batches: 2, queries: 8 };
    for (const seed of [1, 2]) await compareOnCorpus(embedded, shape, seed);
  });
});
