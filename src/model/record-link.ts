// How the site names its records: ids with the prefix of their kind, and the addresses of posts and comments.

import type { Kind } from './record.ts';

/** What stands before an id where its kind is said. `t5_` stands before ids of communities. */
export const PREFIX_OF: Readonly<Record<Kind, string>> = { post: 't3_', comment: 't1_' };
export const ID_PREFIX = /^t[135]_/;

// The addresses under which the site and its clients link to a post, or to a comment of it; also relative ones, as
// records have them in `permalink`. Each is read in one pass: no part of unbounded length can match in two ways.
const RECORD_ID = String.raw`((?:t[13]_)?[\w-]{1,64})`;
const COMMENT_ID = String.raw`(?:\/[^/?#]*\/${RECORD_ID}\/?(?=[?#]|$))?`;
const RECORD_LINKS = [
  String.raw`(?:https?:\/\/)?(?:[a-z0-9-]+\.)*reddit\.com(?:\/(?:r|u|user)\/[^/?#]+)?\/(?:comments|gallery)\/${RECORD_ID}${COMMENT_ID}(?:[/?#]|$)`,
  String.raw`(?:https?:\/\/)?(?:www\.)?redd\.it\/${RECORD_ID}\/?(?:[?#]|$)`,
  String.raw`(?:\/?[ru]|\/user)\/[^/?#]+\/comments\/${RECORD_ID}${COMMENT_ID}(?:[/?#]|$)`,
].map((shape) => new RegExp(`^${shape}`, 'i'));

/** A longer text is no link: it is longer than any query. */
const MAX_LINK_UNITS = 4096;

/** Ids as they stand in a link. */
export interface RecordLink {
  readonly post: string;
  /** null: the link is to the post. */
  readonly comment: string | null;
}

/** null where the text is not wholly a link to a post of the site, or to a comment. */
export function readRecordLink(text: string): RecordLink | null {
  if (text.length > MAX_LINK_UNITS) return null;
  for (const shape of RECORD_LINKS) {
    const found = shape.exec(text);
    if (found !== null) return { post: found[1]!, comment: found[2] ?? null };
  }
  return null;
}
