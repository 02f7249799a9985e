// The records of a page as text, made in the thread that read them, so that the one that asked only copies bytes. How
// records become text is the business of a printer, a module that an engine loads in that thread; engines know nothing
// of what it writes.

import type { ArrivalTime } from './arrival-time.ts';
import type { StoredRecord } from './record.ts';

/** What a printer module exports as `printRecords`. `arrived`: of each record; absent: it was not asked for. */
export type PrintRecords = (
  records: readonly StoredRecord[],
  arrived: readonly ArrivalTime[] | undefined,
  options: PrintOptions,
) => PrintedRecords;

export interface PrintOptions {
  /** Those of each record, by name; null: the usual ones. */
  readonly fields: readonly string[] | null;
  /** Stands before an address without a host. */
  readonly permalinkBase: string;
}

/** What stands for a community, whatever it is: to be left out. */
export const GAP_BYTES = 3;

export interface PrintedRecords {
  /** UTF-8, of all records in their order, with memory of its own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /**
   * Places in `bytes`, upwards, where GAP_BYTES each stand for the community of a record: what is known of it is known
   * elsewhere.
   */
  readonly gaps: Uint32Array;
  /** Of each gap its community, a place in `communities`. */
  readonly of: Uint32Array;
  /** Each once. */
  readonly communities: readonly PrintedCommunity[];
}

/** A community as a record names it. */
export interface PrintedCommunity {
  readonly name: string;
  /** Its id, as the record gives it; empty: it does not. */
  readonly id: string;
}
