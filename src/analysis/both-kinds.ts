// Going on without an answer: a page shows what it was asked for though what stands beside it cannot be had.
//
// How many matches come before a page: counted, so that an address that is passed on shows the same place.
//
// Timelines of both kinds over the same buckets, so that they can stand above one another.

import { type ProblemCode, ServiceError } from '../errors.ts';
import type { Timeline, TimelineBucket } from '../model/engine.ts';
import { EngineLimit, IndexDamage } from '../model/engine-errors.ts';
import { type PageRequest, SCORE_BOUND } from '../model/pages.ts';
import type { Query, QueryItem } from '../model/query.ts';
import type { StoredRecord } from '../model/record.ts';
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

/** The matches of `queries`, which have none in common, and `given` more. */
export interface Before {
  readonly queries: readonly Query[];
  readonly given: number;
}

/** What comes before a page of this query; null: this is the first page. */
export function beforePage(query: Query, page: PageRequest): Before | null {
  if (page.after === null) return null;
  const narrowed = (...items: readonly QueryItem[]): Query => ({ items: [...query.items, ...items] });
  if (page.order === 'top') {
    const { score, second } = page.after;
    // Beyond the bounds all scores rank as equal.
    const min = score === -SCORE_BOUND ? null : score;
    const max = score === SCORE_BOUND ? null : score;
    const ties = narrowed({ kind: 'score', min, max }, since(second));
    const higher = narrowed({ kind: 'score', min: score + 1, max: null });
    return { queries: max === null ? [ties] : [ties, higher], given: 0 };
  }
  const { second, given } = page.after;
  const isWhole = given === 'all';
  const reached =
    page.order === 'newest' ? since(isWhole ? second : second + 1) : until(isWhole ? second + 1 : second);
  return { queries: [narrowed(reached)], given: isWhole ? 0 : given };
}

function since(time: number): QueryItem {
  return { kind: 'after', time };
}

function until(time: number): QueryItem {
  return { kind: 'before', time };
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

/** Id of the post that a record belongs to; null where a comment does not say. */
export function threadOf(record: StoredRecord): string | null {
  if (record.kind === 'post') return record.id;
  return record.post || null;
}
