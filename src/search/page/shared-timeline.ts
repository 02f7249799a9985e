// Timelines of both kinds over the same buckets, so that they can stand above one another.

import type { Timeline, TimelineBucket } from '../../model/engine.ts';
import type { TimelineStep } from '../../model/time.ts';
import { type Buckets, bucketStart, nextBucket, timelineBuckets } from '../../model/timeline.ts';

/** Buckets that hold what lies in either; those of the other where one has none. */
export function sharedBuckets(one: Timeline, other: Timeline): Buckets {
  const ranges = [one, other].flatMap(({ step, buckets }) =>
    buckets.length === 0
      ? []
      : [{ first: buckets[0]!.start, last: nextBucket(step, buckets.at(-1)!.start) - 1 }],
  );
  if (ranges.length === 0) return { step: one.step, starts: [] };
  const range = {
    first: Math.min(...ranges.map(({ first }) => first)),
    last: Math.max(...ranges.map(({ last }) => last)),
  };
  return timelineBuckets(range, range);
}

/** A bucket of the first of these is part of one bucket of each of the others. */
const PARTS_OF: Readonly<Record<TimelineStep, readonly TimelineStep[]>> = {
  hour: ['hour', 'day', 'week', 'month', 'quarter', 'year'],
  day: ['day', 'week', 'month', 'quarter', 'year'],
  week: ['week'],
  month: ['month', 'quarter', 'year'],
  quarter: ['quarter', 'year'],
  year: ['year'],
};

/** The counts in other buckets, which hold all of them; null where its own overlap several of these. */
export function inBuckets({ step, buckets }: Timeline, shared: Buckets): Timeline | null {
  if (buckets.length > 0 && !PARTS_OF[step].includes(shared.step)) return null;
  const sums = new Map(shared.starts.map((start) => [start, { start, count: 0, of: 0 }]));
  for (const { start, count, of = 0 } of buckets) {
    const sum = sums.get(bucketStart(shared.step, start));
    if (sum === undefined) continue;
    sum.count += count;
    sum.of += of;
  }
  const hasOf = buckets.some(({ of }) => of !== undefined);
  const summed = [...sums.values()].map(
    ({ start, count, of }): TimelineBucket => (hasOf ? { start, count, of } : { start, count }),
  );
  return { step: shared.step, buckets: summed };
}
