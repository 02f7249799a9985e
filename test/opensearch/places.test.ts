// How many questions are asked of the cluster at once, and what becomes of those that wait.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { QUESTIONS_AT_ONCE } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { EVERYTHING } from '../engine-suite.ts';
import { startProxy, type Verdict } from './proxy.ts';
import { comments, inPlace, open } from './removing-suite.ts';
import { onCluster } from './test-cluster.ts';

const QUESTION = { kind: 'comment', query: EVERYTHING } as const;

await onCluster('OpenSearch: questions at once', (nodes) => {
  it('more than it has places for wait, and are `busy` after their time; all others are answered', () =>
    inPlace(nodes, async (settings) => {
      const held = Promise.withResolvers<void>();
      const full = Promise.withResolvers<void>();
      let searches = 0;
      await using proxy = await startProxy(nodes[0]!, async ({ path }): Promise<Verdict> => {
        if (!path.startsWith('/_search?')) return 'pass';
        if (++searches === QUESTIONS_AT_ONCE) full.resolve();
        await held.promise;
        return 'pass';
      });
      await using engine = await open({ ...settings, nodes: [proxy.address] });
      await engine.index('comment', packRecords(comments(20)));
      await engine.refresh();
      const asked = Array.from({ length: QUESTIONS_AT_ONCE }, () => engine.ask(QUESTION));
      await full.promise;
      const waiting = engine.ask(QUESTION);
      await assert.rejects(engine.ask({ ...QUESTION, timeoutMs: 1 }), {
        ...{ name: 'ServiceError', code: 'busy', status: 503, retryAfter: 1 },
        message: 'expected room for the query at OpenSearch within 1 ms, found 32 others under way',
      });
      const caller = new AbortController();
      const gone = engine.ask(QUESTION, caller.signal);
      caller.abort(new Error('gone'));
      await assert.rejects(gone, { message: 'gone' });
      assert.equal(searches, QUESTIONS_AT_ONCE);
      held.resolve();
      const answers = await Promise.all([...asked, waiting]);
      assert.deepEqual(new Set(answers.map(({ total }) => total)), new Set([20]));
      assert.equal(searches, QUESTIONS_AT_ONCE + 1);
    }));
});
