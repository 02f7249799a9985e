// What an index covers: the contract of `coverage`.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { COVERAGE_STEPS, type CoverageRequest } from '../src/model/coverage.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { EngineLimit } from '../src/model/engine-errors.ts';
import { KINDS, type StoredRecord } from '../src/model/record.ts';
import { DAY } from '../src/model/time.ts';
import type { EngineHarness } from './engine-harness.ts';
import { engineMaker, RULES } from './engine-suite.ts';
import { comment, post, START_OF_2008, temporaryFolder } from './helpers.ts';
import { openReferenceEngine } from './reference/reference-engine.ts';

const FEBRUARY = START_OF_2008 + 31 * DAY;
const MONTHS: CoverageRequest = { kind: 'comment', step: 'month', communities: [] };

export function coverageConformance(harness: EngineHarness): void {
  const { name, knows } = harness;
  const isUnknown = knows?.coverage === false;
  const withEngine = engineMaker(harness);

  if (isUnknown) {
    it(`${name}: coverage is refused as not here`, () =>
      withEngine([], (engine) =>
        assert.rejects(
          engine.coverage(MONTHS),
          (error) => error instanceof EngineLimit && error.reached.limit === 'not_here',
        ),
      ));
  }

  describe(`${name}: coverage`, { skip: isUnknown && 'the engine cannot tell it' }, () => {
    it('of no records is empty', () =>
      withEngine([], async (engine) => {
        const communities = ['energy'];
        for (const step of COVERAGE_STEPS) {
          const { index, ...rest } = await engine.coverage({ ...MONTHS, step, communities });
          assert.equal(index.records, 0);
          assert.deepEqual(rest, {
            ...{ first: null, last: null, buckets: [], gaps: [] },
            communities: [{ name: 'energy', records: 0, first: null, last: null, buckets: [] }],
          });
        }
      }));

    it('counts by month what records lack, and tells the times of the communities asked for', () =>
      withEngine(
        [
          comment({ id: '1', retrieved: START_OF_2008 + DAY, sentiment: 0.5 }),
          comment({ id: '2', retrieved: START_OF_2008 + DAY + 1 }),
          comment({ id: '3', community: 'cats', body: '[deleted]', withdrawn: true }),
          comment({ id: '4', created: FEBRUARY - 1, retrieved: 5, body: 'short', sentiment: -1 }),
          comment({ id: '5', created: FEBRUARY }),
          post({ id: '1' }),
        ],
        async (engine) => {
          const communities = ['energy', 'cats'];
          const { index, ...rest } = await engine.coverage({ ...MONTHS, communities });
          assert.deepEqual(index, (await engine.fingerprints()).comment);
          const january = { communities: 2, withdrawn: 1, unrated: 2, timed: 3, early: 2 };
          const february = { communities: 1, withdrawn: 0, unrated: 1, timed: 0, early: 0 };
          const [first, last] = [START_OF_2008, FEBRUARY];
          assert.deepEqual(rest, {
            ...{ first, last },
            buckets: [
              { start: START_OF_2008, records: 4, ...january },
              { start: FEBRUARY, records: 1, ...february },
            ],
            gaps: [],
            communities: [
              {
                ...{ name: 'energy', records: 4, first, last },
                buckets: [
                  { start: START_OF_2008, records: 3 },
                  { start: FEBRUARY, records: 1 },
                ],
              },
              {
                ...{ name: 'cats', records: 1, first, last: first },
                buckets: [{ start: START_OF_2008, records: 1 }],
              },
            ],
          });
          const { buckets } = await engine.coverage({ ...MONTHS, kind: 'post', step: 'day' });
          const none = { withdrawn: 0, unrated: 0, timed: 0, early: 0 };
          assert.deepEqual(buckets, [{ start: START_OF_2008, records: 1, communities: 1, ...none }]);
        },
      ));

    it('gaps are the days without a record between two weeks on each side with 100 or more', () => {
      // The first day of the two weeks before the gap has all of theirs, the last one of those behind it all of its.
      const perDay: readonly (readonly [day: number, records: number])[] = [
        ...([[0, 99]] as const),
        ...([[10, 1]] as const),
        ...([[14, 1]] as const),
        ...([[20, 98]] as const),
        ...([[34, 2]] as const),
      ];
      const records = perDay.flatMap(([day, count]) => daily(day, count));
      return withEngine(records, async (engine) => {
        const gaps = async () => (await engine.coverage(MONTHS)).gaps;
        assert.deepEqual(await gaps(), []);
        await engine.index('comment', packRecords([comment({ id: 'more', created: at(15) })]));
        // From day 11 on: 99 + 1 before it, on days 0 and 10; behind it 1 + 1 + 98.
        assert.deepEqual(await gaps(), [{ from: at(11), to: at(14) }]);
        await engine.hide(1, 'comment', { ids: ['more'] });
        assert.deepEqual(await gaps(), []);
        await engine.restore(1);
        await engine.index('comment', packRecords(daily(12, 1)));
        assert.deepEqual(await gaps(), [
          { from: at(11), to: at(12) },
          { from: at(13), to: at(14) },
        ]);
      });
    });

    it('is that of the records that are there, through copies, merges, removals, undoing and purges', () =>
      withBoth(async (engine, reference) => {
        const both = async (work: (one: SearchEngine) => Promise<unknown>) => {
          await work(reference);
          await work(engine);
          for (const step of COVERAGE_STEPS) {
            const request = { ...MONTHS, step, communities: ['c3', 'c1', 'none', 'c2', 'c0'] };
            assert.deepEqual(await engine.coverage(request), await reference.coverage(request));
          }
        };
        for (let batch = 0; batch < 6; batch++) {
          await both((one) => one.index('comment', packRecords(mixed(batch))));
        }
        await both((one) => one.hide(1, 'comment', { community: 'c1' }));
        await both((one) => one.hide(2, 'comment', { ids: ['3', '6', '9', '12'] }));
        // The first records of communities, and the last.
        await both((one) => one.hide(4, 'comment', { ids: ['0', '1', '2', '83', '84', '85'] }));
        await both((one) => one.index('comment', packRecords(mixed(7))));
        await both((one) => one.maintain());
        await both((one) => one.restore(1));
        await both((one) => one.hide(3, 'comment', { community: 'c2' }));
        await both((one) => one.purge());
        await both((one) => one.index('comment', packRecords(mixed(2))));
      }));

    it('is told to all who ask at once, and again after reopening', async () => {
      await using place = harness.place();
      const records = mixed(1);
      let first: unknown;
      {
        await using engine = await place.open({ rules: RULES });
        await engine.index('comment', packRecords(records));
        const asked = COVERAGE_STEPS.flatMap(() => KINDS.map(() => engine.coverage(MONTHS)));
        const [one, ...others] = await Promise.all(asked);
        for (const other of others) assert.deepEqual(other, one);
        first = one;
      }
      await using engine = await place.open({ rules: RULES });
      assert.deepEqual(await engine.coverage(MONTHS), first);
    });
  });

  async function withBoth(test: (engine: SearchEngine, reference: SearchEngine) => Promise<void>) {
    using folder = temporaryFolder();
    await using reference = await openReferenceEngine(folder.path, { rules: RULES });
    await withEngine([], (engine) => test(engine, reference));
  }
}

/** So many of one day. */
function daily(day: number, count: number): StoredRecord[] {
  return Array.from({ length: count }, (_, i) => comment({ id: `${day}-${i}`, created: at(day) + i }));
}

function at(day: number): number {
  return START_OF_2008 + day * DAY;
}

/** Copies of each other from batch to batch, over some months and communities. */
function mixed(batch: number): StoredRecord[] {
  return Array.from({ length: 40 }, (_, i) => {
    const isWithdrawn = (i + batch) % 7 === 0;
    const created = at(i * 3) + i * 1000;
    return comment({
      ...{ id: `${i + batch * 9}`, community: `c${i % 4}`, created, score: batch },
      // Several entries of one community in a segment.
      communityId: i % 3 === 0 ? 't5_2qh' : '',
      ...{ retrieved: batch % 3 === 0 ? 0 : created + batch * 40_000, withdrawn: isWithdrawn },
      body: isWithdrawn ? '[removed]' : i % 3 === 0 ? 'brief' : `a text that has more than enough words ${i}`,
      sentiment: isWithdrawn || i % 5 === 0 ? null : 0.25,
    });
  });
}
