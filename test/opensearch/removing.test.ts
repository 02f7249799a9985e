import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  OpenSearchClient,
  type OpenSearchSettings,
  pathOf,
} from '../../src/engines/opensearch/cluster/client.ts';
import { documentOf } from '../../src/engines/opensearch/cluster/documents.ts';
import { indexNames } from '../../src/engines/opensearch/cluster/indices.ts';
import { refreshIndex } from '../../src/engines/opensearch/cluster/refreshing.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { fold } from '../../src/engines/opensearch/removing/fold.ts';
import { type Store, storeOf } from '../../src/engines/opensearch/state/store.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import type { RemovalList } from '../../src/model/removals.ts';
import { TestRemovals } from '../engine-removals.ts';
import { EVERYTHING, RULES } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { BEFORE, comments, idsIn, idsOf, inPlace, manifestIn, open, REMOVALS, waitingIn } from './place.ts';
import { type Passing, startProxy, type Verdict } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

const removals = (nodes: readonly string[]) => {
  describe('beside a batch that another process writes', () => {
    const BATCH = comments(30, { score: 5 });
    /** COLLOQUY_TEST_KILLS=all: both ways at each request, else by turns. */
    const IS_ALL = process.env.COLLOQUY_TEST_KILLS === 'all';
    const AT_ONCE = 8;
    /** Longer than first views wait for who shows a batch, one after the other. */
    const HELD_AT_MOST_MS = 120_000;

    /** `meanwhile` runs while a request of the batch waits, which one by its number. Returns how many there were. */
    async function indexHeld(
      settings: OpenSearchSettings,
      list: RemovalList,
      number: number,
      meanwhile: () => Promise<void>,
    ): Promise<number> {
      // Not those by which the writer is opened.
      let requests = -Infinity;
      let work: Promise<void> | null = null;
      const judge = async (): Promise<Verdict> => {
        if (requests++ === number) {
          work = meanwhile();
          await work;
        }
        return 'pass';
      };
      await using proxy = await startProxy(nodes[0]!, judge);
      await using writer = await openOpenSearchEngine(
        { ...settings, nodes: [proxy.address] },
        { rules: RULES, removals: list },
        { requestMs: HELD_AT_MOST_MS },
      );
      requests = 0;
      const { added, replaced, unchanged, removed } = await writer.index('comment', packRecords(BATCH));
      assert.equal(added + replaced + unchanged + removed, BATCH.length);
      await work;
      return requests;
    }

    /** Removes while that request waits. Returns how many there were. */
    function removeAt(number: number, [what, isHidden]: (typeof REMOVALS)[number]): Promise<number> {
      const test = async (settings: OpenSearchSettings) => {
        const list = new TestRemovals();
        await using other = await open(settings, list);
        await using reader = await open(settings, list);
        await using opener = await open(settings, list);
        await other.index('comment', packRecords(BEFORE));
        await reader.refresh();
        let hid = 0;
        const requests = await indexHeld(settings, list, number, async () => {
          list.add(what);
          hid = (await other.hide(1, 'comment', what)).records;
          // One that saw the index before, one that sees it for the first time, and the one that hid.
          const looks = [reader, opener, other].map((engine) => idsIn(engine).catch(noneWhereUnavailable));
          for (const ids of await Promise.all(looks)) assert.deepEqual(ids.filter(isHidden), []);
        });
        if (requests <= number) return requests;
        const left = idsOf(BATCH).filter((id) => !isHidden(id));
        for (const engine of [reader, opener, other]) assert.deepEqual(await idsIn(engine), left);
        // Fewer where the first look falls between two shards of a batch: what is being replaced is not seen then.
        assert.ok(hid <= BATCH.filter(({ id }) => isHidden(id)).length, `${hid} were hidden`);
        // Each is there once, and comes back once.
        const { records: back } = await other.restore(1);
        assert.ok(back >= BEFORE.filter(({ id }) => isHidden(id)).length, `${back} are back`);
        const whole = await idsIn(reader);
        assert.equal(new Set(whole).size, whole.length);
        const partly = idsOf(BEFORE).filter((id) => !whole.includes(id));
        assert.deepEqual(partly, []);
        return requests;
      };
      return inPlace(nodes, test, 2);
    }

    it('at each of its requests: what is removed, in one way or the other, is in no answer that begins later', async () => {
      const requests = await removeAt(Infinity, REMOVALS[0]!);
      assert.ok(requests > 6, `${requests} requests`);
      // The last first: a first view waits long for who is showing its batch.
      let number = requests;
      const lane = async () => {
        while (number-- > 0) {
          const at = number;
          for (const removal of IS_ALL ? REMOVALS : [REMOVALS[at % 2]!]) await removeAt(at, removal);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
    });
  });

  it('is counted whole by who looks first while another process shows a batch', () =>
    inPlace(nodes, async (settings) => {
      await using before = await open(settings);
      await before.index('comment', packRecords(BEFORE));
      const reached = Promise.withResolvers<void>();
      const shown = Promise.withResolvers<void>();
      let isRefreshed = false;
      const judge = async ({ method, path }: Passing): Promise<Verdict> => {
        isRefreshed ||= path.endsWith('-comments/_refresh');
        if (isRefreshed && method === 'PUT') {
          reached.resolve();
          await shown.promise;
        }
        return 'pass';
      };
      await using proxy = await startProxy(nodes[0]!, judge);
      await using writer = await open({ ...settings, nodes: [proxy.address] });
      const written = writer.index('comment', packRecords(comments(20, { score: 5 })));
      await reached.promise;
      await using other = await open(settings);
      const hid = other.hide(1, 'comment', { community: 'odd' });
      // Longer than a first view waits (views.ts).
      await sleep(6_000);
      shown.resolve();
      assert.equal((await hid).records, 10);
      assert.equal((await written).replaced, 20);
      assert.equal((await idsIn(other)).length, 10);
    }));

  it('is counted whole where a writer has failed between showing its batch and publishing it', () =>
    inPlace(nodes, async (settings) => {
      await using before = await open(settings);
      await before.index('comment', packRecords(BEFORE));
      await using client = new OpenSearchClient(settings);
      const { comment: index } = indexNames(settings);
      await manifestIn(client, settings).writing(async (claim) => {
        const generation = claim.began.generation + 1;
        for (const record of comments(20, { score: 5 })) {
          const body = documentOf(record, { arrived: null, batch: 'one', generation });
          await client.request({ method: 'PUT', path: pathOf(index, '_doc', record.id), body });
        }
        await claim.refreshing();
        await refreshIndex(client, index);
      });
      await using other = await open(settings);
      assert.equal((await other.hide(1, 'comment', { community: 'odd' })).records, 10);
      assert.equal((await idsIn(other)).length, 10);
    }));

  it('of many ids, several of them at once and some in two, beside a writer: folded in part by part', () =>
    inPlace(nodes, async (settings) => {
      const records = comments(3_000);
      const ids = idsOf(records);
      await using engine = await open(settings);
      await using reader = await open(settings);
      await engine.index('comment', packRecords(records));
      await using client = new OpenSearchClient(settings);
      const manifest = manifestIn(client, settings);
      // Nobody folds in meanwhile.
      await manifest.writing(async () => {
        assert.equal((await engine.hide(1, 'comment', { ids: ids.slice(0, 1_300) })).records, 1_300);
        assert.equal((await engine.hide(1, 'comment', { ids: ids.slice(1_200, 2_600) })).records, 1_300);
        assert.equal((await engine.hide(2, 'comment', { ids: ids.slice(2_500, 2_700) })).records, 100);
        assert.deepEqual(await idsIn(reader), ids.slice(2_700));
      });
      let largest = 0;
      const judge = ({ path, length }: Passing): Verdict => {
        if (path.includes('/_search')) largest = Math.max(largest, length);
        return 'pass';
      };
      await using proxy = await startProxy(nodes[0]!, judge);
      {
        await using writer = await open({ ...settings, nodes: [proxy.address] });
        await writer.index('comment', packRecords([comment({ id: 'last', created: 9_000 })]));
      }
      assert.deepEqual((await manifest.read()).overlays, []);
      assert.ok(largest < 10_000, `a search of ${largest} bytes`);
      assert.deepEqual(await idsIn(reader), [...ids.slice(2_700), 'last']);
      assert.equal(await engine.hiddenCount(), 2_700);
      // Those that the other one hides too stay hidden.
      assert.equal((await engine.restore(1)).records, 2_500);
      assert.equal((await engine.restore(2)).records, 200);
      assert.deepEqual(await idsIn(reader), [...ids, 'last']);
    }));

  it('a removal whose first answer was lost, and that another process folded in since, is in force once', () =>
    inPlace(nodes, async (settings) => {
      await using other = await open(settings);
      await other.index('comment', packRecords(BEFORE));
      let changes = 0;
      const judge = async ({ method, path }: Passing): Promise<Verdict> => {
        if (method !== 'PUT' || !path.includes('/manifest-comment')) return 'pass';
        if (++changes === 1) return 'lose answer';
        if (changes === 2) await other.index('comment', packRecords(comments(21).slice(20)));
        return 'pass';
      };
      await using proxy = await startProxy(nodes[0]!, judge);
      await using engine = await open({ ...settings, nodes: [proxy.address] });
      assert.equal((await engine.hide(1, 'comment', { ids: ['c3', 'c4'] })).records, 2);
      const left = idsOf(comments(21)).filter((id) => id !== 'c3' && id !== 'c4');
      assert.deepEqual(await idsIn(engine), left);
      assert.deepEqual(await idsIn(other), left);
      assert.equal(await other.hiddenCount(), 2);
      await other.index('comment', packRecords(comments(22).slice(21)));
      assert.equal((await other.restore(1)).records, 2);
    }));

  it('erasing waits for what other processes read, and upkeep ends it', () =>
    inPlace(nodes, async (settings) => {
      await using engine = await open(settings);
      await using reader = await open(settings);
      await engine.index('comment', packRecords(BEFORE));
      await engine.hide(1, 'comment', { ids: ['c1', 'c2'] });
      await reader.refresh();
      const held = reader.scan('comment', EVERYTHING, 'oldest')[Symbol.asyncIterator]();
      await held.next();
      assert.deepEqual(await engine.purge(), { erased: 'scheduled' });
      assert.equal(await engine.hiddenCount(), 2);
      assert.equal((await engine.restore(1)).records, 0);
      await held.return?.(undefined);
      await reader.refresh();
      while ((await engine.hiddenCount()) > 0) {
        await reader.refresh();
        await engine.maintain();
        await sleep(100);
      }
      assert.deepEqual(await engine.purge(), { erased: 'now' });
      assert.equal((await idsIn(reader)).length, BEFORE.length - 2);
    }));

  describe('folding in', () => {
    /** More than are moved at once at first. */
    const RECORDS = comments(100);
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
          indexing = importer.index('comment', packRecords([comment({ id: 'last', created: 9_000 })]));
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

  it('long records: in coming in again, in hiding and in undoing no answer has all of them', () =>
    inPlace(nodes, async (settings) => {
      const [COUNT, BYTES] = [100, 256 * 1024];
      // What a search may bring, and a little.
      const MOST_BYTES = 18 * 1024 * 1024;
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
};

await onCluster('OpenSearch: removals', removals, { concurrency: true });

/** A first view waits for the writer that is showing its batch, and is refused then. */
function noneWhereUnavailable(error: unknown): readonly string[] {
  assert.ok(error instanceof EngineUnavailable, `${error}`);
  return [];
}
