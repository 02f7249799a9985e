// When a record came in, and how exactly it is told.

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
export const EXACT_FOR = 30 * 86_400;

const HOUR = 3_600;

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
