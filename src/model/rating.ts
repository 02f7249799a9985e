// Sentiment as a whole number, so that sums of it are exact in any order.

/** In ten-thousandths: what a rating of four decimals is, times 10,000. */
export function ratingUnits(sentiment: number): number {
  return Math.round(sentiment * RATING_UNIT) + 0;
}

/** Ten-thousandths of 1. */
export const RATING_UNIT = 10_000;
