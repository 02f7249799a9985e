// Random samples that anybody can draw again. A record has a rank, which a seed and its content alone make; a sample is
// the records of the lowest ranks. So one of 500 lies inside one of 1,000 of the same seed, and equal records give
// equal samples, on any machine and after any order of imports.

import { HashInput } from './hash-input.ts';
import { finalised, type Hash64 } from './murmur-hash.ts';

/** What a sample may be drawn of one by one. Months are of the calendar, in UTC. */
export type SampleGroup = 'community' | 'month';

export interface Sample {
  /** How many records, 1 or more; of each group where there are groups. */
  readonly size: number;
  /** Any text. */
  readonly seed: string;
  /** Absent: of all matches together. More than MAX_IN_GROUPS records of all groups are an EngineLimit. */
  readonly per?: SampleGroup;
}

/** A page of a sample: its records by rank. There is no next page. */
export interface SamplePage extends Sample {
  readonly order: 'sample';
  /** Records that are larger together, counted as in page-budget.ts, are an EngineLimit; absent: no limit. */
  readonly maxBytes?: number;
}

/** Of callers who give none. */
export const DEFAULT_SEED = '1';
/** Characters of a seed that a caller gives. */
export const MAX_SEED = 64;

/** Whether a caller may give it. */
export function isSeed(text: string): boolean {
  return text.length <= 2 * MAX_SEED && [...text].length <= MAX_SEED;
}

/** Records of a sample by groups, over all groups. */
export const MAX_IN_GROUPS = 10_000;

/** What a seed makes ranks with: 32 bits each. */
export interface RankKey {
  readonly low: number;
  readonly high: number;
  readonly last: number;
}

const input = new HashInput();

export function rankKey(seed: string): RankKey {
  input.clear();
  input.text(seed);
  const { high, low } = input.hash();
  return { low: low | 0, high: high | 0, last: input.hash(1).low | 0 };
}

/**
 * The first 32 bits of the rank of a record with this `contentHash`, 0 to 2^32 − 1. Both halves of a rank come of
 * rounds of MurmurHash3's finaliser, so that different hashes have different ranks whatever the seed.
 */
export function rankHigh(key: RankKey, high: number, low: number): number {
  return finalised(high ^ key.high ^ finalised(low ^ key.low)) >>> 0;
}

/** The other 32 bits, of a record with this low half of its hash and this `rankHigh`. */
export function rankLow(key: RankKey, rank: number, low: number): number {
  return finalised(finalised(low ^ key.low) ^ rank ^ key.last) >>> 0;
}

/** The whole rank of a record with this `contentHash`. */
export function rankOf(key: RankKey, { high, low }: Hash64): Hash64 {
  const rank = rankHigh(key, high, low);
  return { high: rank, low: rankLow(key, rank, low) };
}

/** Of two ranks, in their order; 0: the ids decide. */
export function compareRanks(a: Hash64, b: Hash64): number {
  return a.high - b.high || a.low - b.low;
}
