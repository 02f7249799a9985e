// Reads which record a text names: an id with or without its prefix, a permalink, or a usual link to the site. And
// requests for records by their names.

import { quoted } from '../text/quoted.ts';
import type { CommunityEvidence } from './community.ts';
import type { IndexFingerprint } from './hash.ts';
import type { RecordName } from './query.ts';
import { KINDS, type Kind, type StoredRecord } from './record.ts';
import type { ArrivalTime } from './time.ts';

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
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function isSiteHost(host: string): boolean {
  return /^(?:.+\.)?reddit\.com$/i.test(host);
}

/** The most records of one request: all of them are held in memory. */
export const MAX_NAMED_RECORDS = 1_000;

/** The most bytes of one request, counted as on a page (pages.ts). */
export const MAX_NAMED_BYTES = 67_108_864;

export interface NamedRequest {
  readonly kind: Kind;
  readonly ids: readonly string[];
  readonly evidence?: boolean;
  readonly arrived?: boolean;
  /** More bytes than this in all throw an EngineLimit; absent: no limit. */
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

export interface NamedRecords {
  /** The records that were found, in the order of the ids, each once. */
  readonly records: readonly StoredRecord[];
  readonly evidence?: ReadonlyMap<string, CommunityEvidence>;
  readonly arrived?: readonly ArrivalTime[];
  readonly index: IndexFingerprint;
}

/** The id of the post that a record belongs to; null: the comment does not say. */
export function threadOf(record: StoredRecord): string | null {
  if (record.kind === 'post') return record.id;
  return record.post || null;
}
