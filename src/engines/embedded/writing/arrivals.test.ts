import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openKind, openOwnEngine } from '../../../../test/embedded-index.ts';
import { comment } from '../../../../test/helpers.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { arrivalOf, findLive } from '../index/view.ts';

const IDS = Array.from({ length: 9_000 }, (_, i) => `l${i}`);
const BATCH = packRecords(IDS.map((id) => comment({ id })));

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
    await using engine = await openOwnEngine({ workers: 2 });
    const times = IDS.map((_, i) => 1_600_000_000 + 3_600 * (i % 3));
    await engine.index('comment', BATCH, undefined, times);
    const { last, of } = arrivals(engine.path, IDS);
    assert.equal(last, 5, 'one a time, and one of the commit');
    assert.ok(IDS.every((id, i) => of[id] === 2 + (i % 3)));
    // Of what has no time of its own, that of the commit.
    await engine.index('comment', packRecords([comment({ id: 'x' })]));
    assert.equal(arrivals(engine.path, ['x']).of.x, 6);
  });

  it('is one number for a batch that two threads prepare', async () => {
    await using engine = await openOwnEngine({ workers: 2 });
    await engine.index('comment', BATCH);
    assert.deepEqual(new Set(Object.values(arrivals(engine.path, IDS).of)), new Set([2]));
  });
});
