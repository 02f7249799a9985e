import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openKind } from '../../../../test/embedded-index.ts';
import { comment, temporaryFolder } from '../../../../test/helpers.ts';
import { packRecords } from '../../packing/packed-records.ts';
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
