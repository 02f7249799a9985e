// A worker that is gone takes its block with it: the import fails, and the next one has all records all the same.

import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Block } from '../../src/ingest/formats/block.ts';
import { WorkerPool } from '../../src/ingest/pool.ts';
import { commentLine, test } from './import-helpers.ts';

/** Of some 2 KB each: more blocks than are worked on at once. */
const RECORDS = 4_000;

for (const failing of [1, 2, 5]) {
  test(`block ${failing} lost with its worker is imported by the next import, which resumed behind it`, async (place) => {
    const body = 'y'.repeat(2_000);
    const lines = Array.from({ length: RECORDS }, (_, i) => commentLine(`c${i}`, { body }));
    const source = place.file('a.ndjson', lines.join('\n'));
    let blocks = 0;
    const run = WorkerPool.prototype.run;
    const lossy = mock.method(
      WorkerPool.prototype,
      'run',
      function (this: WorkerPool<unknown, unknown>, block: Block) {
        return blocks++ === failing ? Promise.reject(new Error('the worker is gone')) : run.call(this, block);
      },
    );
    try {
      // Every block is a batch of its own.
      const options = { workers: 0, batchRecords: 1 };
      await assert.rejects(place.run([source], options), /the worker is gone/);
      assert.ok(blocks > failing);
      lossy.mock.restore();
      await place.run([source], options);
    } finally {
      lossy.mock.restore();
    }
    const { comment } = await place.engine.stats();
    assert.equal('records' in comment && comment.records, RECORDS);
  });
}
