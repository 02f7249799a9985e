// How the site names its records: ids with the prefix of their kind, and the addresses of posts and comments.

import type { Kind } from './record.ts';

/** The prefix of an id that says its kind. `t5_` is that of communities. */
export const PREFIX_OF: Readonly<Record<Kind, string>> = { post: 't3_', comment: 't1_' };
export const ID_PREFIX = /^t[135]_/;

/** Ids as written in the link, with their prefix if they have one there. */
export interface RecordLink {
  readonly post: string;
  /** null: the link is to the post. */
  readonly comment: string | null;
}

/** A longer text is not a link: it is longer than any query. */
export const MAX_LINK_UNITS = 4096;

// The addresses under which the site and its clients link to a post, or to a comment of it; also relative ones, as
// records have them in `permalink`. Each is read in one pass: no part of unbounded length can match in two ways.
const SITE = String.raw`(?:[a-z0-9-]+\.)*reddit\.com`;
const ID = String.raw`((?:t[13]_)?[\w-]{1,64})`;
const PAGE_OF = String.raw`(?:\/(?:r|u|user)\/[^/?#\s]+)?`;
const SHORT = String.raw`(?:https?:\/\/)?(?:www\.)?redd\.it\/${ID}\/?`;

const BEHIND_POST = String.raw`(?:\/[^/?#]*\/${ID}\/?(?=[?#]|$))?(?:[/?#]|$)`;
const LINKS_IN_QUERIES = [
  String.raw`(?:https?:\/\/)?${SITE}${PAGE_OF}\/(?:comments|gallery)\/${ID}${BEHIND_POST}`,
  `${SHORT}(?:[?#]|$)`,
  String.raw`(?:\/?[ru]|\/user)\/[^/?#]+\/comments\/${ID}${BEHIND_POST}`,
].map((shape) => new RegExp(`^${shape}`, 'i'));

/** null if the text as a whole is not a link to a post or a comment of the site. */
export function readRecordLink(text: string): RecordLink | null {
  return firstLink(LINKS_IN_QUERIES, text);
}

// `comments/POST`, `comments/POST/slug/COMMENT`, both after a community, a user or nothing. After `https://`
// any host will do, since operators set their own; without a scheme only the site's.
const THREAD = String.raw`\/(?:comments|gallery)\/${ID}(?:\/[^/?#]*(?:\/(?:${ID}?\/?)?)?)?`;
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
/** What stands in the place of the words where there are none. */
const NO_WORDS = /^(?:[_-]*|comment)$/i;
/** The site cuts the words of a longer title. */
const MOST_SLUG_UNITS = 45;

/**
 * The title of a post as the permalink of a comment tells it: words without signs and capitals, perhaps only the first
 * ones, which `…` says then. null where it tells none.
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

/** As it is where it is no percent-encoding of UTF-8. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether addresses on this host are the site's. */
export function isSiteHost(host: string): boolean {
  return /^(?:.+\.)?reddit\.com$/i.test(host);
}
