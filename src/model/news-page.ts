// The matches of a question that came in last, page by page; of old records, such as a late dump brings, only how many.

import { hourOf } from './arrival-time.ts';
import { compareIds } from './order.ts';
import type { StoredRecord } from './record.ts';

/**
 * Asks for the matches by arrival down, those of one arrival by the order `newest`. Records of which it is not known
 * when they came in are not among them. Without a `since` all others are.
 */
export interface NewsRequest {
  /** How many records at the most; 0: none, but what is older is counted. */
  readonly limit: number;
  /** Goes on behind this record; absent: from the last arrival on. */
  readonly after?: NewsPosition;
  /**
   * Seconds. Records that were created longer before they came in are not given but counted by arrival; null: all are
   * given. See `isOlder`.
   */
  readonly maxAge: number | null;
}

/** The place of a record among the news. */
export interface NewsPosition {
  readonly arrival: number;
  /** Unix seconds. */
  readonly created: number;
  readonly id: string;
}

export interface News {
  /** In their order. */
  readonly records: readonly NewRecord[];
  /** Exact: whether a record comes behind these. */
  readonly hasMore: boolean;
  /**
   * What is older than `maxAge`, by arrival down. Each arrival is on one page: where records of it are given or passed
   * over, on the one behind whose end no more of them come.
   */
  readonly older: readonly OlderRecords[];
}

export interface NewRecord {
  readonly record: StoredRecord;
  readonly arrival: number;
  /** Unix seconds, as the time of an arrival is told (arrival-time.ts). */
  readonly time: number;
}

export interface OlderRecords {
  readonly arrival: number;
  /** As of a record. */
  readonly time: number;
  readonly count: number;
}

/** Where the next page goes on; null: there is none. */
export function nextNews({ records, hasMore }: News): NewsPosition | null {
  const last = records.at(-1);
  if (last === undefined || !hasMore) return null;
  return { arrival: last.arrival, created: last.record.created, id: last.record.id };
}

/**
 * Whether a record that was created at one second was older than `maxAge` when it came in at the other. By the hour of
 * the arrival, which is told for ever, so that what was old once stays so.
 */
export function isOlder(created: number, time: number, maxAge: number | null): boolean {
  return maxAge !== null && ageAt(created, time) > maxAge;
}

/** Seconds from creation to the beginning of the hour of the arrival; negative where it was created later. */
export function ageAt(created: number, time: number): number {
  return hourOf(time) * HOUR - created;
}

const HOUR = 3_600;

/** In the order of news. */
export function compareNews(a: NewsPosition, b: NewsPosition): number {
  return b.arrival - a.arrival || b.created - a.created || compareIds(b.id, a.id);
}

/** The arrivals whose older records are told on a page: `least < arrival <= most`. */
export function olderOn(
  { after }: Pick<NewsRequest, 'after'>,
  records: readonly Pick<NewRecord, 'arrival'>[],
  hasMore: boolean,
): { readonly least: number; readonly most: number } {
  const last = records.at(-1)?.arrival ?? 0;
  return { least: hasMore ? last : 0, most: after?.arrival ?? Infinity };
}
