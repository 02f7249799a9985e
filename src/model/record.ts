// What a record is, as the engines hold it: the fields of contract 5.7 and 5.8, and the few more that matching,
// ranking of copies and facts on communities need. Authors are not among them.

export type Kind = 'post' | 'comment';

/** Both kinds, in the order in which lists of both are given. */
export const KINDS: readonly Kind[] = ['post', 'comment'];

export function otherKind(kind: Kind): Kind {
  return kind === 'post' ? 'comment' : 'post';
}

/** Times are Unix seconds, 0 to this. */
export const MAX_TIME = 4_294_967_295;

/** A text is cut at this many bytes of UTF-8. */
export const MAX_TEXT_BYTES = 1_048_576;

interface StoredFields {
  /** Without `t3_` / `t1_`: 1 to 64 letters, digits, `_`, `-`. Unique within its kind. */
  readonly id: string;
  /** Name of the community, lower case, without `/r/`. */
  readonly community: string;
  /** Id of the community without `t5_`; empty where the source did not say. */
  readonly communityId: string;
  /** Unix seconds, 0 to MAX_TIME. */
  readonly created: number;
  /** Relative (begins with `/`), or absolute as the source gave it. */
  readonly permalink: string;
  readonly score: number;
  /** Unix seconds at which the source says the copy was taken; 0 where it does not say. */
  readonly retrieved: number;
  /** True where the text was deleted or removed at the source: the text is then `[deleted]` or `[removed]`. */
  readonly withdrawn: boolean;
}

export interface StoredPost extends StoredFields {
  readonly kind: 'post';
  /** As the source spells it: `self.<Community>` for text posts, may be empty. */
  readonly domain: string;
  readonly title: string;
  readonly selftext: string;
  /** null for a text post, and for a link whose address the source lost. */
  readonly url: string | null;
  /** The post's own `over_18`; null where the source did not say. */
  readonly adult: boolean | null;
}

export interface StoredComment extends StoredFields {
  readonly kind: 'comment';
  readonly body: string;
  /** VADER compound, −1 to 1, 4 decimals; null where unrated. */
  readonly sentiment: number | null;
  /** Id of the post it belongs to, without `t3_`; empty where unknown. */
  readonly post: string;
  /** Ratings that imports brought along, one a body at most, by hash up; empty for most and for withdrawn comments. */
  readonly ratings: readonly GivenRating[];
}

/** A rating from a dataset: it holds for the body of this hash, whichever copy of the comment is the current one. */
export interface GivenRating {
  /** `hash53` of the body. */
  readonly bodyHash: number;
  readonly rating: number | null;
}

export type StoredRecord = StoredPost | StoredComment;

/** The texts that words are searched in. A phrase stands inside one of them. */
export function searchedTexts(record: StoredRecord): readonly string[] {
  return record.kind === 'post' ? [record.title, record.selftext] : [record.body];
}

/** True for a post without a link: its domain is then `self.<community>`. */
export function isTextPost(record: Pick<StoredPost, 'domain' | 'url'>): boolean {
  return record.url === null && record.domain.startsWith('self.');
}
