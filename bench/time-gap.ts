// Whether two samples of times come from one source: the U test of Mann and Whitney (1947), by its normal
// approximation, without a correction for ties.

export interface Gap {
  /** Between the medians; above 0 if those of the first are longer. */
  readonly gapMs: number;
  /** Two-sided. */
  readonly p: number;
}

/** Each sample needs 20 times or more. */
export function medianGap(one: readonly number[], other: readonly number[]): Gap {
  const all = [...one.map((ms) => ({ ms, isOne: true })), ...other.map((ms) => ({ ms, isOne: false }))];
  all.sort((a, b) => a.ms - b.ms);
  const ranks = all.reduce((sum, { isOne }, at) => sum + (isOne ? at + 1 : 0), 0);
  const u = ranks - (one.length * (one.length + 1)) / 2;
  const mean = (one.length * other.length) / 2;
  const deviation = Math.sqrt((one.length * other.length * (one.length + other.length + 1)) / 12);
  return { gapMs: median(one) - median(other), p: 2 * normalTail(Math.abs(u - mean) / deviation) };
}

function median(ms: readonly number[]): number {
  return [...ms].sort((a, b) => a - b)[ms.length >> 1]!;
}

/** P(Z > z), z from 0; Abramowitz and Stegun 26.2.17, error below 1e-7. */
function normalTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
