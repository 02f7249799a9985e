// The outcome of one object of a source, and all reasons for a rejection or a skip. docs/importing.md has the same
// table for users; a test compares the two.

import type { CommunityClaim } from '../../model/community.ts';
import type { StoredRecord } from '../../model/record.ts';

export type Outcome =
  | {
      readonly kind: 'record';
      readonly record: StoredRecord;
      readonly claim: CommunityClaim | null;
      /** True if a text was cut at MAX_TEXT_BYTES, or a domain was too long and dropped. */
      readonly isCut: boolean;
    }
  /** A row of a dump of communities; `nsfw` null: it does not say. */
  | { readonly kind: 'community'; readonly claim: CommunityClaim }
  | { readonly kind: 'rejected'; readonly reason: Rejection }
  | { readonly kind: 'skipped'; readonly reason: Skip };

export function rejected(reason: Rejection): Outcome {
  return { kind: 'rejected', reason };
}

export function skipped(reason: Skip): Outcome {
  return { kind: 'skipped', reason };
}

/** Rejected: not usable as a record. Reason → what was wrong. */
export const REJECTIONS = {
  bad_json: 'not JSON, or JSON nested more than 10,000 levels deep or with more than a million brackets',
  too_long: 'longer than 16 MiB',
  bad_row: 'a CSV row with more cells than the header, or with an open quote',
  not_a_record: 'neither a post (`title`) nor a comment (`body`)',
  no_id: 'neither `id` nor `name`',
  bad_id: 'the id is not 1 to 64 letters, digits, `_` or `-`',
  no_community: 'the record names no community (for a file from one community, use `--community`)',
  bad_community:
    'the community name contains a space, comma, slash or plus, or is longer than 128 characters',
  bad_time: '`created_utc` is neither a whole number of seconds from 0 to 4294967295 nor an ISO 8601 time',
  no_text: 'a post without `title`, or a comment without `body`',
  bad_score: '`score` is not a whole number within ±2147483647',
  bad_rating: '`sentiment` is not a number from -1 to 1',
} as const satisfies Record<string, string>;

/** Skipped: understood, but left out on purpose. Reason → what it was. */
export const SKIPS = {
  promoted: 'an advertisement (`promoted`)',
  placeholder: 'a "load more comments" placeholder of an API listing',
  other_thing: 'something else in an API listing: an account, a message, an award',
  removed: 'removed with `colloquy remove`',
  where: 'does not match `--where`',
} as const satisfies Record<string, string>;

export type Rejection = keyof typeof REJECTIONS;
export type Skip = keyof typeof SKIPS;

export type Tally<Reason extends string> = Partial<Record<Reason, number>>;

export function count<Reason extends string>(tally: Tally<Reason>, reason: Reason, by = 1): void {
  tally[reason] = (tally[reason] ?? 0) + by;
}

export function addTally<Reason extends string>(into: Tally<Reason>, from: Tally<Reason>): void {
  for (const reason of Object.keys(from) as Reason[]) count(into, reason, from[reason]);
}

export function totalOf<Reason extends string>(tally: Tally<Reason>): number {
  return (Object.values(tally) as number[]).reduce((sum, n) => sum + n, 0);
}
