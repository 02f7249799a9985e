// The interpreted query: what a caller meant, ready for an engine, and printed in its canonical form.
// search/ makes it from text; engines read it through conditions.ts.

import type { Kind } from './record.ts';

/** One word of a query. `typed` is how it was written, without quotes or `*`. */
export type Word =
  | { readonly kind: 'term'; readonly token: string; readonly typed: string }
  /** Two tokens or more, adjacent, in order, inside one text. */
  | { readonly kind: 'phrase'; readonly tokens: readonly string[]; readonly typed: string }
  /** Any token that starts with it; `prefix` is folded like a token. */
  | { readonly kind: 'prefix'; readonly prefix: string; readonly typed: string };

export type PrefixWord = Extract<Word, { readonly kind: 'prefix' }>;

export type QueryItem =
  /** Any of the words; negated: none of them. Never empty. */
  | { readonly kind: 'words'; readonly words: readonly Word[]; readonly negated: boolean }
  /** Lower case, without `/r/`. */
  | { readonly kind: 'community'; readonly name: string; readonly negated: boolean }
  /** Normalised (text/domains.ts): a host without `www.`, punycode, lower case; or `self`, or `self.<name>`. */
  | { readonly kind: 'site'; readonly domain: string; readonly negated: boolean }
  /** Id of a post, without `t3_`. */
  | { readonly kind: 'post'; readonly id: string; readonly negated: boolean }
  | { readonly kind: 'id'; readonly record: RecordName; readonly negated: boolean }
  /** Both ends belong to the range; null is open. */
  | { readonly kind: 'score'; readonly min: number | null; readonly max: number | null }
  /** `created < time`: Unix seconds, 0 to MAX_QUERY_TIME. */
  | { readonly kind: 'before'; readonly time: number }
  /** `created >= time`. */
  | { readonly kind: 'after'; readonly time: number };

/** 9999-12-31T23:59:59 UTC. */
export const MAX_QUERY_TIME = 253_402_300_799;

/** A record by its id, which is unique among the records of its kind. */
export interface RecordName {
  /** Without prefix. If `of` is null, it does not start with `t1_`, `t3_` or `t5_`. */
  readonly id: string;
  /** null: of either kind. */
  readonly of: Kind | null;
}

/** Items in the order given. No item: every record matches. */
export interface Query {
  readonly items: readonly QueryItem[];
}

/** A query in `under` that matches more posts, in the index, is refused. */
export const MAX_POSTS_UNDER = 100_000;

/** A prefix with which more different tokens start, in the index of its kind, is refused. */
export const MAX_PREFIX_TOKENS = 100_000;
