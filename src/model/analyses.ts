// What analyses ask of an engine beyond counts and rows: the limits of breakdowns; breakdowns by a scale;
// queries compared; random samples; counts of words.

import { finalised, type Hash64, HashInput, unfinalised } from './hash.ts';
import type { Query } from './query.ts';
import { DAY, HOUR } from './time.ts';

/** The most buckets that one breakdown may have over all its rows, or one coverage over all its communities. */
export const MAX_CELLS = 100_000;
/** Copies are looked for among at most this many matches. */
export const MAX_COPIED = 2_000_000;
/** A row of copies is named by its text, cut at this many characters. */
export const COPY_NAME_CHARACTERS = 200;

/** A field whose breakdown lists every value in a fixed order. Each record has exactly one value. */
export type ScaleField = 'score' | 'sentiment' | 'weekday_hour';

/** Upper ends of the bands of scores, inclusive. The embedded engine keeps a list for each of them. */
export const SCORES_AT_MOST = [-20, -5, -1, 0] as const;
export const SCORES_AT_LEAST = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000, 5000] as const;

/** A range of scores with both ends included. */
interface ScoreBand {
  readonly min: number;
  readonly max: number;
}

/** The bands in ascending order. Each score is in exactly one. */
export const SCORE_BANDS: readonly ScoreBand[] = [
  ...SCORES_AT_MOST.map((max, i) => ({ min: i === 0 ? -Infinity : SCORES_AT_MOST[i - 1]! + 1, max })),
  ...SCORES_AT_LEAST.map((min, i) => ({ min, max: (SCORES_AT_LEAST[i + 1] ?? Infinity) - 1 })),
];

export const LEAST_SENTIMENT = 0.05;

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** All values of each scale, in order. Bands of scores are written as in the query language. */
export const SCALES: Readonly<Record<ScaleField, readonly string[]>> = {
  score: SCORE_BANDS.map(({ min, max }) => `${finite(min)}..${finite(max)}`),
  sentiment: ['negative', 'neutral', 'positive', 'unrated'],
  weekday_hour: [1, 2, 3, 4, 5, 6, 7].flatMap((weekday) => HOURS.map((hour) => `${weekday}-${hour}`)),
};

export function isScale(field: string): field is ScaleField {
  return Object.hasOwn(SCALES, field);
}

export function scoreBand(score: number): number {
  return SCORE_BANDS.findIndex(({ max }) => score <= max);
}

export function sentimentPlace(sentiment: number | null): number {
  if (sentiment === null) return 3;
  return sentiment <= -LEAST_SENTIMENT ? 0 : sentiment < LEAST_SENTIMENT ? 1 : 2;
}

/** Hours since Monday 00:00 UTC. 1970-01-01 was a Thursday. */
export function weekdayHour(time: number): number {
  return Math.floor((time + 3 * DAY) / HOUR) % (7 * 24);
}

function finite(bound: number): string {
  return Number.isFinite(bound) ? String(bound) : '';
}

/** Compares the question's own query with others of its kind. */
export interface ComparedRequest {
  /** The other queries. The question's `under` applies to them too. */
  readonly with: readonly Query[];
  /** How many communities of each query are in the rows: those with the highest counts. */
  readonly communities: number;
}

/** Queries are numbered: 0 is the question's own, and the others follow in their order. */
export interface Compared {
  /** `both[a][b]` is the exact number of records that match both queries; `both[a][a]` is the total of one. */
  readonly both: readonly (readonly number[])[];
  /** Ordered by the sum of their counts, descending, then by name (code units). */
  readonly communities: readonly ComparedCommunity[];
  /** Exact, one for each query. Absent if the engine stores no ratings. */
  readonly ratings?: readonly SummedRatings[];
}

interface ComparedCommunity {
  readonly name: string;
  /** One for each query, even if the community is not among its highest. */
  readonly counts: readonly number[];
}

interface SummedRatings {
  readonly sum: number;
  readonly rated: number;
}

export function inOrderOfAll(communities: readonly ComparedCommunity[]): ComparedCommunity[] {
  const all = new Map(communities.map((one) => [one, one.counts.reduce((sum, count) => sum + count, 0)]));
  return [...communities].sort((a, b) => all.get(b)! - all.get(a)! || (a.name < b.name ? -1 : 1));
}

/** A sample of each community or of each calendar month (UTC). */
export type SampleGroup = 'community' | 'month';

/**
 * A random sample that anybody can draw again. A seed and the content of a record give it a rank; the sample has the
 * records of the lowest ranks. So a sample of 500 is part of the one of 1,000 with the same seed, and equal records
 * give equal samples on any machine and after any order of imports.
 */
export interface Sample {
  /** The number of records, at least 1; with groups, the number for each of them. */
  readonly size: number;
  readonly seed: string;
  /** Absent: one sample of all matches. More than MAX_IN_GROUPS records in all groups throw an EngineLimit. */
  readonly per?: SampleGroup;
}

export interface SamplePage extends Sample {
  readonly order: 'sample';
  /** More bytes than this in all records (counted as in pages.ts) throw an EngineLimit; absent: no limit. */
  readonly maxBytes?: number;
}

export const DEFAULT_SEED = '1';
export const MAX_SEED = 64;

export function isSeed(text: string): boolean {
  return text.length <= 2 * MAX_SEED && [...text].length <= MAX_SEED;
}

export const MAX_IN_GROUPS = 10_000;

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
 * The first 32 bits of the rank of a record with this `contentHash`, 0 to 2^32 − 1. Both halves of a rank come from
 * rounds of MurmurHash3's finaliser: different hashes have different ranks, whatever the seed.
 */
export function rankHigh(key: RankKey, high: number, low: number): number {
  return finalised(high ^ key.high ^ finalised(low ^ key.low)) >>> 0;
}

/** The other 32 bits: `low` is the low half of the record's hash, `rank` its `rankHigh`. */
export function rankLow(key: RankKey, rank: number, low: number): number {
  return finalised(finalised(low ^ key.low) ^ rank ^ key.last) >>> 0;
}

export function rankOf(key: RankKey, { high, low }: Hash64): Hash64 {
  const rank = rankHigh(key, high, low);
  return { high: rank, low: rankLow(key, rank, low) };
}

/** The `contentHash` that `rankOf` gives this rank. */
export function hashOfRank(key: RankKey, { high: rank, low }: Hash64): Hash64 {
  const mixed = unfinalised(low) ^ rank ^ key.last;
  return {
    high: (unfinalised(rank) ^ key.high ^ mixed) >>> 0,
    low: (unfinalised(mixed) ^ key.low) >>> 0,
  };
}

/** Compares two ranks; 0 leaves it to the ids. */
export function compareRanks(a: Hash64, b: Hash64): number {
  return a.high - b.high || a.low - b.low;
}

/** Two samples with the same seed: one of the matches, one of the matches of the question's `of`. */
export interface WordsRequest extends Omit<Sample, 'per'> {
  /** Words that fewer records than this have, in both samples together, are left out. */
  readonly least: number;
}

export interface WordCounts {
  readonly sample: SampledTexts;
  readonly ofSample?: SampledTexts;
  /** Ordered by code unit. */
  readonly words: readonly WordUses[];
}

export interface SampledTexts {
  readonly records: number;
  /** Pairs of a record and a token that it has. */
  readonly tokens: number;
}

export interface WordUses {
  readonly word: string;
  /** Records of the sample that have it. */
  readonly count: number;
  /** Records of the sample of the question's `of` that have it. */
  readonly of: number;
}

export interface CopiesFound {
  readonly id: string;
  /** Unix seconds. */
  readonly first: number;
  readonly last: number;
  readonly communities: number;
}
