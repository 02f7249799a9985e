import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenSearchClient } from '../../src/engines/opensearch/cluster/client.ts';
import { indexNames, makeIndex } from '../../src/engines/opensearch/cluster/indices.ts';
import { ManifestStore } from '../../src/engines/opensearch/state/manifest.ts';
import { inPlace, waitingIn } from './place.ts';
import { startProxy } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

/** Less than what a beat stands still for when its writer has died. */
const STEP_MS = 10_000;

await onCluster('OpenSearch: the manifest', (nodes) => {
  /** `proxied` looks by a proxy that calls `note` each time. */
  function withStores(
    test: (stores: Record<'first' | 'second' | 'third' | 'proxied', ManifestStore>) => Promise<void>,
    note = () => {},
  ): Promise<void> {
    return inPlace(nodes, async (settings) => {
      await using proxy = await startProxy(nodes[0]!, () => {
        note();
        return 'pass';
      });
      await using client = new OpenSearchClient(settings);
      await using proxiedClient = new OpenSearchClient({ ...settings, nodes: [proxy.address] });
      await makeIndex(client, settings, 'control');
      const store = (by = client) => new ManifestStore(by, indexNames(settings).control, 'post');
      await test({ first: store(), second: store(), third: store(), proxied: store(proxiedClient) });
    });
  }

  it('who waits has a turn before who writes again and again, and those that wait in the order of coming', () =>
    withStores(async ({ first: importer, second, third }) => {
      const turns: string[] = [];
      const others: Promise<unknown>[] = [];
      const write = async () => {
        turns.push('importer');
        if (others.length > 0) return;
        others.push(second.writing(async () => turns.push('second')));
        await waitingIn(importer, 1);
        others.push(third.writing(async () => turns.push('third')));
        await waitingIn(importer, 2);
      };
      for (let batch = 0; batch < 3; batch++) await importer.writing(write);
      await Promise.all(others);
      assert.deepEqual(turns, ['importer', 'second', 'third', 'importer', 'importer']);
      assert.deepEqual((await importer.read()).waiting, []);
    }));

  it('who died waiting is passed over', () =>
    withStores(async ({ first: store, second: other }) => {
      await store.change((manifest) => ({ ...manifest, waiting: ['dead', 'dead too'] }));
      assert.equal(await other.writingIfFree(async () => 'wrote'), null);
      assert.equal(await other.writing(async () => 'wrote'), 'wrote');
      assert.deepEqual((await store.read()).waiting, []);
    }));

  it('who waits for a writer that lives does not give up, however long that takes', async (t) => {
    let looks = 0;
    let aheadMs = 0;
    const now = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => now() + aheadMs);
    const test = async (store: ManifestStore, other: ManifestStore) => {
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
    };
    await withStores(
      ({ first, proxied }) => test(first, proxied),
      () => looks++,
    );
  });
});
