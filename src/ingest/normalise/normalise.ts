// From one object of a dump, API answer or dataset to a stored record. Section 6 of the contract, and contract 5.1, 5.2
// and 5.5, each rule in one place. Pure; a comment without a rating gets `null`.

import { type CommunityClaim, communityKey, isCommunityName } from '../../model/community.ts';
import { withRatings } from '../../model/copies.ts';
import { hash53 } from '../../model/hash.ts';
import type { Kind, StoredComment, StoredPost } from '../../model/record.ts';
import {
  communityIdOf,
  communityOf,
  communitySpelling,
  givenPermalink,
  hostOf,
  idInPermalink,
  isId,
  isOwnObject,
  isOwnThread,
  linkedAddress,
  threadOf,
} from './addresses.ts';
import {
  BAD,
  booleanCell,
  cleanText,
  integerCell,
  isCut,
  isMissing,
  isRow,
  MISSING,
  type Row,
  ratingCell,
  retrievalCell,
  textCell,
  timeCell,
} from './cells.ts';
import { type Naming, withUsualNames } from './field-names.ts';
import { type Outcome, rejected, skipped } from './outcome.ts';

export interface NormaliseOptions extends Naming {
  /**
   * Treat the object as this kind, whatever its fields; null: by `title` a post, `body` a comment, `display_name` a
   * community.
   */
  readonly kind: Kind | 'community' | null;
  /** Put in front of a relative address that a post links to; no trailing slash. */
  readonly permalinkBase: string;
}

interface Common {
  readonly id: string;
  readonly spelling: string;
  readonly communityId: string;
  readonly created: number;
  readonly score: number;
  readonly retrieved: number;
}

export function normalise(given: Row, options: NormaliseOptions): Outcome {
  const row = withUsualNames(given, options.columns);
  const kind = options.kind ?? kindOf(row);
  if (kind === null || kind === 'community') return rejected('not_a_record');
  if (booleanCell(row.promoted) === true) return skipped('promoted');
  const common = readCommon(row, kind, options.community ?? null);
  if ('kind' in common) return common;
  return kind === 'post' ? post(row, common, options.permalinkBase) : comment(row, common);
}

/** By `type` if the source has it (the API's own records, datasets), or else by content. */
function kindOf(row: Row): Kind | null {
  if (row.type === 'post' || row.type === 'comment') return row.type;
  if (row.title !== undefined) return 'post';
  if (row.body !== undefined) return 'comment';
  return row.selftext === undefined ? null : 'post';
}

function readCommon(row: Row, kind: Kind, community: string | null): Common | Outcome {
  const id = readId(row) ?? idInPermalink(givenPermalink(row.permalink) ?? '', kind);
  if (id === null) return rejected('no_id');
  if (!isId(id)) return rejected('bad_id');
  const named = communityOf(row, id, community);
  if (named === null) return rejected('no_community');
  if (!isCommunityName(named.spelling)) return rejected('bad_community');
  const created = timeCell(row.created_utc);
  if (typeof created !== 'number') return rejected('bad_time');
  const score = integerCell(row.score);
  if (score === BAD) return rejected('bad_score');
  return {
    id,
    spelling: named.spelling,
    communityId: named.id,
    created,
    score: score === MISSING ? 0 : score,
    retrieved: retrievedOf(row),
  };
}

/** Removes the prefixes of comments and posts only; `t8_x` is an id. */
function readId(row: Row): string | null {
  const given = textCell(row.id) ?? textCell(row.name);
  return given?.startsWith('t1_') || given?.startsWith('t3_') ? given.slice(3) : given;
}

/** Unix seconds: the first of the three that the source has; 0 if it has none. */
export function retrievedOf(row: Row): number {
  const meta = isRow(row._meta) ? row._meta : null;
  if (meta !== null && !isMissing(meta.retrieved_2nd_on)) return retrievalCell(meta.retrieved_2nd_on);
  return retrievalCell(isMissing(row.retrieved_on) ? row.retrieved_utc : row.retrieved_on);
}

/** What to store for a text that was deleted or removed on the site; null for other texts. */
function withdrawnAs(row: Row, text: string): string | null {
  if (text === '[deleted]' || text === '[removed]') return text;
  const meta = isRow(row._meta) ? row._meta : null;
  if (meta === null) return null;
  if (typeof meta.removal_type === 'string' && meta.removal_type !== '') {
    return meta.removal_type === 'deleted' ? '[deleted]' : '[removed]';
  }
  return booleanCell(meta.was_deleted_later) === true ? '[deleted]' : null;
}

function post(row: Row, common: Common, base: string): Outcome {
  const title = row.title;
  if (typeof title !== 'string') return rejected('no_text');
  // Hand-made tables of posts call their text `body`.
  const text = row.selftext ?? row.body;
  const selftext = typeof text === 'string' ? text : '';
  const withdrawn = withdrawnAs(row, selftext.trim());
  const { id, spelling, communityId, created, score, retrieved } = common;
  const { domain, isLost, url } = addressed(row, common, base);
  const record: StoredPost = {
    kind: 'post',
    id,
    community: communityKey(spelling),
    communityId,
    created,
    permalink: cleanText(givenPermalink(row.permalink) ?? `/r/${spelling}/comments/${id}/`),
    domain,
    url,
    title: cleanText(title),
    selftext: withdrawn ?? cleanText(selftext),
    score,
    adult: booleanCell(row.over_18),
    retrieved,
    withdrawn: withdrawn !== null,
    lent: [],
  };
  const isAnyCut = isLost || isCut(title) || (withdrawn === null && isCut(selftext));
  return { kind: 'record', record, claim: claimOf(row, common), isCut: isAnyCut };
}

/** No host has more characters (RFC 1035), and no name of a community. */
const MAX_DOMAIN_LENGTH = 255;

/**
 * A text post has no `url`, and its domain is `self.<community>`; a link post has the address that it links to.
 * `isLost`: the domain was too long and is left out.
 */
function addressed(row: Row, common: Common, base: string) {
  const given = typeof row.domain === 'string' ? row.domain : null;
  const address = linkedAddress(row, base);
  if (isTextPost(row, common.id, given, address, base)) {
    const own = `self.${common.spelling}`;
    const domain = given?.toLowerCase() === own.toLowerCase() ? given : own;
    return { domain, isLost: false, url: null };
  }
  const domain = cleanText(given || (address === null ? '' : hostOf(address)));
  const isLost = domain.length > MAX_DOMAIN_LENGTH;
  return { domain: isLost ? '' : domain, isLost, url: address === null ? null : cleanText(address) };
}

/**
 * Goes by `is_self`, or by an address that is the post's own thread. Sources without `is_self` (API records, datasets)
 * give text posts no address, and a `self.` domain or no domain field; an empty domain is that of a link whose address
 * was lost.
 */
function isTextPost(
  row: Row,
  id: string,
  domain: string | null,
  address: string | null,
  base: string,
): boolean {
  const isSelf = booleanCell(row.is_self);
  if (isSelf === true) return true;
  if (address !== null) return isOwnThread(address, id, base);
  return isSelf === null && (domain === null || domain.startsWith('self.'));
}

function comment(row: Row, common: Common): Outcome {
  const body = row.body;
  if (typeof body !== 'string') return rejected('no_text');
  const withdrawn = withdrawnAs(row, body.trim());
  const { id, spelling, communityId, created, score, retrieved } = common;
  const given = givenPermalink(row.permalink);
  const thread = postOf(row, given);
  const record: StoredComment = {
    kind: 'comment',
    id,
    community: communityKey(spelling),
    communityId,
    created,
    permalink: cleanText(given ?? `/r/${spelling}/comments/${thread || '_'}/_/${id}/`),
    body: withdrawn ?? cleanText(body),
    sentiment: null,
    ratings: [],
    score,
    post: thread,
    parent: answeredBy(row, id, thread),
    retrieved,
    withdrawn: withdrawn !== null,
    lent: [],
  };
  // Only the API's own records and datasets contain a rating, which may be empty.
  const isRated = withdrawn === null && row.sentiment !== undefined && isOwnObject(row.subreddit);
  const rating = isRated ? ratingCell(row.sentiment) : undefined;
  if (rating === BAD) return rejected('bad_rating');
  return {
    kind: 'record',
    record: rating === undefined ? record : withRatings(record, [{ bodyHash: hash53(record.body), rating }]),
    claim: claimOf(row, common),
    isCut: withdrawn === null && isCut(body),
  };
}

function claimOf(row: Row, common: Common): CommunityClaim | null {
  if (!isOwnObject(row.subreddit)) return null;
  const nsfw = booleanCell(row.subreddit.nsfw);
  if (nsfw === null) return null;
  return { name: communityKey(common.spelling), nsfw, time: common.created, id: common.communityId };
}

/**
 * The id of a comment's post, from the first of: `link_id`, `post_id`, the permalink (as stored, null if missing), a
 * parent that is a post. Empty if none has it.
 */
export function postOf(row: Row, permalink: string | null): string {
  for (const cell of [row.link_id, row.post_id]) {
    const text = textCell(cell) ?? '';
    const id = text.startsWith('t3_') ? text.slice(3) : text;
    if (isId(id)) return id;
  }
  const thread = permalink === null ? '' : threadOf(permalink);
  if (thread !== '') return thread;
  const { prefix, id } = parentCell(row.parent_id);
  return prefix === 't3_' && isId(id) ? id : '';
}

/**
 * The id of the parent of comment `id` in this post; `post` at the top level. Empty if it is missing, is no id, or is
 * impossible: the comment itself, or another post.
 */
export function answeredBy(row: Row, id: string, post: string): string {
  const parent = parentCell(row.parent_id);
  if (!isId(parent.id)) return '';
  // A comment with the id of the post would be read as the post.
  if (parent.id === post) return parent.prefix === 't1_' ? '' : post;
  return parent.prefix === 't3_' || parent.id === id ? '' : parent.id;
}

/**
 * A number is the id of a comment, written in decimal instead of base 36, as by Pushshift's API of 2022 and 2023
 * (https://github.com/voussoir/timesearch/issues/19). Records of our own API have no prefix.
 */
function parentCell(cell: unknown): { readonly prefix: string; readonly id: string } {
  if (typeof cell === 'number') {
    return { prefix: 't1_', id: Number.isSafeInteger(cell) && cell >= 0 ? cell.toString(36) : '' };
  }
  const text = textCell(cell) ?? '';
  const isFull = text.startsWith('t1_') || text.startsWith('t3_');
  return isFull ? { prefix: text.slice(0, 3), id: text.slice(3) } : { prefix: '', id: text };
}

export function isCommunityRow(row: Row): boolean {
  return typeof row.display_name === 'string' && row.body === undefined && row.selftext === undefined;
}

export function normaliseCommunity(row: Row): Outcome {
  const spelling = communitySpelling(row.display_name);
  if (spelling === null) return rejected('no_community');
  if (!isCommunityName(spelling)) return rejected('bad_community');
  return {
    kind: 'community',
    claim: {
      name: communityKey(spelling),
      nsfw: booleanCell(row.over18 ?? row.over_18),
      time: retrievedOf(row),
      id: communityIdOf(row.id ?? row.name),
    },
  };
}
