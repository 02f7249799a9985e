// Time in this program: Unix seconds, in UTC, where every day has as many. And when a record came in, and how
// exactly it is told.

export function unixNow(): number {
  return Math.floor(Date.now() / 1000);
}

export const HOUR = 3_600;

export const DAY = 86_400;

/**
 * How far in the future a time may be that was noted earlier, in seconds: the clock was put back since. What was
 * made later than that was made by a wrong clock, and would otherwise hold for as much longer as that clock was fast.
 */
export const CLOCK_PUT_BACK = DAY;

/** `2026-11-20, 22:47:38`, as everywhere people read times. */
export function readableTime(time: number): string {
  return new Date(time * 1000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ', ');
}

/** `2026-11-20T22:47:38Z`: ISO 8601. */
export function isoTime(time: number): string {
  return new Date(time * 1000).toISOString().replace('.000Z', 'Z');
}

/** Days whose names are kept at the most: a page of results names some hundreds, most of them several times. */
const MAX_NAMED_DAYS = 10_000;
/** By day since 1970. */
const namedDays = new Map<number, string>();

/** `2026-11-20`. */
export function readableDay(time: number): string {
  const day = Math.floor(time / DAY);
  let name = namedDays.get(day);
  if (name === undefined) {
    name = new Date(day * DAY * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length);
    if (namedDays.size >= MAX_NAMED_DAYS) namedDays.clear();
    namedDays.set(day, name);
  }
  return name;
}

export type TimelineStep = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

export const MAX_GIVEN_BUCKETS = 10_000;

/**
 * Unix seconds at which the commit was made that brought a record in: its first copy, or the last one that changed its
 * text, title, URL or withdrawal. As `toldTime` tells it; null: not known.
 */
export type ArrivalTime = number | null;

/**
 * The arrival, a number of a commit, of records that came in before arrivals were counted, or of which it is not known
 * when they came in. Counted ones are greater.
 */
export const UNCOUNTED = 1;

/** So long the time of an arrival is told to the second, in seconds: 30 days. Then it is told to the hour. */
export const EXACT_FOR = 30 * DAY;

/** Unix seconds, as the time of an arrival is told at the second `now`. */
export function toldTime(time: number, now: number): number {
  return isLongAgo(time, now) ? hourOf(time) * HOUR : time;
}

export function isLongAgo(time: number, now: number): boolean {
  return time < now - EXACT_FOR;
}

/** Hours since 1970. */
export function hourOf(time: number): number {
  return Math.floor(time / HOUR);
}
