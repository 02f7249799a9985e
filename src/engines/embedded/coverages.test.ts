import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddedEngine, openKind } from '../../../test/embedded-index.ts';
import { RULES } from '../../../test/engine-suite.ts';
import { comment, START_OF_2008, someComments } from '../../../test/helpers.ts';
import { MAX_CELLS } from '../../model/analyses.ts';
import type { CoverageRequest } from '../../model/coverage.ts';
import { EngineLimit } from '../../model/engine-errors.ts';
import { DAY } from '../../model/time.ts';
import { KindCoverage } from './coverages.ts';
import { LocalThread } from './threads/thread-pool.ts';

const MONTHS: CoverageRequest = { kind: 'comment', step: 'month', communities: [] };

describe('the coverage of the embedded engine', () => {
  it('by month is made before anybody asks where it is warmed', async () => {
    const records = [comment({ id: '1' }), comment({ id: '2', community: 'cats' })];
    await using engine = await embeddedEngine(records);
    using opened = openKind(engine.path);
    const { store, view } = opened;
    await using thread = new LocalThread({ folder: engine.path, rules: RULES });
    thread.show(store.current);
    const asked: string[] = [];
    const noting = new Proxy(thread.answering, {
      get: (target, method) => {
        asked.push(String(method));
        return Reflect.get(target, method);
      },
    });
    const coverages = new KindCoverage({
      kind: 'comment',
      pin: () => store.pin(),
      reader: () => noting,
      isClosing: false,
    });
    await coverages.warm(view);
    assert.deepEqual(asked.toSorted(), ['communitiesPer', 'daysOfDocs']);
    const { buckets } = await coverages.of(view, MONTHS);
    assert.deepEqual([buckets[0]!.records, buckets[0]!.communities], [2, 2]);
    assert.equal(asked.length, 2, 'nothing more was asked');
  });

  it('is refused, not cut, where its communities have more days than may be told', async () => {
    const days = Math.floor(MAX_CELLS / 100) + 1;
    const communities = Array.from({ length: 100 }, (_, i) => `c${i}`);
    const records = communities.flatMap((community) =>
      someComments(days, (i) => ({ id: `${community}x${i}`, community, created: START_OF_2008 + i * DAY })),
    );
    await using engine = await embeddedEngine(records);
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
