import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, START_OF_2008, temporaryFolder } from '../../../test/helpers.ts';
import { MAX_CELLS } from '../../model/analyses.ts';
import type { CoverageRequest } from '../../model/coverage.ts';
import { EngineLimit } from '../../model/engine-errors.ts';
import type { StoredRecord } from '../../model/record.ts';
import { DAY } from '../../model/time.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { Coverages } from './coverages.ts';
import { openEmbeddedEngine } from './engine.ts';
import { KindStore } from './index/kind-store.ts';
import { openView } from './index/view.ts';
import type { Answering } from './threads/answering-calls.ts';
import { LocalThread } from './threads/local-thread.ts';
import type { ThreadHandle } from './threads/thread-handle.ts';

const MONTHS: CoverageRequest = { kind: 'comment', step: 'month', communities: [] };
const RULES = { keepOriginals: false };

/** A folder with these records, closed again. */
async function filled(records: readonly StoredRecord[]) {
  const folder = temporaryFolder();
  await using engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
  await engine.index('comment', packRecords(records));
  return folder;
}

describe('the coverage of the embedded engine', () => {
  it('by month is made before anybody asks where it is warmed', async () => {
    using folder = await filled([comment({ id: '1' }), comment({ id: '2', community: 'cats' })]);
    const store = new KindStore(folder.path, 'comment');
    store.refresh();
    await using thread = new LocalThread({ folder: folder.path, rules: RULES });
    thread.show(store.current);
    const asked: string[] = [];
    const noting: ThreadHandle<Answering> = {
      pending: 0,
      call: (method, ...values) => {
        asked.push(method);
        return thread.answering.call(method, ...values);
      },
    };
    const coverages = new Coverages({
      fingerprint: async () => ({ fingerprint: '', records: 2 }),
      pin: () => store.pin(),
      thread: () => noting,
      isClosing: () => false,
    });
    const view = openView(store.current, undefined);
    await coverages.warm(view);
    assert.deepEqual(asked.toSorted(), ['communitiesPer', 'dayChange']);
    const { buckets } = await coverages.of(view, MONTHS);
    assert.deepEqual([buckets[0]!.records, buckets[0]!.communities], [2, 2]);
    assert.equal(asked.length, 2, 'nothing more was asked');
    store.close();
  });

  it('is refused, not cut, where its communities have more days than may be told', async () => {
    const days = Math.floor(MAX_CELLS / 100) + 1;
    const communities = Array.from({ length: 100 }, (_, i) => `c${i}`);
    using folder = await filled(
      communities.flatMap((community) =>
        Array.from({ length: days }, (_, day) =>
          comment({ id: `${community}x${day}`, community, created: START_OF_2008 + day * DAY }),
        ),
      ),
    );
    await using engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 1 });
    const byDay = { ...MONTHS, step: 'day' } as const;
    await assert.rejects(
      engine.coverage({ ...byDay, communities }),
      (error) => error instanceof EngineLimit && error.reached.limit === 'coverage_cells',
    );
    const few = await engine.coverage({ ...byDay, communities: communities.slice(1) });
    assert.equal(few.communities.flatMap(({ buckets }) => buckets).length, 99 * days);
    assert.equal((await engine.coverage({ ...MONTHS, communities })).communities.length, 100);
  });
});
