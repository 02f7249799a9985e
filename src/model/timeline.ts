// Time buckets of a timeline: which step, and where each bucket begins. All in UTC.

import type { Sample } from './analyses.ts';
import type { TimelineRequest } from './engine.ts';
import { EngineLimit } from './engine-errors.ts';
import type { Conditions } from './query.ts';
import { MAX_TIME, type StoredRecord } from './record.ts';
import { DAY, HOUR, MAX_GIVEN_BUCKETS, type TimelineStep } from './time.ts';

/** From fine to coarse. A week begins on Monday. */
export const TIMELINE_STEPS: readonly TimelineStep[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];

/** Those of which one is chosen where none is asked for. */
const CHOSEN_STEPS = TIMELINE_STEPS.slice(1);

/** The finest step with at most this many buckets is taken. */
export const MAX_BUCKETS = 60;

export function bucketStart(step: TimelineStep, time: number): number {
  if (step === 'hour') return Math.floor(time / HOUR) * HOUR;
  const day = Math.floor(time / DAY);
  if (step === 'day') return day * DAY;
  // 1970-01-01 was a Thursday, so its week began three days before the epoch.
  if (step === 'week') return (Math.floor((day + 3) / 7) * 7 - 3) * DAY;
  const month = monthOf(day);
  const months = MONTHS[step];
  return firstOfMonth(Math.floor(month / months) * months) * DAY;
}

export function nextBucket(step: TimelineStep, start: number): number {
  if (step === 'hour') return start + HOUR;
  if (step === 'day') return start + DAY;
  if (step === 'week') return start + 7 * DAY;
  return firstOfMonth(monthOf(start / DAY) + MONTHS[step]) * DAY;
}

/** How many months the steps take that are made of some. */
const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** Days before 1970-01-01, from 0000-03-01 on: years that begin in March have their leap day last. */
const DAYS_BEFORE = 719_468;
const DAYS_OF_400_YEARS = 146_097;

/** The month of a day since 1970, counted from January of the year 0 (Hinnant, "chrono-Compatible Low-Level Date
 * Algorithms", civil_from_days): a timeline makes a hundred of them, and a `Date` for each took longer than all else.
 */
function monthOf(day: number): number {
  const shifted = day + DAYS_BEFORE;
  const era = Math.floor(shifted / DAYS_OF_400_YEARS);
  const dayOfEra = shifted - era * DAYS_OF_400_YEARS;
  const leapDays =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const year = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  return (era * 400 + year) * 12 + Math.floor((5 * dayOfYear + 2) / 153) + 2;
}

/** The day since 1970 with which a month begins, counted as above (the same, days_from_civil). */
function firstOfMonth(month: number): number {
  const fromMarch = month - 2;
  const year = Math.floor(fromMarch / 12);
  const dayOfYear = Math.floor((153 * (fromMarch - year * 12) + 2) / 5);
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  return 365 * year + leapDays + dayOfYear - DAYS_BEFORE;
}

/** First and last second, both in. */
export interface TimeSpan {
  readonly first: number;
  readonly last: number;
}

export interface Buckets {
  readonly step: TimelineStep;
  readonly starts: readonly number[];
}

interface Timed extends Pick<Conditions, 'from' | 'to'> {
  /** Of its first and last match; null: nothing matches. */
  readonly matches: TimeSpan | null;
}

/**
 * The buckets of timelines that are asked for together. Each query gives its own bounds, and where it has none its
 * first or last match; the buckets hold what lies between the first and the last of all these. Throws an EngineLimit,
 * and a TypeError where the requests ask for different steps.
 */
export function sharedBuckets(timed: readonly Timed[], requests: readonly TimelineRequest[]): Buckets {
  const { step, keepsBounds = false } = requests[0]!;
  if (requests.some((other) => other.step !== step)) throw new TypeError('expected timelines of one step');
  const none: Buckets = { step: step ?? CHOSEN_STEPS[0]!, starts: [] };
  const matches = spanOf(timed.flatMap((one) => one.matches ?? []));
  if (matches === null && !keepsBounds) return none;
  // Of a query that contradicts itself nothing says where it would be.
  const meant = timed.filter(({ from, to }) => from < to);
  const firsts = meant.flatMap((one) => (one.from > 0 ? one.from : (one.matches?.first ?? [])));
  const lasts = meant.flatMap((one) => (one.to <= MAX_TIME ? one.to - 1 : (one.matches?.last ?? [])));
  if (firsts.length === 0 || lasts.length === 0) return none;
  const bounds = { first: Math.min(...firsts), last: Math.max(...lasts) };
  return timelineBuckets(bounds, matches ?? bounds, step);
}

/** Where the last bucket ends: the first second behind it; 0 where there is none. */
export function endOfBuckets({ step, starts }: Buckets): number {
  const last = starts.at(-1);
  return last === undefined ? 0 : nextBucket(step, last);
}

/** null: of none. */
export function spanOf(spans: readonly TimeSpan[]): TimeSpan | null {
  if (spans.length === 0) return null;
  return {
    first: Math.min(...spans.map(({ first }) => first)),
    last: Math.max(...spans.map(({ last }) => last)),
  };
}

/**
 * Starts of the buckets from the one with `first` to the one with `last`. In the step given, more than
 * MAX_GIVEN_BUCKETS throw an EngineLimit; without one, it is the finest step that needs at most MAX_BUCKETS. If even
 * years would be too many (`after:1970-01-01 before:9999-01-01`), the matches are the bounds; over more than
 * MAX_BUCKETS years, they still get a bucket a year.
 */
export function timelineBuckets(bounds: TimeSpan, matches: TimeSpan, given?: TimelineStep): Buckets {
  if (given !== undefined) return givenBuckets(given, bounds);
  for (const range of [bounds, matches]) {
    for (const step of CHOSEN_STEPS) {
      const starts = startsWithin(step, range.first, range.last, MAX_BUCKETS);
      if (starts !== null) return { step, starts };
    }
  }
  return { step: 'year', starts: startsWithin('year', matches.first, matches.last, Infinity) ?? [] };
}

function givenBuckets(step: TimelineStep, { first, last }: TimeSpan): Buckets {
  const within = (one: TimelineStep) => startsWithin(one, first, last, MAX_GIVEN_BUCKETS);
  const starts = within(step);
  if (starts !== null) return { step, starts };
  const coarser = TIMELINE_STEPS.slice(TIMELINE_STEPS.indexOf(step) + 1);
  // Records lie within MAX_TIME, so that weeks are few enough.
  const fitting = coarser.find((one) => within(one) !== null)!;
  throw new EngineLimit({ limit: 'timeline_buckets', step: fitting });
}

/** Seconds of the longest bucket of each step. */
const LONGEST: Readonly<Record<TimelineStep, number>> = {
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 31 * DAY,
  quarter: 92 * DAY,
  year: 366 * DAY,
};

/** null where more than `most` would be needed. */
export function startsWithin(step: TimelineStep, first: number, last: number, most: number): number[] | null {
  // The first bucket begins at `first` or before it, so that many of them end before `last`: none need be made.
  if (last - first >= most * LONGEST[step]) return null;
  const starts: number[] = [];
  for (let start = bucketStart(step, first); start <= last; start = nextBucket(step, start)) {
    if (starts.length === most) return null;
    starts.push(start);
  }
  return starts;
}

/** Equal for the records of one group; without groups, for all. */
export function groupOf(
  { community, created }: Pick<StoredRecord, 'community' | 'created'>,
  { per }: Sample,
): string | number {
  if (per === undefined) return '';
  return per === 'community' ? community : bucketStart('month', created);
}
