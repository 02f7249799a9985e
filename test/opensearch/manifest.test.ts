import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenSearchClient } from '../../src/engines/opensearch/cluster/client.ts';
import { indexNames, makeIndex } from '../../src/engines/opensearch/cluster/indices.ts';
import { ManifestStore } from '../../src/engines/opensearch/state/manifest.ts';
import { deleteIndices, freshSettings } from './harness.ts';
import { waitingIn } from './line.ts';
import { startProxy, type Verdict } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

/** Less than what a beat stands still for when its writer has died. */
const STEP_MS = 10_000;

await onCluster('OpenSearch: the manifest', (nodes) => {
  async function inPlace(test: (...stores: readonly ManifestStore[]) => Promise<void>): Promise<void> {
    const settings = freshSettings(nodes);
    const { control } = indexNames(settings);
    await using client = new OpenSearchClient(settings);
    try {
      await makeIndex(client, settings, 'control');
      await test(...Array.from({ length: 3 }, () => new ManifestStore(client, control, 'post')));
    } finally {
      await deleteIndices(settings);
    }
  }

  it('who waits has a turn before who writes again and again, and those that wait in the order of coming', () =>
    inPlace(async (importer, second, third) => {
      const turns: string[] = [];
      const others: Promise<unknown>[] = [];
      const first = async () => {
        turns.push('importer');
        if (others.length > 0) return;
        others.push(second!.writing(async () => turns.push('second')));
        await waitingIn(importer!, 1);
        others.push(third!.writing(async () => turns.push('third')));
        await waitingIn(importer!, 2);
      };
      for (let batch = 0; batch < 3; batch++) await importer!.writing(first);
      await Promise.all(others);
      assert.deepEqual(turns, ['importer', 'second', 'third', 'importer', 'importer']);
      assert.deepEqual((await importer!.read()).waiting, []);
    }));

  it('who died waiting is passed over', () =>
    inPlace(async (store, other) => {
      await store!.change((manifest) => ({ ...manifest, waiting: ['dead', 'dead too'] }));
      assert.equal(await other!.writingIfFree(async () => 'wrote'), null);
      assert.equal(await other!.writing(async () => 'wrote'), 'wrote');
      assert.deepEqual((await store!.read()).waiting, []);
    }));

  it('who waits for a writer that lives does not give up, however long that takes', async (t) => {
    const settings = freshSettings(nodes);
    const { control } = indexNames(settings);
    let looks = 0;
    const judge = (): Verdict => {
      looks++;
      return 'pass';
    };
    await using proxy = await startProxy(nodes[0]!, judge);
    await using client = new OpenSearchClient(settings);
    await using otherClient = new OpenSearchClient({ ...settings, nodes: [proxy.address] });
    const store = new ManifestStore(client, control, 'post');
    const other = new ManifestStore(otherClient, control, 'post');
    let aheadMs = 0;
    const now = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => now() + aheadMs);
    try {
      await makeIndex(client, settings, 'control');
      let waiting: Promise<string> | undefined;
      await store.writing(async (claim) => {
        waiting = other.writing(async () => 'wrote');
        // A wait that fails is told by the race below.
        waiting.catch(() => undefined);
        for (; aheadMs < 15 * STEP_MS; aheadMs += STEP_MS) {
          await claim.beat();
          const seen = looks + 2;
          while (looks < seen) {
            const ended = waiting.then(() => assert.fail('two write at once'));
            await Promise.race([sleep(10), ended]);
          }
        }
      });
      assert.equal(await waiting, 'wrote');
    } finally {
      await deleteIndices(settings);
    }
  });
});
