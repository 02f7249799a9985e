// The records of a page as text, made in the thread that read them, so that the one that asked only copies bytes. How
// records become text is the business of a printer, a module that an engine loads in that thread; engines know nothing
// of what it writes.

import type { ArrivalTime } from './arrival-time.ts';
import type { Community } from './community.ts';
import type { CommunityEvidence } from './evidence.ts';
import type { StoredRecord } from './record.ts';

/** What a printer module exports as `printRecords`. */
export type PrintRecords = (found: FoundRecords, options: PrintOptions) => PrintedRecords;

export interface FoundRecords {
  readonly records: readonly StoredRecord[];
  /** Of each record; absent: it was not asked for. */
  readonly arrived?: readonly ArrivalTime[];
  /** Of their communities; absent: it was not asked for. */
  readonly evidence?: ReadonlyMap<string, CommunityEvidence>;
}

export interface PrintOptions {
  /** Those of each record, by name; null: the usual ones. */
  readonly fields: readonly string[] | null;
  /** Stands before an address without a host. */
  readonly permalinkBase: string;
}

export interface PrintedRecords {
  /** UTF-8, of all records in their order, with memory of its own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /**
   * Places in `bytes`, upwards, where the community of a record stands, as JSON: what is known of it from elsewhere may
   * make another of it.
   */
  readonly places: Uint32Array;
  /** Of each place its community, by its number in `communities`. */
  readonly of: Uint32Array;
  /** As the records show them, each once: an id that a record gives comes before what the others say. */
  readonly communities: readonly Community[];
}
