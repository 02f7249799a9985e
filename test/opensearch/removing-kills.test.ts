// A process that is killed while it hides, undoes or erases: before some of its writes. With `all` in the environment
// variable COLLOQUY_TEST_KILLS before each, which takes minutes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  OpenSearchClient,
  type OpenSearchSettings,
  pathOf,
} from '../../src/engines/opensearch/cluster/client.ts';
import { indexNames } from '../../src/engines/opensearch/cluster/indices.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { comment } from '../helpers.ts';
import { call } from './harness.ts';
import { BEFORE, dieWhere, idsIn, idsOf, inPlace, isWrite, manifestIn, open, REMOVALS } from './place.ts';
import type { Passing } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

const IS_ALL = process.env.COLLOQUY_TEST_KILLS === 'all';
/** How many writes apart it is killed, where not at each. */
const STRIDE = 3;
const AT_ONCE = 5;

/** Counts what a process writes, or shows to searches; the beat of a writer that waits for a merge is not counted. */
class Writes {
  #last = '';
  #count = 0;

  /** How many there are with this request. */
  count(passing: Passing): number {
    const isBeat = passing.method === 'PUT' && /_stats/.test(this.#last);
    if (!isBeat) this.#last = passing.path;
    return isWrite(passing) && !isBeat ? ++this.#count : this.#count;
  }
}

interface Stats {
  readonly _all: { readonly primaries: { readonly docs: { readonly deleted: number } } };
}

await onCluster('OpenSearch: a process that dies while it removes', (nodes) => {
  /** Kills it before this write of its own, counted from 1; false: it was through before. */
  function dieAt(settings: OpenSearchSettings, work: readonly unknown[], write: number): Promise<boolean> {
    const writes = new Writes();
    return dieWhere('engine-process.ts', settings, [work], (passing) =>
      writes.count(passing) < write ? null : 'before',
    );
  }

  /** Runs `one` for some writes, or for each until a process is through. */
  async function atEach(
    one: (settings: OpenSearchSettings, write: number) => Promise<boolean>,
  ): Promise<void> {
    let killed = 0;
    const inOwnPlace = (write: number) => inPlace(nodes, (settings) => one(settings, write));
    for (let from = 0, isThrough = false; !isThrough; from += AT_ONCE) {
      const writes = Array.from({ length: AT_ONCE }, (_, i) => (IS_ALL ? from + i + 1 : STRIDE * i + 2));
      const died = await Promise.all(writes.map(inOwnPlace));
      killed += died.filter((did) => did).length;
      isThrough = !IS_ALL || died.includes(false);
    }
    assert.ok(killed >= 3, `${killed} were killed`);
  }

  const [what, isHidden] = REMOVALS[0]!;
  const hidden = idsOf(BEFORE).filter(isHidden);
  const left = idsOf(BEFORE).filter((id) => !isHidden(id));

  describe('before some of its writes', { concurrency: true }, () => {
    it('in hiding: all of it is hidden or nothing; the same again hides it, each copy once', () =>
      atEach(async (settings, write) => {
        await using other = await open(settings);
        await other.index('comment', packRecords(BEFORE));
        const died = await dieAt(settings, ['hide', 1, 'comment', what], write);
        await using reader = await open(settings);
        const seen = await idsIn(reader);
        assert.ok(seen.length === left.length || seen.length === BEFORE.length, `${seen}`);
        const { records: hid } = await other.hide(1, 'comment', what);
        assert.equal(seen.length - hid, left.length);
        for (const engine of [reader, other]) assert.deepEqual(await idsIn(engine), left);
        assert.equal((await other.restore(1)).records, hidden.length);
        assert.equal(await other.hiddenCount(), 0);
        for (const engine of [reader, other]) assert.deepEqual(await idsIn(engine), idsOf(BEFORE));
        return died;
      }));

    it('in undoing: the same again brings back the rest', () =>
      atEach(async (settings, write) => {
        await using other = await open(settings);
        await other.index('comment', packRecords(BEFORE));
        await other.hide(1, 'comment', what);
        const died = await dieAt(settings, ['restore', 1], write);
        assert.ok((await other.restore(1)).records <= hidden.length);
        assert.equal(await other.hiddenCount(), 0);
        await using reader = await open(settings);
        for (const engine of [reader, other]) assert.deepEqual(await idsIn(engine), idsOf(BEFORE));
        await other.index('comment', packRecords([comment({ id: 'last', created: 1 })]));
        for (const engine of [reader, other]) {
          assert.deepEqual(await idsIn(engine), ['last', ...idsOf(BEFORE)]);
        }
        return died;
      }));

    const isBackAtOnce = (role: 'comment' | 'hidden-comment', isSeen: boolean) =>
      inPlace(nodes, async (settings) => {
        await using other = await open(settings);
        await other.index('comment', packRecords(BEFORE));
        await other.hide(1, 'comment', what);
        const bulk = `${pathOf(indexNames(settings)[role])}/_bulk`;
        const isBulk = ({ path }: Passing) => (path.startsWith(bulk) ? 'behind' : null);
        assert.ok(await dieWhere('engine-process.ts', settings, [['restore', 1]], isBulk));
        await using reader = await open(settings);
        const seen = isSeen ? idsOf(BEFORE) : left;
        for (const engine of [reader, other]) assert.deepEqual(await idsIn(engine), seen);
        assert.equal((await other.restore(1)).records, isSeen ? 0 : hidden.length);
        for (const engine of [reader, other]) assert.deepEqual(await idsIn(engine), idsOf(BEFORE));
        assert.equal(await other.hiddenCount(), 0);
      });

    it('in undoing, once the records are written and not shown: the same again brings them back', () =>
      isBackAtOnce('comment', false));

    it('in undoing, once the hidden copies are gone: the records are back by then', () =>
      isBackAtOnce('hidden-comment', true));

    it('in erasing: upkeep ends what was begun, the same again the rest', () =>
      atEach(async (settings, write) => {
        await using client = new OpenSearchClient(settings);
        const manifest = manifestIn(client, settings);
        await using other = await open(settings);
        await using reader = await open(settings);
        await other.index('comment', packRecords(BEFORE));
        await other.hide(1, 'comment', what);
        const died = await dieAt(settings, ['purge'], write);
        const upkeep = async () => {
          while ((await manifest.read()).erasing !== null) {
            await reader.refresh();
            await other.maintain();
            await sleep(200);
          }
        };
        await upkeep();
        const count = await other.hiddenCount();
        assert.ok(count === 0 || count === hidden.length, `${count} are hidden`);
        for (const engine of [reader, other]) assert.deepEqual(await idsIn(engine), left);
        await other.purge();
        await upkeep();
        assert.deepEqual(await other.purge(), { erased: 'now' });
        assert.equal((await other.restore(1)).records, 0);
        for (const engine of [reader, other]) assert.deepEqual(await idsIn(engine), left);
        const path = `/${indexNames(settings).comment}/_stats/docs`;
        const { _all: all } = await call<Stats>(settings, 'GET', path);
        assert.equal(all.primaries.docs.deleted, 0);
        return died;
      }));
  });
});
