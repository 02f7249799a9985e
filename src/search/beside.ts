// Beside what a page was asked for stands what may be missing: it is given up where it cannot be had. Timelines of both
// kinds over the same buckets, so that one can stand above the other; from when to when the index has records.

import { setTimeout as delay } from 'node:timers/promises';
import { type ProblemCode, ServiceError } from '../errors.ts';
import type { Answer, Question, SearchEngine, Timeline, TimelineBucket } from '../model/engine.ts';
import { EngineLimit, IndexDamage } from '../model/engine-errors.ts';
import { MAX_SHOWN_BYTES, pageRequest } from '../model/pages.ts';
import { conditionsOf, type Query } from '../model/query.ts';
import { KINDS, type Kind, otherKind } from '../model/record.ts';
import { DAY, type TimelineStep } from '../model/time.ts';
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

/** Buckets over the span of both lists; where one is empty, those of the other. */
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

/** Unix seconds of the first and last record of either kind. */
export interface TimeRange {
  readonly first: number;
  readonly last: number;
}

const EVERYTHING: Query = { items: [] };

/** Milliseconds that a page waits for a range, and a range for an answer. */
const PATIENCE_MS = 1_000;

export class TimeRanges {
  readonly #engine: SearchEngine;
  #known: Promise<TimeRange | null> = Promise.resolve(null);
  /** Of the index, of which the range is known. */
  #state: string | null = null;

  constructor(engine: SearchEngine) {
    this.#engine = engine;
  }

  /** null where there are no records, or none can be read, or not in time: pages are complete without it. */
  async current(): Promise<TimeRange | null> {
    const cut = new AbortController();
    const late = delay(PATIENCE_MS, null, { signal: cut.signal }).catch(() => null);
    const known = await Promise.race([this.#now().catch(() => null), late]);
    cut.abort();
    return known;
  }

  async #now(): Promise<TimeRange | null> {
    const state = await stateOf(this.#engine);
    if (state !== this.#state) {
      const known = rangeOf(this.#engine, PATIENCE_MS);
      [this.#state, this.#known] = [state, known];
      // Empty a moment ago, or out of reach: asked again by the next page.
      void known.then((range) => {
        if (range === null && this.#known === known) this.#state = null;
      });
    }
    return await this.#known;
  }
}

/** Of the kinds that can be asked. */
async function rangeOf(engine: SearchEngine, timeoutMs: number): Promise<TimeRange | null> {
  const ends = (['oldest', 'newest'] as const).flatMap((order) =>
    KINDS.map(async (kind) => {
      const page = pageRequest(order, null, { limit: 1, maxBytes: MAX_SHOWN_BYTES });
      const answer = await engine.ask({ kind, query: EVERYTHING, page, timeoutMs });
      return answer.page!.records[0]?.created ?? [];
    }),
  );
  const found = await Promise.allSettled(ends);
  const times = found.flatMap((end) => (end.status === 'fulfilled' ? end.value : []));
  return times.length === 0 ? null : { first: Math.min(...times), last: Math.max(...times) };
}

/** Buckets of a drawing as small as a word, at the most. */
const FEW_BUCKETS = 30;

/** About how long a bucket is: days. */
const STEPS = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['quarter', 90],
] as const;

/** Buckets of which few hold whatever a query can find; none where it can find nothing. */
export function fewBuckets(query: Query, { first, last }: TimeRange): Buckets {
  const { from, to } = conditionsOf(query);
  const range = { first: Math.max(first, from), last: Math.min(last, to - 1) };
  const days = (range.last - range.first) / DAY;
  const step = STEPS.find(([, length]) => days / length < FEW_BUCKETS - 1)?.[0] ?? 'year';
  return timelineBuckets(range, range, step);
}

/** The midnight (UTC) with which the last `years` years of a range begin; null where it has no more than these. */
export function startOfLast(years: number, { first, last }: TimeRange): number | null {
  const end = new Date((Math.floor(last / DAY) + 1) * DAY * 1000);
  const start = Date.UTC(end.getUTCFullYear() - years, end.getUTCMonth(), end.getUTCDate()) / 1000;
  return start > first ? start : null;
}

/** Of the index as the last `refresh` found it: another where other records are found. */
export async function stateOf(engine: SearchEngine): Promise<string> {
  const { post, comment } = await engine.fingerprints();
  return [post, comment].map((one) => (one instanceof IndexDamage ? '-' : one.fingerprint)).join(' ');
}
