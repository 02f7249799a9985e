// The pages of an answer: the total order of records, and where a page ends and the next begins. And records asked for
// by their names; a page of a thread, and the place that each comment has in it. Contract 4.1 and 4.3; search/asking.ts
// turns a position into the number that callers see.

import { type StoredRecord, searchedTexts } from './record.ts';
import { HOUR, hourOf } from './time.ts';

export type Order = 'newest' | 'oldest' | 'top';

export const ORDERS: readonly Order[] = ['newest', 'oldest', 'top'];

/** Scores above and below this bound rank as equal to it. */
export const SCORE_BOUND = 1_000_000;

/** A page that would end inside a second after more of its records goes on to the end of that second. */
export const MAX_GIVEN_IN_SECOND = 999;

/** Compares by length, then by code unit, so base-36 numbers are in numeric order. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The lesser id by `compareIds`; an empty one does not count. */
export function leastId(a: string, b: string): string {
  if (a === '' || b === '') return a || b;
  return compareIds(a, b) <= 0 ? a : b;
}

export function rankingScore(score: number): number {
  return Math.max(-SCORE_BOUND, Math.min(SCORE_BOUND, score));
}

export interface TimePosition {
  readonly second: number;
  /**
   * How many matching records of that second have been given, in the total order; 'all': the next page begins
   * after that second.
   */
  readonly given: number | 'all';
}

/** Where the next page of `top` begins: after every record of this score (clamped to the bound) and second. */
export interface TopPosition {
  readonly score: number;
  readonly second: number;
}

export type PagePosition = TimePosition | TopPosition;

export interface PageSize {
  readonly limit: number;
  /**
   * Bytes (`countedBytes`) that a page may have, unless it cannot end there. It has at least one record. Absent: no
   * budget.
   */
  readonly maxBytes?: number;
}

export interface TimePageRequest extends PageSize {
  readonly order: 'newest' | 'oldest';
  readonly after: TimePosition | null;
}

export interface TopPageRequest extends PageSize {
  readonly order: 'top';
  readonly after: TopPosition | null;
}

export type PageRequest = TimePageRequest | TopPageRequest;

/** Throws a TypeError if the position does not belong to this order. */
export function pageRequest(order: Order, after: PagePosition | null, size: PageSize): PageRequest {
  if (order === 'top') {
    if (after === null || isOfTop(after)) return { ...size, order, after };
  } else if (after === null || !isOfTop(after)) return { ...size, order, after };
  throw new TypeError(`expected a place of the order ${order}, found ${JSON.stringify(after)}`);
}

export function isOfTop(position: PagePosition): position is TopPosition {
  return 'score' in position;
}

/** The largest page of the API, unless a tie that may not be split is larger. */
export const MAX_PAGE_BYTES = 8_388_608;

/** The largest page for reading, which shows parts of texts: ten of the largest records fit. */
export const MAX_SHOWN_BYTES = 2 * MAX_PAGE_BYTES;

/** Bytes that a record counts besides its texts: field names, numbers, the community. */
const RECORD_BYTES = 512;

/** JSON writes a UTF-16 unit as six bytes at most (`\u0001`). */
const MAX_BYTES_OF_UNIT = 6;

/**
 * Bytes of a record: its texts as JSON strings in UTF-8, plus RECORD_BYTES. The same for every engine, so pages end
 * alike.
 */
export function countedBytes(record: StoredRecord): number {
  return textsOf(record).reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), RECORD_BYTES);
}

/** Adds up the records of a page. Measures them exactly only if an upper bound does not show that they fit. */
export class PageBudget {
  readonly #maxBytes: number;
  #bytes = 0;
  /** Records whose upper bound is in `#bytes`. */
  #unmeasured: StoredRecord[] = [];

  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** Counts the record; false if it takes the page over its budget. */
  fits(record: StoredRecord): boolean {
    if (this.#maxBytes === Infinity) return true;
    this.#bytes += boundOf(record);
    this.#unmeasured.push(record);
    if (this.#bytes <= this.#maxBytes) return true;
    for (const counted of this.#unmeasured) this.#bytes += countedBytes(counted) - boundOf(counted);
    this.#unmeasured = [];
    return this.#bytes <= this.#maxBytes;
  }
}

/** What a page says besides its records. */
interface PageEnd {
  readonly next: TimePosition | null;
  readonly hasMore: boolean;
  readonly isShort: boolean;
}

/** Where a page by time ends and the next one begins, told match by match. */
export class TimeCut {
  readonly #request: TimePageRequest;
  readonly #budget: PageBudget;
  /** The second of the last match, and how many matches of that second were before it. */
  #second = -1;
  #place = 0;
  /** How many records are on the page, and the second of the last. */
  #given = 0;
  #last = -1;
  /** True after the limit or the budget: the page goes on to the end of its last second. */
  #isExtended = false;
  #end: PageEnd | null = null;

  constructor(request: TimePageRequest) {
    this.#request = request;
    this.#budget = new PageBudget(request.maxBytes);
  }

  /**
   * Takes the next match, whose record `read` reads. Returns the record if it is on the page; null: it was on an
   * earlier one; 'end': the page ends before it.
   */
  take(second: number, read: () => StoredRecord): StoredRecord | null | 'end' {
    const { after, limit } = this.#request;
    const isNewSecond = second !== this.#second;
    this.#place = isNewSecond ? 0 : this.#place + 1;
    this.#second = second;
    if (isGiven(after, second, this.#place)) return null;
    const isFull = this.#given >= limit;
    const record = isFull ? null : read();
    const fits = record === null || this.#budget.fits(record);
    if (this.#given > 0 && (isFull || !fits || this.#isExtended)) {
      if (isNewSecond || (!this.#isExtended && this.#place <= MAX_GIVEN_IN_SECOND)) {
        const next: TimePosition = isNewSecond ? this.#afterLast : { second, given: this.#place };
        this.#end = { next, hasMore: true, isShort: !isFull };
        return 'end';
      }
      this.#isExtended = true;
    }
    this.#given++;
    this.#last = second;
    return record ?? read();
  }

  /** What the page says besides its records, once it has ended or there are no more matches. */
  get end(): PageEnd {
    const next = this.#given === 0 ? null : this.#afterLast;
    return this.#end ?? { next, hasMore: false, isShort: false };
  }

  get #afterLast(): TimePosition {
    return { second: this.#last, given: 'all' };
  }
}

/** Whether a match of this second, so many of which come before it, was on an earlier page. */
function isGiven(after: TimePosition | null, second: number, place: number): boolean {
  return after !== null && after.given !== 'all' && second === after.second && place < after.given;
}

function textsOf(record: StoredRecord): readonly string[] {
  return record.kind === 'post'
    ? [record.permalink, record.domain, record.url ?? '', record.title, record.selftext]
    : [record.permalink, record.body];
}

/** An upper bound of `countedBytes`. */
function boundOf(record: StoredRecord): number {
  const bound = (text: string) => text.length * MAX_BYTES_OF_UNIT + 2;
  return textsOf(record).reduce((sum, text) => sum + bound(text), RECORD_BYTES);
}

/**
 * Whether a copy that replaces `before` is news: its text, title, URL or withdrawal has changed. A new score, rating or
 * parent alone is not, since every import of newer scores would be news.
 */
export function isNews(before: StoredRecord, after: StoredRecord): boolean {
  if (before.withdrawn !== after.withdrawn || urlOf(before) !== urlOf(after)) return true;
  const texts = searchedTexts(before);
  return searchedTexts(after).some((text, i) => text !== texts[i]);
}

function urlOf(record: StoredRecord): string | null {
  return record.kind === 'post' ? record.url : null;
}

/**
 * Asks for the matches by arrival, descending, and within an arrival in the order `newest`. Records without a known
 * arrival are left out. Without `since`, all others are included.
 */
export interface NewsRequest {
  readonly limit: number;
  /** Begins after this record; absent: with the last arrival. */
  readonly after?: NewsPosition;
  /** Seconds. Records older than this at their arrival are only counted (`isOlder`). null: all are given. */
  readonly maxAge: number | null;
}

export interface NewsPosition {
  readonly arrival: number;
  /** Unix seconds. */
  readonly created: number;
  readonly id: string;
}

export interface News {
  readonly records: readonly NewRecord[];
  readonly hasMore: boolean;
  /**
   * Counts of older records, by arrival descending. Each arrival is counted on one page: the one on which its last
   * other record stands.
   */
  readonly older: readonly OlderRecords[];
}

export interface NewRecord {
  readonly record: StoredRecord;
  readonly arrival: number;
  /** Unix seconds of the arrival (time.ts). */
  readonly time: number;
}

export interface OlderRecords {
  readonly arrival: number;
  readonly time: number;
  readonly count: number;
}

export function nextNews({ records, hasMore }: News): NewsPosition | null {
  const last = records.at(-1);
  if (last === undefined || !hasMore) return null;
  return { arrival: last.arrival, created: last.record.created, id: last.record.id };
}

/**
 * Whether a record created at `created` was older than `maxAge` when it came in. Goes by the hour of the arrival, which
 * never changes, so that the answer never changes.
 */
export function isOlder(created: number, time: number, maxAge: number | null): boolean {
  return maxAge !== null && ageAt(created, time) > maxAge;
}

/** Seconds from the creation to the beginning of the arrival's hour; negative if the creation is later. */
export function ageAt(created: number, time: number): number {
  return hourOf(time) * HOUR - created;
}

export function compareNews(a: NewsPosition, b: NewsPosition): number {
  return b.arrival - a.arrival || b.created - a.created || compareIds(b.id, a.id);
}

/** The arrivals whose older records are counted on a page: `least < arrival <= most`. */
export function olderOn(
  { after }: Pick<NewsRequest, 'after'>,
  records: readonly Pick<NewRecord, 'arrival'>[],
  hasMore: boolean,
): { readonly least: number; readonly most: number } {
  const last = records.at(-1)?.arrival ?? 0;
  return { least: hasMore ? last : 0, most: after?.arrival ?? Infinity };
}

interface ThreadPageSize extends PageSize {
  /** Id of a comment: this one, everything above it and its direct answers. Absent: all comments. */
  readonly around?: string;
}

/**
 * A page of the comments of one post. `oldest`: by time, in pages that end where those of the order of records do
 * (pages.ts); `tree`: each comment in front of what answers it (ThreadShape).
 */
export type ThreadRequest = ThreadPageSize &
  (
    | { readonly order: 'oldest'; readonly after: TimePosition | null }
    /** How many comments to leave out first. */
    | { readonly order: 'tree'; readonly from: number }
    /** The page with this comment, of pages of `limit` from the first on; the first where it is not here. */
    | { readonly order: 'tree'; readonly at: string }
  );

export interface ThreadPart {
  readonly listed: number;
  readonly start: number;
  readonly places: readonly ThreadPlace[];
}

export interface ThreadComment {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** Id of its post; empty if unknown. */
  readonly post: string;
  /** Id of what it answers: `post` at the top level; empty if unknown. */
  readonly parent: string;
}

export interface ThreadPlace {
  /**
   * Comments between it and the post; 0 answers the post. null: the way up ends at a missing or unknown one, or in a
   * circle.
   */
  readonly depth: number | null;
  /** How many comments lie above it in the tree. Equal to `depth` where that is known. */
  readonly level: number;
}
