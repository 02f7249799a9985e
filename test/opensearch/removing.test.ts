import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import type { OpenSearchSettings } from '../../src/engines/opensearch/settings.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import type { StoredComment } from '../../src/model/record.ts';
import type { Hidden, RemovalList } from '../../src/model/removals.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { TestRemovals } from '../engine-removals.ts';
import { EVERYTHING, everything, RULES } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { deleteIndices, freshSettings } from './harness.ts';
import { type Passing, startProxy, type Verdict } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

/** Comments c0, c1 … of the communities `even` and `odd`. */
function comments(count: number, fields: Partial<StoredComment> = {}): StoredComment[] {
  return Array.from({ length: count }, (_, i) =>
    comment({ id: `c${i}`, created: 1_000 + i, community: i % 2 ? 'odd' : 'even', body: 'solar', ...fields }),
  );
}

const BEFORE = comments(20);

/** What is hidden, and which of the comments that is. */
const REMOVALS: readonly [Hidden, (id: string) => boolean][] = [
  [{ community: 'odd' }, (id) => Number(id.slice(1)) % 2 === 1],
  [{ ids: ['c3', 'c4', 'c25', 'c90'] }, (id) => ['c3', 'c4', 'c25', 'c90'].includes(id)],
];

await onCluster('OpenSearch: removals', (nodes) => {
  /** Runs `test` with settings of a place of its own. */
  async function inPlace(test: (settings: OpenSearchSettings) => Promise<void>): Promise<void> {
    const settings = freshSettings(nodes);
    try {
      await test(settings);
    } finally {
      await deleteIndices(settings);
    }
  }

  function open(settings: OpenSearchSettings, removals?: RemovalList): Promise<SearchEngine> {
    return openOpenSearchEngine(settings, { rules: RULES, ...(removals && { removals }) });
  }

  /** Ids that a process finds which looks now, in a total and in a scan. */
  async function idsIn(engine: SearchEngine): Promise<readonly string[]> {
    await engine.refresh();
    const ids = (await everything(engine, 'comment')).map(({ id }) => id);
    assert.equal((await engine.ask({ kind: 'comment', query: EVERYTHING })).total, ids.length);
    return ids;
  }

  const idsOf = (records: readonly StoredComment[]) => records.map(({ id }) => id);

  describe('beside a batch that another process writes', () => {
    const BATCH = comments(30, { score: 5 });

    /** `meanwhile` runs while a request of the batch waits, which one by its number; false: there are not so many. */
    async function indexHeld(
      settings: OpenSearchSettings,
      list: RemovalList,
      number: number,
      meanwhile: () => Promise<void>,
    ): Promise<boolean> {
      let work: Promise<void> | null = null;
      const judge = async (passing: Passing): Promise<Verdict> => {
        if (passing.number === number) {
          work = meanwhile();
          await work;
        }
        return 'pass';
      };
      await using proxy = await startProxy(nodes[0]!, judge);
      await using writer = await open({ ...settings, nodes: [proxy.address] }, list);
      const { added, replaced, unchanged, removed } = await writer.index('comment', packRecords(BATCH));
      assert.equal(added + replaced + unchanged + removed, BATCH.length);
      if (work === null) return false;
      await work;
      return true;
    }

    for (const [what, isHidden] of REMOVALS) {
      it(`at each of its requests: ${JSON.stringify(what)} is in no answer that begins later`, async () => {
        const one = async (number: number): Promise<boolean> => {
          let wasHeld = false;
          await inPlace(async (settings) => {
            const list = new TestRemovals();
            await using other = await open(settings, list);
            await using reader = await open(settings, list);
            await using opener = await open(settings, list);
            await other.index('comment', packRecords(BEFORE));
            await reader.refresh();
            let hid = 0;
            wasHeld = await indexHeld(settings, list, number, async () => {
              list.add(what);
              hid = await other.hide(1, 'comment', what);
              // One that saw the index before, one that sees it for the first time, and the one that hid.
              for (const engine of [reader, opener, other]) {
                assert.deepEqual((await idsIn(engine)).filter(isHidden), []);
              }
            });
            if (!wasHeld) return;
            const left = idsOf(BATCH).filter((id) => !isHidden(id));
            for (const engine of [reader, opener, other]) assert.deepEqual(await idsIn(engine), left);
            // Fewer where the first look falls between two shards of a batch: what is being replaced is not seen then.
            assert.ok(hid <= BATCH.filter(({ id }) => isHidden(id)).length, `${hid} were hidden`);
            // Each is there once, and comes back once.
            const back = await other.restore(1);
            assert.ok(back >= BEFORE.filter(({ id }) => isHidden(id)).length, `${back} are back`);
            const whole = await idsIn(reader);
            assert.equal(new Set(whole).size, whole.length);
            assert.deepEqual(
              idsOf(BEFORE).filter((id) => !whole.includes(id)),
              [],
            );
          });
          return wasHeld;
        };
        let held = 0;
        for (let from = 0; ; from += 8) {
          const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => one(from + i)));
          held += answers.filter((wasHeld) => wasHeld).length;
          if (answers.includes(false)) break;
        }
        assert.ok(held > 6, `${held} requests`);
      });
    }
  });

  it('a removal whose first answer was lost, and that another process folded in since, is in force once', () =>
    inPlace(async (settings) => {
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
      assert.equal(await engine.hide(1, 'comment', { ids: ['c3', 'c4'] }), 2);
      const left = idsOf(comments(21)).filter((id) => id !== 'c3' && id !== 'c4');
      assert.deepEqual(await idsIn(engine), left);
      assert.deepEqual(await idsIn(other), left);
      assert.equal(await other.hiddenCount(), 2);
      await other.index('comment', packRecords(comments(22).slice(21)));
      assert.equal(await other.restore(1), 2);
    }));

  describe('erasing', () => {
    it('waits for what other processes read, and upkeep ends it', () =>
      inPlace(async (settings) => {
        await using engine = await open(settings);
        await using reader = await open(settings);
        await engine.index('comment', packRecords(BEFORE));
        await engine.hide(1, 'comment', { ids: ['c1', 'c2'] });
        await reader.refresh();
        const held = reader.scan('comment', EVERYTHING, 'oldest')[Symbol.asyncIterator]();
        await held.next();
        assert.deepEqual(await engine.purge(), { erased: 'scheduled' });
        assert.equal(await engine.hiddenCount(), 2);
        assert.equal(await engine.restore(1), 0);
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
  });
});
