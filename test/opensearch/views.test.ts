// Which generation a view is of, while others write: by manifests and documents put there one by one.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { allIn } from '../../src/engines/opensearch/answering/queries.ts';
import {
  OpenSearchClient,
  type OpenSearchSettings,
  pathOf,
} from '../../src/engines/opensearch/cluster/client.ts';
import { Deadline } from '../../src/engines/opensearch/cluster/deadline.ts';
import { documentOf } from '../../src/engines/opensearch/cluster/documents.ts';
import { indexNames, makeIndex } from '../../src/engines/opensearch/cluster/indices.ts';
import { Searcher } from '../../src/engines/opensearch/cluster/search.ts';
import { type Manifest, ManifestStore } from '../../src/engines/opensearch/state/manifest.ts';
import { writeOverlay } from '../../src/engines/opensearch/state/overlays.ts';
import { type HeldView, type Patience, Views } from '../../src/engines/opensearch/state/views.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import type { Hidden } from '../../src/model/removals.ts';
import { comment } from '../helpers.ts';
import { inPlace as inIndices } from './place.ts';
import { onCluster } from './test-cluster.ts';

interface Place {
  readonly views: Views;
  /** Writes records of this generation, which nobody sees before a refresh. Between ids are spaces. */
  put(generation: number, ids: string): Promise<void>;
  refreshShards(): Promise<void>;
  manifest(changed: Partial<Manifest>): Promise<void>;
  /** All three, one after the other. `changed`: the manifest; absent: this generation is published. */
  publish(generation: number, ids: string, changed?: Partial<Manifest>): Promise<void>;
  /** Number of an overlay, in force once the manifest names it. */
  overlay(what: Hidden): Promise<number>;
  /** Ids in the view, in order. */
  idsIn(view: HeldView): Promise<string>;
  /** The same of the view that is current. */
  ids(): Promise<string>;
}

/** Nobody dies of it. */
const PATIENCE: Patience = {
  ...{ waitMs: 100, waitForHidingMs: 300, waitForFirstMs: 300, oldForMs: 60_000, deadAfterMs: 600_000 },
};

const WRITER = { token: 'another process', beat: 1 };

await onCluster('OpenSearch: views', (nodes) => {
  function inPlace(test: (place: Place) => Promise<void>, patience = PATIENCE): Promise<void> {
    return inIndices(nodes, (settings) => withViews(settings, test, patience), 2);
  }

  async function withViews(
    settings: OpenSearchSettings,
    test: (place: Place) => Promise<void>,
    patience: Patience,
  ): Promise<void> {
    const names = indexNames(settings);
    await using client = new OpenSearchClient(settings);
    const store = new ManifestStore(client, names.control, 'comment');
    const searcher = new Searcher(client, new Deadline());
    const post = async (path: string, lines?: string) => {
      await client.request({ method: 'POST', path, ...(lines !== undefined && { lines }) });
    };
    const idsIn = async ({ view }: HeldView) => {
      if (view.pit === null) return 'none';
      const body = { query: allIn(view), size: 100, sort: [{ key: 'asc' }] };
      const { hits } = await searcher.search(view.pit, body);
      return hits.map(({ _id }) => _id).join(' ');
    };
    await makeIndex(client, settings, 'control');
    await makeIndex(client, settings, 'comment');
    await using views = new Views({ client, settings, names }, patience);
    const put: Place['put'] = (generation, ids) => {
      const lines = ids
        .split(' ')
        .flatMap((id) => [
          { index: { _id: id } },
          documentOf(comment({ id }), { arrived: 1, batch: 'b', generation }),
        ]);
      return post(
        `${pathOf(names.comment)}/_bulk`,
        lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      );
    };
    const refreshShards = () => post(`${pathOf(names.comment)}/_refresh`);
    const manifest: Place['manifest'] = async (changed) => {
      await store.change((before) => ({ ...before, ...changed }));
    };
    await test({
      ...{ views, idsIn, put, refreshShards, manifest },
      publish: async (generation, ids, changed = { generation }) => {
        await put(generation, ids);
        await refreshShards();
        await manifest(changed);
      },
      overlay: async (what) =>
        (await writeOverlay({ client, names }, 'comment', { removal: 1, what, time: 1 })).number,
      ids: async () => {
        using view = await views.hold('comment');
        return await idsIn(view);
      },
    });
  }

  it('nothing is seen before a generation is published, and all of it once it is', () =>
    inPlace(async ({ views, put, refreshShards, manifest, ids }) => {
      await put(1, 'a b');
      await manifest({ phase: 'writing' });
      await views.refresh();
      assert.equal(await ids(), 'none');
      await refreshShards();
      await manifest({ phase: 'refreshing' });
      await views.refresh();
      assert.equal(await ids(), 'none');
      await manifest({ phase: 'open', generation: 1 });
      assert.equal(await ids(), 'none');
      await views.refresh();
      assert.equal(await ids(), 'a b');
    }));

  it('one that is opened while a batch is written shows nothing of it', () =>
    inPlace(async ({ views, put, refreshShards, manifest, publish, ids }) => {
      await publish(1, 'a b', { phase: 'writing', generation: 1, writer: WRITER });
      await put(2, 'b c');
      await views.refresh();
      assert.equal(await ids(), 'a b');
      await refreshShards();
      await manifest({ phase: 'open', generation: 2, writer: null });
      await views.refresh();
      assert.equal(await ids(), 'a b c');
    }));

  it('one that is held stays as it is, whatever is published, and is closed with its last holder', () =>
    inPlace(async ({ views, publish, ids, idsIn }) => {
      await publish(1, 'a');
      const [held, too] = [await views.hold('comment'), await views.hold('comment')];
      await publish(2, 'b');
      await views.refresh();
      assert.deepEqual([await idsIn(held), await ids()], ['a', 'a b']);
      held[Symbol.dispose]();
      held[Symbol.dispose]();
      assert.equal(await idsIn(too), 'a');
      too[Symbol.dispose]();
      while (
        await idsIn(too).then(
          () => true,
          (error) => !(error instanceof EngineUnavailable),
        )
      ) {
        await sleep(10);
      }
      assert.equal(await ids(), 'a b');
    }));

  it('a removal holds with the next refresh, without another view of the shards', () =>
    inPlace(async ({ views, manifest, publish, overlay, ids, idsIn }) => {
      await publish(1, 'a b c');
      using before = await views.hold('comment');
      const number = await overlay({ ids: ['b', 'unknown'] });
      await views.refresh();
      assert.equal(await ids(), 'a b c');
      await manifest({ hides: 1, overlays: [number] });
      await views.refresh();
      assert.deepEqual([await ids(), await idsIn(before)], ['a c', 'a b c']);
      using now = await views.hold('comment');
      assert.equal(now.view.pit, before.view.pit);
      await manifest({ hides: 2, overlays: [number, await overlay({ ids: ['a'] })] });
      await views.refresh();
      assert.equal(await ids(), 'c');
    }));

  it('while shards are refreshed for long the older view is kept, unless records were hidden since', () =>
    inPlace(async ({ views, put, refreshShards, manifest, publish, overlay, ids }) => {
      await publish(1, 'a b');
      await views.refresh();
      await publish(2, 'c', { generation: 2, phase: 'refreshing', writer: WRITER });
      await put(3, 'd');
      await refreshShards();
      await views.refresh();
      assert.equal(await ids(), 'a b');
      await manifest({ hides: 1, overlays: [await overlay({ ids: ['a'] })] });
      await assert.rejects(views.refresh(), EngineUnavailable);
      await assert.rejects(ids(), EngineUnavailable, 'what is hidden is not shown again');
      await manifest({ generation: 3, phase: 'open', writer: null });
      assert.equal(await ids(), 'b c d');
    }));

  for (const [phase, how] of [
    ['refreshing', 'shows its batch'],
    ['writing', 'writes what a shard shows that was started anew'],
  ] as const) {
    it(`no record is missing from a first view while a living writer ${how}: there is none yet`, () =>
      inPlace(async ({ views, put, refreshShards, manifest, ids }) => {
        await put(1, 'a b');
        await manifest({ generation: 1, phase, writer: WRITER });
        await put(2, 'b');
        await refreshShards();
        await assert.rejects(views.refresh(), EngineUnavailable);
        await assert.rejects(ids(), EngineUnavailable);
        await manifest({ generation: 2, phase: 'open', writer: null });
        assert.equal(await ids(), 'a b');
      }));
  }

  for (const [what, phase, writer] of [
    ['that died in showing them', 'refreshing', WRITER],
    ['that gave up showing them', 'refreshing', null],
    ['that died in writing them', 'writing', WRITER],
    ['that gave up writing them', 'writing', null],
  ] as const) {
    it(`records that a writer ${what} was replacing are in every view, first or not`, () =>
      inPlace(
        async ({ views, publish, ids, idsIn }) => {
          await publish(1, 'a b');
          await publish(2, 'b c', { phase, writer });
          await views.refresh();
          assert.equal(await ids(), 'a b c');
          using torn = await views.hold('comment');
          await assert.rejects(
            views.holdSame(torn),
            EngineUnavailable,
            'another might have more of the batch',
          );
          assert.equal(await idsIn(torn), 'a b c');
        },
        { ...PATIENCE, waitForFirstMs: 60_000, deadAfterMs: 200 },
      ));
  }

  it('a removal that is named and cannot be read: a refresh ends, and nothing is shown without it', () =>
    inPlace(async ({ views, manifest, publish, overlay, ids }) => {
      await publish(1, 'a b');
      await views.refresh();
      await manifest({ hides: 1, overlays: [123] });
      await assert.rejects(views.refresh(), EngineUnavailable);
      await assert.rejects(ids(), EngineUnavailable);
      await manifest({ hides: 1, overlays: [await overlay({ ids: ['a'] })] });
      assert.equal(await ids(), 'b');
    }));

  it('many refreshes at once all see what was published before them', () =>
    inPlace(async ({ views, put, refreshShards, manifest, ids }) => {
      const all: string[] = [];
      for (let generation = 1; generation <= 5; generation++) {
        all.push(`r${generation}`);
        await put(generation, `r${generation}`);
        await refreshShards();
        const early = views.refresh();
        await manifest({ generation });
        await Promise.all([early, views.refresh(), views.refresh()]);
        assert.equal(await ids(), all.join(' '));
      }
    }));
});
