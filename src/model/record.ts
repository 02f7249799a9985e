// A record as engines store it: the fields of contract 5.1, and some for matching, ranking copies and facts about
// communities. Authors are not stored. Reads which record a text names: an id with or without its prefix, a permalink,
// or a usual link to the site.

import { quoted } from '../text/quoted.ts';

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

/** A record by its id, which is unique among the records of its kind. */
export interface RecordName {
  /** Without prefix. If `of` is null, it does not start with `t1_`, `t3_` or `t5_`. */
  readonly id: string;
  /** null: a post or a comment. */
  readonly of: Kind | null;
}

/** The id without prefix, or what was expected and found, as the end of a message. */
export type RecordIdReading = { readonly id: string } | { readonly problem: string };

/** Characters of a text that a message shows; most links are shorter. */
const MAX_SHOWN = 120;

/** `t5_` is the prefix of a community. Any other beginning is part of the id. */
const ID = /^(t[135]_)?([\w-]{1,64})$/i;

/**
 * Reads the record that a text names; null: the text is no id and no link to a record. `of` is the kind that the prefix
 * or link says, or null. `base` is the part before relative permalinks in answers, without a final slash.
 */
export function readRecordName(text: string, base: string): RecordName | null {
  if (text.length > MAX_LINK_UNITS) return null;
  const path = base !== '' && text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  const link = readPermalink(path);
  const linkedKind = link === null ? null : link.comment === null ? 'post' : 'comment';
  const [, prefix, id] = ID.exec(link === null ? text : (link.comment ?? link.post)) ?? [];
  if (id === undefined) return null;
  const of = prefix === undefined ? linkedKind : kindOf(prefix);
  if (of === undefined || (linkedKind !== null && of !== linkedKind)) return null;
  return { id, of };
}

export function readRecordId(kind: Kind, text: string, base: string): RecordIdReading {
  const expected = `expected the id or permalink of a ${kind}, found `;
  const found = quoted(text, MAX_SHOWN);
  const name = readRecordName(text, base);
  if (name === null) return { problem: expected + found };
  const { id, of } = name;
  return of === null || of === kind ? { id } : { problem: `${expected}that of a ${of}: ${found}` };
}

function kindOf(prefix: string): Kind | undefined {
  return KINDS.find((kind) => PREFIX_OF[kind] === prefix.toLowerCase());
}

export const PREFIX_OF: Readonly<Record<Kind, string>> = { post: 't3_', comment: 't1_' };

export const ID_PREFIX = /^t[135]_/;

/** Ids as written in the link, with their prefix if they have one there. */
export interface RecordLink {
  readonly post: string;
  /** null: the link is to the post. */
  readonly comment: string | null;
}

/** Longer than any query; a longer text is no link. */
export const MAX_LINK_UNITS = 4096;

// The addresses under which the site and its clients link to a post, or to a comment of it; also relative ones, as
// records have them in `permalink`. Each is read in one pass: no part of unbounded length can match in two ways.
const SITE = String.raw`(?:[a-z0-9-]+\.)*reddit\.com`;

const BARE_ID = String.raw`((?:t[13]_)?[\w-]{1,64})`;

const PAGE_OF = String.raw`(?:\/(?:r|u|user)\/[^/?#\s]+)?`;

const SHORT = String.raw`(?:https?:\/\/)?(?:www\.)?redd\.it\/${BARE_ID}\/?`;

const BEHIND_POST = String.raw`(?:\/[^/?#]*\/${BARE_ID}\/?(?=[?#]|$))?(?:[/?#]|$)`;

const LINKS_IN_QUERIES = [
  String.raw`(?:https?:\/\/)?${SITE}${PAGE_OF}\/(?:comments|gallery)\/${BARE_ID}${BEHIND_POST}`,
  `${SHORT}(?:[?#]|$)`,
  String.raw`(?:\/?[ru]|\/user)\/[^/?#]+\/comments\/${BARE_ID}${BEHIND_POST}`,
].map((shape) => new RegExp(`^${shape}`, 'i'));

/** Reads a text that is, as a whole, a link to a post or comment of the site; otherwise null. */
export function readRecordLink(text: string): RecordLink | null {
  return firstLink(LINKS_IN_QUERIES, text);
}

// `comments/POST`, `comments/POST/slug/COMMENT`, both after a community, a user or nothing. After `https://`
// any host will do, since operators set their own; without a scheme only the site's.
const THREAD = String.raw`\/(?:comments|gallery)\/${BARE_ID}(?:\/[^/?#]*(?:\/(?:${BARE_ID}?\/?)?)?)?`;

const END = '(?:[?#].*)?$';

const PERMALINKS = [
  String.raw`(?:(?:https?:\/\/[^/?#\s]+|${SITE})?${PAGE_OF}|(?:r|u|user)\/[^/?#\s]+)${THREAD}${END}`,
  `${SHORT}${END}`,
].map((shape) => new RegExp(`^${shape}`, 'i'));

/** Like `readRecordLink`, but on any host, and with nothing after the record's own address. */
export function readPermalink(text: string): RecordLink | null {
  return firstLink(PERMALINKS, text);
}

function firstLink(shapes: readonly RegExp[], text: string): RecordLink | null {
  if (text.length > MAX_LINK_UNITS) return null;
  for (const shape of shapes) {
    const found = shape.exec(text);
    if (found !== null) return { post: found[1]!, comment: found[2] ?? null };
  }
  return null;
}

const SLUG = /\/comments\/[\w-]{1,64}\/([^/?#]{1,400})\/[\w-]{1,64}\/?(?:[?#]|$)/i;

/** What permalinks have in place of an empty title. */
const NO_WORDS = /^(?:[_-]*|comment)$/i;

/** The site cuts the words of a longer title. */
const MOST_SLUG_UNITS = 45;

/**
 * The title of a post, as far as the permalink of a comment has it: words without signs and capitals, with `…` if they
 * are cut. null: it has none.
 */
export function titleInPermalink(permalink: string): string | null {
  const slug = SLUG.exec(permalink)?.[1] ?? '';
  const words = NO_WORDS.test(slug)
    ? ''
    : decoded(slug)
        .replace(/[_\s]+/g, ' ')
        .trim();
  if (words === '') return null;
  const first = String.fromCodePoint(words.codePointAt(0)!);
  return first.toUpperCase() + words.slice(first.length) + (words.length < MOST_SLUG_UNITS ? '' : '…');
}

/** Returns the text itself if it is no UTF-8 in percent-encoding. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function isSiteHost(host: string): boolean {
  return /^(?:.+\.)?reddit\.com$/i.test(host);
}

/** The id of the post that a record belongs to; null: the comment does not say. */
export function threadOf(record: StoredRecord): string | null {
  if (record.kind === 'post') return record.id;
  return record.post || null;
}
