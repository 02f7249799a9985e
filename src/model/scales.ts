// Breakdowns by a scale: all of its values in an order of their own, and every record at one of them.

import type { StoredRecord } from './record.ts';
import { DAY, HOUR } from './time.ts';

export type ScaleField = 'score' | 'sentiment' | 'weekday_hour';

export const SCALE_FIELDS: readonly ScaleField[] = ['score', 'sentiment', 'weekday_hour'];

/** Where bands of scores end: scores at most this. The embedded engine keeps a list for each of them. */
export const SCORES_AT_MOST = [-20, -5, -1, 0] as const;
/** Where bands of scores begin: scores at least this. */
export const SCORES_AT_LEAST = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000, 5000] as const;

/** Both ends are in it. */
export interface ScoreBand {
  readonly min: number;
  readonly max: number;
}

/** Up, without overlap: every score is in one of them. */
export const SCORE_BANDS: readonly ScoreBand[] = [
  ...SCORES_AT_MOST.map((max, i) => ({ min: i === 0 ? -Infinity : SCORES_AT_MOST[i - 1]! + 1, max })),
  ...SCORES_AT_LEAST.map((min, i) => ({ min, max: (SCORES_AT_LEAST[i + 1] ?? Infinity) - 1 })),
];

/** A rating this far from 0 says something. */
export const LEAST_SENTIMENT = 0.05;

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** All values in their order. Bands of scores as the query language writes them. */
export const SCALES: Readonly<Record<ScaleField, readonly string[]>> = {
  score: SCORE_BANDS.map(({ min, max }) => `${finite(min)}..${finite(max)}`),
  sentiment: ['negative', 'neutral', 'positive', 'unrated'],
  weekday_hour: [1, 2, 3, 4, 5, 6, 7].flatMap((weekday) => HOURS.map((hour) => `${weekday}-${hour}`)),
};

export function isScale(field: string): field is ScaleField {
  return SCALE_FIELDS.some((one) => one === field);
}

/** The place of a record on a scale. */
export function placeOn(field: ScaleField, record: StoredRecord): number {
  if (field === 'score') return scoreBand(record.score);
  if (field === 'weekday_hour') return weekdayHour(record.created);
  return sentimentPlace(record.kind === 'comment' ? record.sentiment : null);
}

/** The place of its band in SCORE_BANDS. */
export function scoreBand(score: number): number {
  return SCORE_BANDS.findIndex(({ max }) => score <= max);
}

/** `null`: unrated. */
export function sentimentPlace(sentiment: number | null): number {
  if (sentiment === null) return 3;
  return sentiment <= -LEAST_SENTIMENT ? 0 : sentiment < LEAST_SENTIMENT ? 1 : 2;
}

/** Hours since the week began, on Monday, in UTC. 1970-01-01 was a Thursday. */
export function weekdayHour(time: number): number {
  return Math.floor((time + 3 * DAY) / HOUR) % (7 * 24);
}

function finite(bound: number): string {
  return Number.isFinite(bound) ? String(bound) : '';
}
