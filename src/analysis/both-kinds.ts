// Beside what a page was asked for stands what may be missing: it is given up where it cannot be had. Timelines of both
// kinds over the same buckets, so that one can stand above the other.

import { type ProblemCode, ServiceError } from '../errors.ts';
import type { Answer, Question, Timeline, TimelineBucket } from '../model/engine.ts';
import { EngineLimit, IndexDamage } from '../model/engine-errors.ts';
import { type Kind, otherKind } from '../model/record.ts';
import type { TimelineStep } from '../model/time.ts';
import { type Buckets, bucketStart, nextBucket, timelineBuckets } from '../model/timeline.ts';

const LIMITS: readonly ProblemCode[] = ['query_timeout', 'busy'];

/** null where this question alone cannot be answered: a limit was reached, or its kind is damaged. */
export async function orGiveUp<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    const isTime = error instanceof ServiceError && LIMITS.includes(error.code);
    if (isTime || error instanceof EngineLimit || error instanceof IndexDamage) return null;
    throw error;
  }
}

/** The damage in place of the answer where its kind cannot be read. Rejects for all else. */
export async function orDamage<T>(answer: Promise<T>): Promise<T | IndexDamage> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof IndexDamage) return error;
    throw error;
  }
}

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

/**
 * Of both kinds over the same buckets: `shown` and `other` answer the question, the latter null where it could not be
 * had. Where buckets of one overlap those, its timeline is asked for again.
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
  // Its own buckets, where the other ones could not be counted in time.
  return ofShown === null
    ? byKind<Timeline | null>(kind, shown.timeline!, null)
    : byKind(kind, ofShown, ofOther);
}

export function byKind<T>(kind: Kind, shown: T, other: T): Record<Kind, T> {
  return kind === 'post' ? { post: shown, comment: other } : { post: other, comment: shown };
}
