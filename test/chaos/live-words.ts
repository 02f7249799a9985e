// What the process that writes and the one that asks agree on.

/** Records of one batch. */
export const LIVE_BATCH = 100;

/** A word that all records of this batch hold, and no others. */
export function liveWord(batch: number): string {
  return `livebatch${batch}x`;
}
