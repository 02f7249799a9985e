// What analyses ask of an engine beyond counts and rows: the limits of breakdowns; breakdowns by a scale;
// queries compared; random samples; counts of words.

import { finalised, type Hash64, HashInput } from './hash.ts';
import type { Query } from './query.ts';
import type { StoredRecord } from './record.ts';
import { DAY, HOUR } from './time.ts';

/** Buckets of all rows of a breakdown together, or of all communities of a coverage. */
export const MAX_CELLS = 100_000;
/** Matches among which copies are looked for. */
export const MAX_COPIED = 2_000_000;
/** Of the text of a copy that is the name of its row: longer ones are cut at a character. */
export const COPY_NAME_CHARACTERS = 200;

/** A field whose breakdown has all of its values, in an order of their own, with every record at one of them. */
export type ScaleField = 'score' | 'sentiment' | 'weekday_hour';

const SCALE_FIELDS: readonly ScaleField[] = ['score', 'sentiment', 'weekday_hour'];

/** Where bands of scores end: scores at most this. The embedded engine keeps a list for each of them. */
export const SCORES_AT_MOST = [-20, -5, -1, 0] as const;
export const SCORES_AT_LEAST = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000, 5000] as const;

/** Both ends are in it. */
interface ScoreBand {
  readonly min: number;
  readonly max: number;
}

/** Up, without overlap: every score is in one of them. */
export const SCORE_BANDS: readonly ScoreBand[] = [
  ...SCORES_AT_MOST.map((max, i) => ({ min: i === 0 ? -Infinity : SCORES_AT_MOST[i - 1]! + 1, max })),
  ...SCORES_AT_LEAST.map((min, i) => ({ min, max: (SCORES_AT_LEAST[i + 1] ?? Infinity) - 1 })),
];

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

export function placeOn(field: ScaleField, record: StoredRecord): number {
  if (field === 'score') return scoreBand(record.score);
  if (field === 'weekday_hour') return weekdayHour(record.created);
  return sentimentPlace(record.kind === 'comment' ? record.sentiment : null);
}

export function scoreBand(score: number): number {
  return SCORE_BANDS.findIndex(({ max }) => score <= max);
}

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

/** What is asked of a question's own query and others of its kind. */
export interface ComparedRequest {
  /** The others. The question's `under` holds for them too. */
  readonly with: readonly Query[];
  /** How many communities of each query are in the rows, from the highest count down. */
  readonly communities: number;
}

/** Queries have numbers: 0 is the question's own, then come the others in their order. */
export interface Compared {
  /** By number of one, then of another: exactly how many records match both; of one and itself, its matches. */
  readonly both: readonly (readonly number[])[];
  /** Counts of all queries together down, then name by code unit. */
  readonly communities: readonly ComparedCommunity[];
  /** By number of the query: exact. Absent where the engine keeps no ratings apart. */
  readonly ratings?: readonly SummedRatings[];
}

interface ComparedCommunity {
  readonly name: string;
  /** By number of the query, whether or not the community is among its highest. */
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

/** What a sample may be drawn of one by one. Months are of the calendar, in UTC. */
export type SampleGroup = 'community' | 'month';

/**
 * A random sample that anybody can draw again. A record has a rank, which a seed and its content alone make; the sample
 * is the records of the lowest ranks. So one of 500 lies inside one of 1,000 of the same seed, and equal records give
 * equal samples, on any machine and after any order of imports.
 */
export interface Sample {
  /** How many records, 1 or more; of each group where there are groups. */
  readonly size: number;
  readonly seed: string;
  /** Absent: of all matches together. More than MAX_IN_GROUPS records of all groups are an EngineLimit. */
  readonly per?: SampleGroup;
}

export interface SamplePage extends Sample {
  readonly order: 'sample';
  /** Records that are larger together, counted as in pages.ts, are an EngineLimit; absent: no limit. */
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

export function rankOf(key: RankKey, { high, low }: Hash64): Hash64 {
  const rank = rankHigh(key, high, low);
  return { high: rank, low: rankLow(key, rank, low) };
}

/** Of two ranks, in their order; 0: the ids decide. */
export function compareRanks(a: Hash64, b: Hash64): number {
  return a.high - b.high || a.low - b.low;
}

/** Of each side alike: a sample of the matches, and with the same seed one of those of the question's `of`. */
export interface WordsRequest extends Omit<Sample, 'per'> {
  /** Words that fewer records of both samples together have are not given. */
  readonly least: number;
}

export interface WordCounts {
  readonly sample: SampledTexts;
  readonly ofSample?: SampledTexts;
  /** By code unit. */
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
  /** In the sample of the question's `of`; 0 where it has none. */
  readonly of: number;
}

export interface CopiesFound {
  readonly id: string;
  /** Unix seconds. */
  readonly first: number;
  readonly last: number;
  readonly communities: number;
}
