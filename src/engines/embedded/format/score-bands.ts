// Bands of scores: a posting list for each of 21 thresholds. They answer `score:` at those thresholds, and
// `top` walks them from the highest, so that it reads only records that can be on the page.

import { SCORES_AT_LEAST as LOWER, SCORES_AT_MOST as UPPER } from '../../../model/analyses.ts';

export interface Band {
  /** Includes both ends. */
  readonly min: number;
  readonly max: number;
  /** Comes after the letter of the key. */
  readonly name: string;
}

/** Overlapping: each contains those beyond it. */
export const BANDS: readonly Band[] = [
  ...UPPER.map((max) => ({ min: -Infinity, max })),
  ...LOWER.map((min) => ({ min, max: Infinity })),
].map((band, i) => ({ ...band, name: String(i).padStart(2, '0') }));

/** The bands that make up a range between two thresholds: docs in `inside` and in none of `outside`. */
export interface Slice {
  readonly min: number;
  readonly max: number;
  readonly inside: Band;
  readonly outside: Band | null;
}

/** All scores, from the highest slice to the lowest, without overlap. */
export const SLICES: readonly Slice[] = [
  ...LOWER.map((min, i) =>
    slice(atLeast(min)!, LOWER[i + 1] === undefined ? null : atLeast(LOWER[i + 1]!)!),
  ).reverse(),
  ...UPPER.map((max, i) => slice(atMost(max)!, i === 0 ? null : atMost(UPPER[i - 1]!)!)).reverse(),
];

/** The band with exactly the scores from `min` up, or from `max` down; null if no threshold is there. */
export function atLeast(min: number): Band | null {
  return BANDS.find((band) => band.min === min && band.max === Infinity) ?? null;
}

export function atMost(max: number): Band | null {
  return BANDS.find((band) => band.max === max && band.min === -Infinity) ?? null;
}

function slice(inside: Band, outside: Band | null): Slice {
  const min = outside !== null && inside.min === -Infinity ? outside.max + 1 : inside.min;
  const max = outside !== null && inside.max === Infinity ? outside.min - 1 : inside.max;
  return { min, max, inside, outside };
}
