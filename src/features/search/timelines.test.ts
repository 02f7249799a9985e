import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Timeline } from '../../model/engine.ts';
import { readableDay, type TimelineStep } from '../../model/time.ts';
import { bucketStart, nextBucket } from '../../model/timeline.ts';
import { inBuckets, sharedBuckets } from './timelines.ts';

/** Its bucket number i has i + 1 matches, of ten times as many. */
function timeline(step: TimelineStep, first: string, last: string): Timeline {
  const buckets = [];
  const end = Date.parse(last) / 1000;
  for (let at = bucketStart(step, Date.parse(first) / 1000); at <= end; at = nextBucket(step, at)) {
    buckets.push({ start: at, count: buckets.length + 1, of: (buckets.length + 1) * 10 });
  }
  return { step, buckets };
}

const NONE: Timeline = { step: 'day', buckets: [] };

describe('buckets of two timelines', () => {
  const rows = [
    [
      'both alike',
      timeline('month', '2022-01-01', '2022-12-01'),
      timeline('month', '2022-03-01', '2022-04-01'),
    ],
    [
      'the one within the other',
      timeline('day', '2022-03-05', '2022-03-09'),
      timeline('year', '2010-01-01', '2024-01-01'),
    ],
    ['years apart', timeline('day', '2010-03-05', '2010-03-09'), timeline('day', '2020-01-01', '2020-01-05')],
    ['the other has none', timeline('week', '2022-03-05', '2022-06-09'), NONE],
  ] as const;
  for (const [name, one, other] of rows) {
    it(`${name}: hold all of both, and as many each`, () => {
      const shared = sharedBuckets(one, other);
      assert.deepEqual(sharedBuckets(other, one), shared);
      for (const given of [one, other]) {
        const moved = inBuckets(given, shared);
        if (moved === null) continue;
        const starts = moved.buckets.map(({ start }) => start);
        assert.deepEqual(starts, shared.starts);
        const sum = (line: Timeline) => line.buckets.reduce((all, { count }) => all + count, 0);
        assert.equal(sum(moved), sum(given));
      }
    });
  }

  it('years apart, days become the step that fits', () => {
    const [one, other] = [
      timeline('day', '2010-03-05', '2010-03-09'),
      timeline('day', '2020-01-01', '2020-01-05'),
    ];
    const shared = sharedBuckets(one, other);
    assert.deepEqual([shared.step, shared.starts.length], ['quarter', 41]);
    const [first, ...rest] = inBuckets(one, shared)!.buckets;
    assert.deepEqual([readableDay(first!.start), first!.count, first!.of], ['2010-01-01', 15, 150]);
    assert.ok(rest.every(({ count }) => count === 0));
  });

  it('weeks are no part of months: they cannot be moved', () => {
    const weeks = timeline('week', '2022-01-05', '2022-06-09');
    assert.equal(inBuckets(weeks, sharedBuckets(weeks, timeline('year', '2010-01-01', '2024-01-01'))), null);
  });

  it('of nothing there are none', () => {
    assert.deepEqual(sharedBuckets(NONE, NONE), { step: 'day', starts: [] });
  });
});
