// Removals while whole results are handed out: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SearchEngine } from '../src/model/engine.ts';
import type { ExportBlock } from '../src/model/export.ts';
import { comparator, ORDERS } from '../src/model/pages.ts';
import type { StoredComment } from '../src/model/record.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { type Asked, exported, idsIn } from './engine-export.ts';
import type { EngineHarness } from './engine-harness.ts';
import { engineMaker, RULES } from './engine-suite.ts';
import { comment } from './helpers.ts';
import { lineShaper } from './line-shaper.ts';

/** More than two blocks of any engine. */
const COUNT = 2_500;

const RECORDS: readonly StoredComment[] = Array.from({ length: COUNT }, (_, i) =>
  comment({
    id: ((i * 7919) % COUNT).toString(36),
    created: 1_000 + Math.floor(i / 900),
    score: i % 3,
    community: i % 7 === 0 ? 'cats' : 'energy',
    body: 'x'.repeat(i % 50),
  }),
);

/** Records that were given or withheld so far. */
function done({ records, withheld }: ExportBlock): number {
  return records + withheld;
}

export function exportRemovalConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);

  /** `change` is made when the first block is there. Returns how far it was then, besides. */
  async function changedMidway(engine: SearchEngine, asked: Asked, change: () => Promise<unknown>) {
    let before = 0;
    const all = await exported(engine, asked, async (block) => {
      if (before > 0) return;
      before = done(block);
      await change();
    });
    assert.ok(before > 0 && before < all.head.total, `${before} records before the change`);
    assert.equal(done(all.last), all.head.total);
    return { all, before };
  }

  /** Expects these records, but for those behind the first `before` that `isGone` names. */
  function expectWithheld(
    { all, before }: Awaited<ReturnType<typeof changedMidway>>,
    records: readonly StoredComment[],
    isGone: (record: StoredComment) => boolean,
  ): void {
    const left = records.filter((record, i) => i < before || !isGone(record));
    assert.deepEqual(
      idsIn(all),
      left.map(({ id }) => id),
    );
    assert.deepEqual([all.last.records, all.last.withheld], [left.length, records.length - left.length]);
  }

  describe(`${name}: removals during an export`, () => {
    it('hold from the next block on, by id and by community; what was given is not counted', () =>
      withEngine(RECORDS, async (engine) => {
        for (const [i, order] of ORDERS.entries()) {
          const sorted = [...RECORDS].sort(comparator(order));
          const ids = [0, COUNT - 300, COUNT - 1].map((at) => sorted[at]!.id);
          const byId = await changedMidway(engine, { kind: 'comment', order }, () =>
            engine.hide(i * 2 + 1, 'comment', { ids: [...ids, 'unknown'] }),
          );
          expectWithheld(byId, sorted, ({ id }) => ids.includes(id));
          assert.equal((await engine.restore(i * 2 + 1)).records, 3);
          const byCommunity = await changedMidway(engine, { kind: 'comment', order }, () =>
            engine.hide(i * 2 + 2, 'comment', { community: 'cats' }),
          );
          expectWithheld(byCommunity, sorted, ({ community }) => community === 'cats');
          await engine.restore(i * 2 + 2);
        }
      }));

    it('hold for what the shaper still keeps back, which was given before', () =>
      withEngine(RECORDS, async (engine) => {
        for (const [i, order] of ORDERS.entries()) {
          const sorted = [...RECORDS].sort(comparator(order));
          const ids = [0, 5, COUNT - 1].map((at) => sorted[at]!.id);
          const waits = `${name} ${order}`;
          const channel = new BroadcastChannel(waits);
          channel.onmessage = async () => {
            await engine.hide(i + 1, 'comment', { ids });
            channel.postMessage('go on');
          };
          const shaper = lineShaper({ keepsBack: true, waits });
          const found = await exported(engine, { kind: 'comment', order, shaper });
          channel.close();
          expectWithheld({ all: found, before: 0 }, sorted, ({ id }) => ids.includes(id));
          await engine.restore(i + 1);
        }
      }));

    it('hold where all that was left is gone', () =>
      withEngine(RECORDS, async (engine) => {
        const found = await changedMidway(engine, { kind: 'comment' }, async () => {
          await engine.hide(1, 'comment', { community: 'cats' });
          await engine.hide(2, 'comment', { community: 'energy' });
        });
        expectWithheld(found, [...RECORDS].sort(comparator('oldest')), () => true);
        assert.equal(found.all.last.records, found.before);
      }));

    it('hold until they are undone, for the blocks between', () =>
      withEngine(RECORDS, async (engine) => {
        const odd = RECORDS.filter((_, i) => i % 2 === 1).map(({ id }) => id);
        const ends: number[] = [];
        const all = await exported(engine, { kind: 'comment' }, async (block) => {
          ends.push(done(block));
          if (ends.length === 1) await engine.hide(1, 'comment', { ids: odd });
          if (ends.length === 2) await engine.restore(1);
        });
        assert.ok(ends.length > 2, `${ends.length} blocks`);
        const isOdd = new Set(odd);
        const left = [...RECORDS]
          .sort(comparator('oldest'))
          .filter(({ id }, i) => i < ends[0]! || i >= ends[1]! || !isOdd.has(id));
        assert.deepEqual(
          idsIn(all),
          left.map(({ id }) => id),
        );
        assert.equal(all.last.withheld, COUNT - left.length);
      }));

    it('by another opener of the same index hold too', () =>
      withEngine(RECORDS, async (engine, place) => {
        await using other = await place.open({ rules: RULES });
        const found = await changedMidway(engine, { kind: 'comment' }, () =>
          other.hide(1, 'comment', { community: 'cats' }),
        );
        const sorted = [...RECORDS].sort(comparator('oldest'));
        expectWithheld(found, sorted, ({ community }) => community === 'cats');
      }));

    it('hold beside batches that replace, merges and the erasing of texts, which change nothing else', () =>
      withEngine([], async (engine) => {
        await indexed(engine, RECORDS);
        const sorted = [...RECORDS].sort(comparator('oldest'));
        const replaced = sorted.slice(-400, -100).filter(({ community }) => community === 'energy');
        const found = await changedMidway(engine, { kind: 'comment' }, async () => {
          await engine.hide(1, 'comment', { community: 'cats' });
          await indexed(engine, replaced, { score: 900, body: 'newer' });
          await engine.hide(2, 'comment', { ids: [replaced[1]!.id, replaced[2]!.id] });
          await indexed(engine, [comment({ id: 'later', created: 1_000_000 })]);
          await engine.maintain();
          await engine.purge();
        });
        const hidden = [replaced[1]!.id, replaced[2]!.id];
        expectWithheld(found, sorted, ({ id, community }) => community === 'cats' || hidden.includes(id));
        assert.ok(!found.all.text.includes('newer'), 'from one view');
      }));

    it('that were undone before the next block leave no trace', () =>
      withEngine(RECORDS, async (engine) => {
        const found = await changedMidway(engine, { kind: 'comment', order: 'top' }, async () => {
          await engine.hide(1, 'comment', { community: 'cats' });
          await engine.restore(1);
          await engine.maintain();
        });
        expectWithheld(found, [...RECORDS].sort(comparator('top')), () => false);
      }));
  });
}

/** In eight batches. */
async function indexed(
  engine: SearchEngine,
  records: readonly StoredComment[],
  change: Partial<StoredComment> = {},
): Promise<void> {
  const size = Math.ceil(records.length / 8);
  for (let at = 0; at < records.length; at += size) {
    const batch = records.slice(at, at + size).map((record) => ({ ...record, ...change }));
    await engine.index('comment', packRecords(batch));
  }
}
