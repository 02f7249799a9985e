// Records asked for by their ids, whatever they say.

import type { ArrivalTime } from './arrival-time.ts';
import type { CommunityEvidence } from './evidence.ts';
import type { IndexFingerprint } from './index-fingerprint.ts';
import type { Kind, StoredRecord } from './record.ts';

/** How many may be asked for at once: all of them are held in memory. */
export const MAX_NAMED_RECORDS = 1_000;

/** Their bytes together, each counted as on a page (page-budget.ts). */
export const MAX_NAMED_BYTES = 67_108_864;

export interface NamedRequest {
  readonly kind: Kind;
  /** At most MAX_NAMED_RECORDS, without prefix. */
  readonly ids: readonly string[];
  /** What is known of their communities. */
  readonly evidence?: boolean;
  /** When they came in. */
  readonly arrived?: boolean;
  /** An EngineLimit if all of them together count more, absent: of no size. */
  readonly maxBytes?: number;
  /** As that of a Question (engine.ts). */
  readonly timeoutMs?: number;
}

export interface NamedRecords {
  /** Those that are found, in the order of the ids, each once. */
  readonly records: readonly StoredRecord[];
  /** Of their communities, as that of an Answer (engine.ts). */
  readonly evidence?: ReadonlyMap<string, CommunityEvidence>;
  /** Of each of the records. */
  readonly arrived?: readonly ArrivalTime[];
  /** Of the view that they are from. */
  readonly index: IndexFingerprint;
}
