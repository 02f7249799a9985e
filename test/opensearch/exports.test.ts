// The threads of exports: one that has given all makes the next export, one that was broken off ends.

import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { it } from 'node:test';
import { exported, openExport } from '../engine-export.ts';
import { engineMaker } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { openSearchHarness } from './harness.ts';
import { onCluster } from './test-cluster.ts';

const RECORDS = [comment({ id: '1' }), comment({ id: '2' })];
const REQUEST = { kind: 'comment' } as const;

await onCluster('OpenSearch: threads of exports', (nodes) => {
  const withEngine = engineMaker(openSearchHarness(nodes));

  it('one that has given all makes the next export; two at once, or one behind a break, need another', () =>
    withEngine(RECORDS, async (engine) => {
      const all = async () => assert.equal((await exported(engine, REQUEST)).last.records, RECORDS.length);
      const brokenOff = async () => (await openExport(engine, REQUEST))[Symbol.asyncDispose]();
      assert.equal(await startedBy(all), 1);
      assert.equal(await startedBy(all), 0);
      assert.equal(await startedBy(brokenOff), 0);
      assert.equal(await startedBy(all), 1);
      assert.equal(await startedBy(() => Promise.all([all(), all()])), 1);
      assert.equal(await startedBy(all), 0);
    }));
});

/** How many threads it starts. */
async function startedBy(work: () => Promise<unknown>): Promise<number> {
  let started = 0;
  const count = () => started++;
  subscribe('worker_threads', count);
  try {
    await work();
  } finally {
    unsubscribe('worker_threads', count);
  }
  return started;
}
