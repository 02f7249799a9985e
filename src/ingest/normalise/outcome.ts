// What becomes of one object of a source.

import type { CommunityClaim } from '../../model/claims.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Rejection, Skip } from './reasons.ts';

export type Outcome =
  | {
      readonly kind: 'record';
      readonly record: StoredRecord;
      /** What the source says of the record's community; null where it says nothing. */
      readonly claim: CommunityClaim | null;
      /** True where a text was cut at MAX_TEXT_BYTES, or a domain left out that is longer than any. */
      readonly isCut: boolean;
    }
  /** A row of a dump of communities; `nsfw` null where it does not say. */
  | { readonly kind: 'community'; readonly claim: CommunityClaim }
  | { readonly kind: 'rejected'; readonly reason: Rejection }
  | { readonly kind: 'skipped'; readonly reason: Skip };

export function rejected(reason: Rejection): Outcome {
  return { kind: 'rejected', reason };
}

export function skipped(reason: Skip): Outcome {
  return { kind: 'skipped', reason };
}
