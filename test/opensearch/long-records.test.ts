// Records that are long: no answer of the cluster has many of them.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { packRecords } from '../../src/packing/packed-records.ts';
import { startProxy } from './proxy.ts';
import { comments, idsIn, inPlace, open } from './removing-suite.ts';
import { onCluster } from './test-cluster.ts';

const BYTES = 256 * 1024;
const COUNT = 100;
/** What a search may bring, and a little. */
const MOST_BYTES = 18 * 1024 * 1024;

await onCluster('OpenSearch: long records', (nodes) => {
  it('in coming in again, in hiding and in undoing no answer has all of them', () =>
    inPlace(nodes, async (settings) => {
      const lengths: number[] = [];
      await using proxy = await startProxy(nodes[0]!, ({ path }) => {
        if (!/_search|_mget/.test(path)) return 'pass';
        return async (body, ask) => {
          const answer = await ask(body);
          lengths.push(Buffer.byteLength(answer.body));
          return answer;
        };
      });
      await using engine = await open({ ...settings, nodes: [proxy.address] });
      const long = comments(COUNT, { body: 'solar '.repeat(BYTES / 6), community: 'long' });
      /** How long the longest answer was; there was one with records. */
      const longest = async (work: () => Promise<unknown>) => {
        lengths.length = 0;
        await work();
        const most = Math.max(...lengths);
        assert.ok(most > BYTES, `${most} bytes`);
        return most;
      };
      await engine.index('comment', packRecords(long));
      const again = await longest(() => engine.index('comment', packRecords(long)));
      const hiding = await longest(() => engine.hide(1, 'comment', { community: 'long' }));
      const undoing = await longest(() => engine.restore(1));
      for (const most of [again, hiding, undoing]) assert.ok(most < MOST_BYTES, `${most} bytes`);
      assert.equal((await idsIn(engine)).length, COUNT);
    }));
});
