import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import { embeddedEngine } from '../../../test/embedded-index.ts';
import { EVERYTHING } from '../../../test/engine-suite.ts';
import { comment, temporaryFolder } from '../../../test/helpers.ts';
import type { MergeStep, SearchEngine } from '../../model/engine.ts';
import { packRecords } from '../packing/packed-records.ts';
import { checkIndex } from './check.ts';
import { openEmbeddedEngine } from './engine.ts';

const RULES = { keepOriginals: false };
/** Large enough for a file of its own. */
const BATCH = 2_500;

async function write(engine: SearchEngine, batches: number, first = 0): Promise<void> {
  for (let batch = first; batch < first + batches; batch++) {
    const records = Array.from({ length: BATCH }, (_, i) =>
      comment({ id: `b${batch}x${i}`, created: 1_600_000_000 + batch * BATCH + i, body: `solar ${i % 7}` }),
    );
    await engine.index('comment', packRecords(records));
  }
}

function segmentFiles(folder: string): number {
  return globSync('**/*.seg', { cwd: folder }).length;
}

const found = async (engine: SearchEngine) =>
  (await engine.ask({ kind: 'comment', query: EVERYTHING })).total;

describe('segments after an import', () => {
  it('seven of a size did not stay seven for good: they become one, once nothing more is written', async () => {
    using folder = temporaryFolder();
    const steps: MergeStep[] = [];
    {
      await using engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
      await write(engine, 7);
      assert.equal(segmentFiles(folder.path), 7);
      await engine.maintain({ onMerge: (step) => steps.push(step) });
      assert.equal(await found(engine), 7 * BATCH);
    }
    assert.deepEqual(steps, [{ kind: 'comment', segments: 7, records: 7 * BATCH }]);
    assert.equal(segmentFiles(folder.path), 1);
    assert.deepEqual((await checkIndex(folder.path, {})).problems, []);
  });

  it('a small import beside a large segment copies no more than it wrote', async () => {
    await using engine = await embeddedEngine();
    await write(engine, 7);
    await engine.maintain();
    await write(engine, 2, 7);
    const steps: MergeStep[] = [];
    await engine.maintain({ onMerge: (step) => steps.push(step) });
    assert.deepEqual(steps, [{ kind: 'comment', segments: 2, records: 2 * BATCH }]);
    assert.equal(await found(engine), 9 * BATCH);
    // What was written is merged: there is nothing more to copy, whoever asks again.
    steps.length = 0;
    await engine.maintain({ onMerge: (step) => steps.push(step) });
    assert.deepEqual(steps, []);
  });

  for (const workers of [0, 1]) {
    it(`a merge that is broken off leaves what was there, and no file (${workers} threads)`, async () => {
      using folder = temporaryFolder();
      const stop = new AbortController();
      {
        await using engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers });
        await write(engine, 7);
        await engine.maintain({ signal: stop.signal, onMerge: () => stop.abort() });
        assert.equal(segmentFiles(folder.path), 7);
        assert.equal(await found(engine), 7 * BATCH);
        await engine.maintain();
        assert.equal(segmentFiles(folder.path), 1);
        assert.equal(await found(engine), 7 * BATCH);
      }
      assert.deepEqual((await checkIndex(folder.path, {})).problems, []);
    });
  }
});
