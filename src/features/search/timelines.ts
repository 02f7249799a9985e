// Timelines of both kinds over the same buckets, so that they can be compared.

import type { Answer, Question, Timeline, TimelineBucket } from '../../model/engine.ts';
import { type Kind, otherKind } from '../../model/record.ts';
import type { TimelineStep } from '../../model/time.ts';
import { type Buckets, bucketStart, nextBucket, timelineBuckets } from '../../model/timeline.ts';
import { orGiveUp } from '../../search/beside.ts';

/** Buckets over the span of both timelines; if one is empty, those of the other. */
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

/** Each step's buckets are parts of the buckets of the steps listed. */
const PARTS_OF: Readonly<Record<TimelineStep, readonly TimelineStep[]>> = {
  hour: ['hour', 'day', 'week', 'month', 'quarter', 'year'],
  day: ['day', 'week', 'month', 'quarter', 'year'],
  week: ['week'],
  month: ['month', 'quarter', 'year'],
  quarter: ['quarter', 'year'],
  year: ['year'],
};

/** The counts in the shared buckets, which cover all of them; null if a bucket overlaps several of these. */
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

/**
 * Both timelines over the same buckets: `shown` and `other` are the responses, `other` null if it failed. A timeline
 * whose buckets overlap the shared ones is requested again.
 */
export async function timelinesOf(
  ask: (question: Question) => Promise<Answer>,
  { kind, query, of }: Pick<Question, 'kind' | 'query' | 'of'>,
  shown: Answer,
  other: Answer | null,
): Promise<Record<Kind, Timeline | null>> {
  if (other === null) return byKind(kind, shown.timeline!, null);
  const shared = sharedBuckets(shown.timeline!, other.timeline!);
  const moved = async (one: Kind, timeline: Timeline) => {
    const found = inBuckets(timeline, shared);
    if (found !== null) return found;
    const again = await orGiveUp(
      ask({ kind: one, query, timeline: { step: shared.step }, ...(of && { of }) }),
    );
    return again && inBuckets(again.timeline!, shared);
  };
  const [ofShown, ofOther] = await Promise.all([
    moved(kind, shown.timeline!),
    moved(otherKind(kind), other.timeline!),
  ]);
  // Its own buckets, if the shared ones could not be counted in time.
  return ofShown === null
    ? byKind<Timeline | null>(kind, shown.timeline!, null)
    : byKind(kind, ofShown, ofOther);
}

export function byKind<T>(kind: Kind, shown: T, other: T): Record<Kind, T> {
  return kind === 'post' ? { post: shown, comment: other } : { post: other, comment: shown };
}
