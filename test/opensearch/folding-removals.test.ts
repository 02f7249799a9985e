// Folding in what removals hide where that takes more than one turn: what is counted and listed meanwhile, and who may
// write in between.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OpenSearchClient, type OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { fold } from '../../src/engines/opensearch/removing/fold.ts';
import { type Store, storeOf } from '../../src/engines/opensearch/state/store.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { RULES } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { waitingIn } from './line.ts';
import { comments, idsIn, idsOf, inPlace, open } from './removing-suite.ts';
import { onCluster } from './test-cluster.ts';

/** More than are moved at once at first. */
const RECORDS = comments(100);
const LAST = comment({ id: 'last', created: 9_000 });

await onCluster('OpenSearch: folding in', (nodes) => {
  /** Runs `test` where a removal hides all of the records and nothing of it is folded in. */
  async function withOverlay(
    test: (settings: OpenSearchSettings, engine: SearchEngine, store: Store) => Promise<void>,
  ): Promise<void> {
    await inPlace(nodes, async (settings) => {
      await using engine = await open(settings);
      await using client = new OpenSearchClient(settings);
      const store = storeOf(client, settings, { rules: RULES });
      await engine.index('comment', packRecords(RECORDS));
      await store.manifests.comment.writing(async () => {
        assert.equal((await engine.hide(1, 'comment', { ids: idsOf(RECORDS) })).records, RECORDS.length);
      });
      await test(settings, engine, store);
    });
  }

  it('a fold whose time was over: each copy is counted and listed once, and the rest is folded in later', () =>
    withOverlay(async (settings, engine, store) => {
      const manifest = store.manifests.comment;
      const foldOnce = () => manifest.writing((claim) => fold(store, 'comment', claim, performance.now()));
      assert.equal(await foldOnce(), false);
      assert.equal((await manifest.read()).overlays.length, 1);
      await using fresh = await open(settings);
      for (const one of [engine, fresh]) {
        assert.deepEqual(await idsIn(one), []);
        assert.equal(await one.hiddenCount(), RECORDS.length);
        const buried: string[] = [];
        for await (const records of one.buried('comment')) buried.push(...records.map(({ id }) => id));
        assert.deepEqual(buried.sort(), idsOf(RECORDS).sort());
      }
      while (!(await foldOnce()));
      assert.deepEqual((await manifest.read()).overlays, []);
      assert.equal(await fresh.hiddenCount(), RECORDS.length);
      assert.equal((await fresh.restore(1)).records, RECORDS.length);
      assert.deepEqual(await idsIn(fresh), idsOf(RECORDS));
    }));

  it('a batch that comes behind a large removal: others have their turn before all of that is folded in', () =>
    withOverlay(async (settings, engine, store) => {
      const manifest = store.manifests.comment;
      await using importer = await openOpenSearchEngine(settings, { rules: RULES }, { foldMs: 0 });
      let indexing: Promise<unknown> | undefined;
      let other: Promise<number> | undefined;
      await manifest.writing(async () => {
        indexing = importer.index('comment', packRecords([LAST]));
        await waitingIn(manifest, 1);
        other = manifest.writing(async (claim) => claim.began.overlays.length);
        await waitingIn(manifest, 2);
      });
      assert.equal(await other, 1, 'nothing is left to fold in');
      assert.deepEqual(await indexing, { added: 1, replaced: 0, unchanged: 0, removed: 0 });
      assert.deepEqual((await manifest.read()).overlays, []);
      assert.deepEqual(await idsIn(engine), ['last']);
      assert.equal(await engine.hiddenCount(), RECORDS.length);
    }));
});
