// What becomes of one object of a source.

import type { StoredRecord } from '../../model/record.ts';
import type { Rejection, Skip } from '../reasons.ts';

export type Outcome =
  | {
      readonly kind: 'record';
      readonly record: StoredRecord;
      /** What the source says of the record's community; null where it says nothing. */
      readonly claim: CommunityClaim | null;
      /** True where a text was cut at MAX_TEXT_BYTES. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'community'; readonly community: DumpedCommunity }
  | { readonly kind: 'rejected'; readonly reason: Rejection }
  | { readonly kind: 'skipped'; readonly reason: Skip };

/** A dataset row's or API record's word on its community. */
export interface CommunityClaim {
  /** Lower case. */
  readonly name: string;
  readonly nsfw: boolean;
  /** `created_utc` of the record that says it: the newest record wins. */
  readonly created: number;
  /** Without `t5_`; empty where not said. */
  readonly id: string;
}

/** A row of a dump of communities. */
export interface DumpedCommunity {
  /** Lower case. */
  readonly name: string;
  /** null where the dump does not say. */
  readonly nsfw: boolean | null;
  /** Unix seconds at which the row was taken; 0 where the dump does not say. */
  readonly retrieved: number;
  /** Without `t5_`; empty where not said. */
  readonly id: string;
}

export function rejected(reason: Rejection): Outcome {
  return { kind: 'rejected', reason };
}

export function skipped(reason: Skip): Outcome {
  return { kind: 'skipped', reason };
}
