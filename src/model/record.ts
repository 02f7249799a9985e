// A record as engines store it: the fields of contract 5.1, and some for matching, ranking copies and facts about
// communities. Authors are not stored.

export type Kind = 'post' | 'comment';

/** Both kinds, in the order of every list of kinds. */
export const KINDS: readonly Kind[] = ['post', 'comment'];

export const KIND_NAMES = { post: 'posts', comment: 'comments' } as const satisfies Record<Kind, string>;

export type KindName = (typeof KIND_NAMES)[Kind];

export function otherKind(kind: Kind): Kind {
  return kind === 'post' ? 'comment' : 'post';
}

/** The latest time of a record, in Unix seconds; the earliest is 0. */
export const MAX_TIME = 4_294_967_295;

/** Longer texts are cut at this many bytes of UTF-8. */
export const MAX_TEXT_BYTES = 1_048_576;

interface StoredFields {
  /** Without `t3_` / `t1_`: 1 to 64 letters, digits, `_`, `-`. Unique within its kind. */
  readonly id: string;
  /** Name of the community, lower case, without `/r/`. */
  readonly community: string;
  /** Id of the community without `t5_`; empty if the source did not say. */
  readonly communityId: string;
  /** Unix seconds, 0 to MAX_TIME. */
  readonly created: number;
  /** Relative (starts with `/`), or absolute as the source gave it. */
  readonly permalink: string;
  readonly score: number;
  /** Unix seconds at which the copy was made, according to the source; 0 if it does not say. */
  readonly retrieved: number;
  /** True: the text was deleted or removed on the site, and is `[deleted]` or `[removed]`. */
  readonly withdrawn: boolean;
  /** Facts that came from copies of lower rank, each once, in the order of FACTS; empty for nearly all records. */
  readonly lent: readonly Lent[];
}

export interface CopyRank {
  readonly withdrawn: boolean;
  readonly retrieved: number;
  readonly score: number;
  /** The `recordHash` of the copy. */
  readonly hash: number;
}

/** Facts that a copy may lack. A post has `permalink` alone. */
export const FACTS = ['permalink', 'post', 'parent'] as const;

export type Fact = (typeof FACTS)[number];

/** A fact that the copy lacked, with the rank of the copy that lent it. */
export interface Lent extends CopyRank {
  readonly fact: Fact;
}

export interface StoredPost extends StoredFields {
  readonly kind: 'post';
  /** As the source spells it: `self.<Community>` for text posts; may be empty. */
  readonly domain: string;
  readonly title: string;
  readonly selftext: string;
  /** null: a text post, or a link post whose source lost the address. */
  readonly url: string | null;
  /** The post's own `over_18`; null if the source did not say. */
  readonly adult: boolean | null;
}

export interface StoredComment extends StoredFields {
  readonly kind: 'comment';
  readonly body: string;
  /** VADER compound, −1 to 1, 4 decimals; null if unrated. */
  readonly sentiment: number | null;
  /** Id of the post it belongs to, without `t3_`; empty if unknown. */
  readonly post: string;
  /** Id of the record it answers, without `t1_` or `t3_`: `post` at the top level; empty if unknown. */
  readonly parent: string;
  /**
   * Ratings that came with imports, one for each body, by ascending hash; mostly empty, and always for withdrawn
   * comments.
   */
  readonly ratings: readonly GivenRating[];
}

/** A data set's rating of the body with this hash. It applies to every copy of the comment. */
export interface GivenRating {
  readonly bodyHash: number;
  readonly rating: number | null;
}

export type StoredRecord = StoredPost | StoredComment;

/** The texts in which words are searched. A phrase matches within one of them. */
export function searchedTexts(record: StoredRecord): readonly string[] {
  return record.kind === 'post' ? [record.title, record.selftext] : [record.body];
}

export function isTextPost(record: Pick<StoredPost, 'domain' | 'url'>): boolean {
  return record.url === null && record.domain.startsWith('self.');
}

/** Records of one kind in the order of reading, packed as in engines/packing/packed-records.ts. */
export interface RecordBatch {
  readonly count: number;
  /** Packs in the order of the records. Threads share their bytes, so nobody may change them. */
  readonly parts: readonly Uint8Array[];
}

/** For a call that commits only a checkpoint. */
export const NO_RECORDS: RecordBatch = { count: 0, parts: [] };
