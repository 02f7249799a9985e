// Questions that are given up: the caller goes, or the time is over, while the cluster does not answer.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { EVERYTHING, RULES } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { deleteIndices, freshSettings } from './harness.ts';
import { startProxy } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

const QUESTION = { kind: 'comment', query: EVERYTHING } as const;

await onCluster('OpenSearch: questions that are given up', (nodes) => {
  /** `held`: a part of the paths that get no answer once `test` says so. */
  async function withHeld(
    held: string,
    test: (engine: SearchEngine, hold: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    let isHolding = false;
    const reached = Promise.withResolvers<void>();
    await using proxy = await startProxy(nodes[0]!, ({ path }) => {
      if (!isHolding || !path.includes(held)) return 'pass';
      reached.resolve();
      return 'hold';
    });
    const settings = freshSettings(nodes);
    try {
      {
        await using engine = await openOpenSearchEngine(settings, { rules: RULES });
        await engine.index('comment', packRecords([comment({ id: '1' })]));
      }
      await using engine = await openOpenSearchEngine(
        { ...settings, nodes: [proxy.address] },
        { rules: RULES },
      );
      await test(engine, () => {
        isHolding = true;
        return reached.promise;
      });
      isHolding = false;
    } finally {
      await deleteIndices(settings);
    }
  }

  // The promise of the request was returned to the signal, and its rejection ended the process.
  it('a caller who goes in the midst of a search ends that search alone', () =>
    withHeld('_search', async (engine, hold) => {
      assert.equal((await engine.ask(QUESTION)).total, 1);
      const caller = new AbortController();
      const held = hold();
      const asked = assert.rejects(engine.ask(QUESTION, caller.signal), { message: 'gone' });
      await held;
      caller.abort(new Error('gone'));
      await asked;
    }));

  it('the time of a question is over while its view is waited for', () =>
    withHeld('_mget', async (engine, hold) => {
      void hold();
      await assert.rejects(engine.ask({ ...QUESTION, timeoutMs: 200 }), { code: 'query_timeout' });
    }));
});
