// The byte budget of a page, which ends a page of large records before its limit. Every engine counts the
// size of a record in the same way, so all of them end a page at the same place.

import type { StoredRecord } from './record.ts';

/** Of a page of the API, which is at most so large but for a tie that may not be split. */
export const MAX_PAGE_BYTES = 8_388_608;

/** Of the records that one page for reading is made of, which shows their texts in part: ten of the largest fit. */
export const MAX_SHOWN_BYTES = 2 * MAX_PAGE_BYTES;

/** Bytes that a record counts besides its texts: names of fields, numbers, its community. */
const RECORD_BYTES = 512;

/** JSON writes a UTF-16 unit as six bytes at most (`\u0001`). */
const MAX_BYTES_OF_UNIT = 6;

/** Bytes that a record counts: its texts as strings of JSON in UTF-8, quotes included, and RECORD_BYTES. */
export function countedBytes(record: StoredRecord): number {
  return textsOf(record).reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), RECORD_BYTES);
}

/**
 * Adds up the records of a page. Measures them exactly only if a coarse bound does not show that they fit.
 */
export class PageBudget {
  readonly #maxBytes: number;
  #bytes = 0;
  /** Records that `#bytes` includes with their bound. */
  #unmeasured: StoredRecord[] = [];

  /** Absent: everything fits. */
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

function textsOf(record: StoredRecord): readonly string[] {
  return record.kind === 'post'
    ? [record.permalink, record.domain, record.url ?? '', record.title, record.selftext]
    : [record.permalink, record.body];
}

/** Never below `countedBytes`. */
function boundOf(record: StoredRecord): number {
  const bound = (text: string) => text.length * MAX_BYTES_OF_UNIT + 2;
  return textsOf(record).reduce((sum, text) => sum + bound(text), RECORD_BYTES);
}
