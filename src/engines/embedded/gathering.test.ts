import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { segmentFiles } from '../../../test/corruption.ts';
import { embeddedEngine, openOwnEngine } from '../../../test/embedded-index.ts';
import { EVERYTHING } from '../../../test/engine-suite.ts';
import { START_OF_2008, someComments } from '../../../test/helpers.ts';
import type { MergeStep, SearchEngine } from '../../model/engine.ts';
import { packRecords } from '../packing/packed-records.ts';
import { checkIndex } from './check.ts';

/** Large enough for a file of its own. */
const BATCH = 2_500;

async function write(engine: SearchEngine, batches: number, first = 0): Promise<void> {
  for (let batch = first; batch < first + batches; batch++) {
    const at = (i: number) => ({ id: `b${batch}x${i}`, created: START_OF_2008 + batch * BATCH + i });
    const records = someComments(BATCH, (i) => ({ ...at(i), body: `solar ${i % 7}` }));
    await engine.index('comment', packRecords(records));
  }
}

const filesIn = ({ path }: { readonly path: string }) => segmentFiles(path, 'comment').length;
const found = async (engine: SearchEngine) =>
  (await engine.ask({ kind: 'comment', query: EVERYTHING })).total;

describe('segments after an import', () => {
  it('seven of a size did not stay seven for good: they become one, once nothing more is written', async () => {
    const steps: MergeStep[] = [];
    await using engine = await embeddedEngine();
    await write(engine, 7);
    assert.equal(filesIn(engine), 7);
    await engine.maintain({ onMerge: (step) => steps.push(step) });
    assert.equal(await found(engine), 7 * BATCH);
    assert.deepEqual(steps, [{ kind: 'comment', segments: 7, records: 7 * BATCH }]);
    assert.equal(filesIn(engine), 1);
    assert.deepEqual((await checkIndex(engine.path, {})).problems, []);
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
      await using engine = await openOwnEngine({ workers });
      const stop = new AbortController();
      await write(engine, 7);
      await engine.maintain({ signal: stop.signal, onMerge: () => stop.abort() });
      assert.equal(filesIn(engine), 7);
      assert.equal(await found(engine), 7 * BATCH);
      await engine.maintain();
      assert.equal(filesIn(engine), 1);
      assert.equal(await found(engine), 7 * BATCH);
      assert.deepEqual((await checkIndex(engine.path, {})).problems, []);
    });
  }
});
