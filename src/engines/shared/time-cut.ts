// Where a page by time ends and the next one begins (contract 4.1 and 4.3), told match by match.

import type { Page } from '../../model/engine.ts';
import {
  MAX_GIVEN_IN_SECOND,
  PageBudget,
  type TimePageRequest,
  type TimePosition,
} from '../../model/pages.ts';
import type { StoredRecord } from '../../model/record.ts';

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
  #end: Omit<Page, 'records'> | null = null;

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
  get end(): Omit<Page, 'records'> {
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
