import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openKind } from '../../../../test/embedded-index.ts';
import { comment, temporaryFolder } from '../../../../test/helpers.ts';
import { wholeStats } from '../../../../test/whole-stats.ts';
import type { StoredComment } from '../../../model/record.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { arrivalOf, findLive } from '../index/view.ts';

const rules = { keepOriginals: false };
const open = (folder: string, workers = 0) => openEmbeddedEngine(folder, { rules, workers });

/** By id, from the files; and the last number that was given. */
function arrivals(folder: string, ids: readonly string[]): { last: number; of: Record<string, number> } {
  using opened = openKind(folder);
  const { segments, arrivals: last } = opened.view;
  const of = ids.map((id) => {
    const { source, doc } = findLive(segments, id)!;
    return [id, arrivalOf(source, doc)] as const;
  });
  return { last, of: Object.fromEntries(of) };
}

describe('the arrival of a record', () => {
  it('is the number of the commit that brought it in, or its text; a newer score keeps it', async () => {
    using folder = temporaryFolder();
    const ids = ['1', '2', '3'];
    {
      await using engine = await open(folder.path);
      const index = (...records: readonly StoredComment[]) => engine.index('comment', packRecords(records));
      await index(comment({ id: '1', body: 'a' }), comment({ id: '2', body: 'b' }));
      assert.deepEqual(arrivals(folder.path, ['1', '2']), { last: 2, of: { 1: 2, 2: 2 } });
      await index(comment({ id: '3' }), comment({ id: '1', body: 'a', score: 9, retrieved: 1 }));
      assert.deepEqual(arrivals(folder.path, ids), { last: 3, of: { 1: 2, 2: 2, 3: 3 } });
      await index(comment({ id: '2', body: 'c', retrieved: 1 }));
      assert.deepEqual(arrivals(folder.path, ids), { last: 4, of: { 1: 2, 2: 4, 3: 3 } });
      await index(comment({ id: '1', body: 'a', score: 9, retrieved: 1 }));
      assert.equal(arrivals(folder.path, ids).last, 4, 'nothing came in');
      // Two copies in one batch, the last with a newer score alone.
      await index(
        comment({ id: '3', body: 'x', retrieved: 1 }),
        comment({ id: '3', body: 'x', retrieved: 2 }),
        comment({ id: '1', body: 'a', score: 10, retrieved: 2 }),
        comment({ id: '1', body: 'a', score: 11, retrieved: 3 }),
      );
      assert.deepEqual(arrivals(folder.path, ids), { last: 5, of: { 1: 2, 2: 4, 3: 5 } });
    }
    await using engine = await open(folder.path);
    assert.deepEqual(arrivals(folder.path, ids), { last: 5, of: { 1: 2, 2: 4, 3: 5 } });
    await engine.index('comment', packRecords([comment({ id: '4' })]));
    assert.equal(arrivals(folder.path, ['4']).of[4], 6);
  });

  it('is kept by merges, also of what was kept before', async () => {
    using folder = temporaryFolder();
    const many = Array.from({ length: 30 }, (_, i) => `m${i}`);
    await using engine = await open(folder.path, 2);
    for (const [i, id] of many.entries()) {
      const newer = comment({ id: 'm0', body: 'm0', score: i, retrieved: i });
      await engine.index('comment', packRecords([comment({ id, body: id }), newer]));
    }
    const expected = Object.fromEntries(many.map((id, i) => [id, 2 + i]));
    assert.deepEqual(arrivals(folder.path, many), { last: 31, of: expected });
    await engine.maintain();
    assert.deepEqual(arrivals(folder.path, many), { last: 31, of: expected });
    const { segments } = await wholeStats(engine).then(({ comment: stats }) => stats);
    assert.ok(segments < 10, 'merged');
    // Written anew once more.
    await engine.hide(1, 'comment', { ids: ['m1'] });
    await engine.purge();
    const { m1: _, ...left } = expected;
    assert.deepEqual(arrivals(folder.path, Object.keys(left)).of, left);
  });

  it('may be given with a batch, also one that two threads prepare', async () => {
    using folder = temporaryFolder();
    await using engine = await open(folder.path, 2);
    const ids = Array.from({ length: 9_000 }, (_, i) => `l${i}`);
    const times = ids.map((_, i) => 1_600_000_000 + 3_600 * (i % 3));
    await engine.index('comment', packRecords(ids.map((id) => comment({ id }))), undefined, times);
    const { last, of } = arrivals(folder.path, ids);
    assert.equal(last, 5, 'one a time, and one of the commit');
    assert.ok(ids.every((id, i) => of[id] === 2 + (i % 3)));
    // Of what has no time of its own, that of the commit.
    await engine.index('comment', packRecords([comment({ id: 'x' })]));
    assert.equal(arrivals(folder.path, ['x']).of.x, 6);
  });

  it('is one number for a batch that two threads prepare', async () => {
    using folder = temporaryFolder();
    await using engine = await open(folder.path, 2);
    const ids = Array.from({ length: 9_000 }, (_, i) => `l${i}`);
    await engine.index('comment', packRecords(ids.map((id) => comment({ id }))));
    assert.deepEqual(new Set(Object.values(arrivals(folder.path, ids).of)), new Set([2]));
  });
});
