// How fast a figure grows: a line through the medians of its minutes, by least squares.

export interface Point {
  readonly seconds: number;
  readonly value: number;
}

export interface Slope {
  /** By the hour. */
  readonly slope: number;
  /** Half the width of the interval in which the true one is with 95 %. */
  readonly margin: number;
  /** How many points it is of. */
  readonly minutes: number;
  /** The middle value. */
  readonly median: number;
  readonly highest: number;
}

/** Below that, memory still goes where it stays, and a line through it says nothing. */
const LEAST_MINUTES = 10;

export type Verdict = 'met' | 'missed' | 'not told by so short a run';

/** Points of one minute become one: the median, so that a peak does not bend the line. NaN are left out. */
export function byMinute(points: readonly Point[], minute = 60): Point[] {
  const minutes = Map.groupBy(
    points.filter(({ value }) => !Number.isNaN(value)),
    ({ seconds }) => Math.floor(seconds / minute),
  );
  return [...minutes].map(([number, inside]) => ({
    seconds: (number + 0.5) * minute,
    value: median(inside.map(({ value }) => value)),
  }));
}

/** The margin is 1.96 standard errors; infinite of fewer than 3 points. */
export function slopeOf(points: readonly Point[]): Slope {
  const n = points.length;
  const values = points.map(({ value }) => value);
  const figures = {
    minutes: n,
    median: median(values),
    highest: values.reduce((a, b) => Math.max(a, b), -Infinity),
  };
  if (n < 3) return { slope: Number.NaN, margin: Infinity, ...figures };
  const x = points.map(({ seconds }) => seconds / 3600);
  const meanX = mean(x);
  const meanY = mean(values);
  const spread = sum(x.map((each) => (each - meanX) ** 2));
  const slope = sum(x.map((each, i) => (each - meanX) * (values[i]! - meanY))) / spread;
  const errors = sum(x.map((each, i) => (values[i]! - meanY - slope * (each - meanX)) ** 2));
  return { slope, margin: 1.96 * Math.sqrt(errors / (n - 2) / spread), ...figures };
}

/** Whether the slope is at most `bar`, where the run was long enough to tell. */
export function judge({ slope, margin, minutes }: Slope, bar: number): Verdict {
  if (minutes < LEAST_MINUTES) return 'not told by so short a run';
  if (slope + margin <= bar) return 'met';
  if (slope - margin > bar) return 'missed';
  return 'not told by so short a run';
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}
