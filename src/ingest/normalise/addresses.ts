// Addresses in a source: permalinks, the address a post links to, the thread an address belongs to.

import { withoutPrefix } from '../../model/community.ts';
import { isSiteHost, type Kind } from '../../model/record.ts';
import { cleanText, isMissing, isRow, type Row, textCell } from './cells.ts';

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const HTTP = /^https?:\/\/[^/]/i;

/** The source's permalink: relative with a leading slash, or absolute; null if missing or not an address. */
export function givenPermalink(cell: unknown): string | null {
  if (typeof cell !== 'string') return null;
  const text = cell.trim();
  if (text.startsWith('//')) return text.length > 2 ? `https:${text}` : null;
  if (text.startsWith('/')) return text;
  if (HTTP.test(text)) return text;
  return /^(?:r|u|user)\/[^/]/.test(text) ? `/${text}` : null;
}

/** The absolute address that a post links to; null if the source has none. `base` has no trailing slash. */
export function linkedAddress(row: Row, base: string): string | null {
  const cell = isMissing(row.url_overridden_by_dest) ? row.url : row.url_overridden_by_dest;
  if (typeof cell !== 'string') return null;
  const text = cell.trim();
  if (text === '' || text === 'nan') return null;
  if (text.startsWith('//')) return `https:${text}`;
  return text.startsWith('/') ? `${base}${text}` : text;
}

/** The host of an address, without `www.`; empty if there is none. */
export function hostOf(address: string): string {
  // `&amp;` and the like stay in stored addresses, but a host never contains one.
  const host = SCHEME.test(address) ? (URL.parse(address)?.hostname ?? '') : '';
  return host.startsWith('www.') ? host.slice(4) : host;
}

const OWN_THREAD =
  /^https?:\/\/([^/?#]+)(?:\/(?:r|u|user)\/[^/]+)?\/comments\/([^/?#]+)(?:\/[^/?#]*)?\/?(?:[?#]|$)/i;
const SHORT_LINK = /^https?:\/\/redd\.it\/([^/?#]+)\/?$/i;

/** True if the address is the thread of this very post, on the site or on the operator's base. */
export function isOwnThread(address: string, id: string, base: string): boolean {
  const short = SHORT_LINK.exec(address);
  if (short !== null) return short[1] === id;
  const match = OWN_THREAD.exec(address);
  if (match === null || match[2] !== id) return false;
  const host = match[1]!.toLowerCase();
  return isSiteHost(host) || host === URL.parse(base)?.host;
}

const THREAD = /\/comments\/([A-Za-z0-9-][A-Za-z0-9_-]{0,63})(?:[/?#]|$)/;

/** Id of the post in a comment's permalink; empty if there is none (also for `/comments/_/`). */
export function threadOf(permalink: string): string {
  return THREAD.exec(permalink)?.[1] ?? '';
}

const COMMENT = /\/comments\/[^/?#]+\/[^/?#]*\/([^/?#]+)/;

/** Id of the post or comment whose permalink it is; null if there is none. */
export function idInPermalink(permalink: string, kind: Kind): string | null {
  return (kind === 'post' ? threadOf(permalink) : COMMENT.exec(permalink)?.[1]) || null;
}

const IN_COMMUNITY = /^(?:https?:\/\/([^/?#]+))?\/?((?:r|u|user)\/[^/?#]+)\/comments\/([^?#]*)/i;

/** `r/name` or `u/name` from a permalink, relative or absolute; null if there is none. */
export function communityInPermalink(permalink: string): string | null {
  return IN_COMMUNITY.exec(permalink)?.[2] ?? null;
}

/** The same from an address on the site, if it is that of the post or comment with this very id. */
function communityInOwnAddress(address: string, id: string): string | null {
  const [, host, community, path = ''] = IN_COMMUNITY.exec(address) ?? [];
  const [post, , comment] = path.split('/');
  if (host === undefined || !isSiteHost(host) || (post !== id && comment !== id)) return null;
  return community ?? null;
}

// Where and how a record names its community: a name, a name with `r/` or `u/` in front, or an object.

interface NamedCommunity {
  readonly spelling: string;
  /** Without `t5_`; empty if missing or not an id. */
  readonly id: string;
}

/** Other fields that name it: those of the site's API, and those of objects flattened by a data frame. */
const OTHER_FIELDS = [
  'subreddit_name_prefixed',
  'subreddit.display_name',
  'subreddit.display_name_prefixed',
  'subreddit.name',
];

/**
 * The community that the record `id` names, by a field, its permalink or its own address; or else `otherwise`; null if
 * there is neither. A `subreddit` of null means that the record has none, whatever its other fields contain.
 */
export function communityOf(row: Row, recordId: string, otherwise: string | null): NamedCommunity | null {
  const { subreddit } = row;
  const id = communityIdOf(isRow(subreddit) ? subreddit.id : (row.subreddit_id ?? row['subreddit.id']));
  const spelling = isRow(subreddit)
    ? firstSpelling(subreddit, ['display_name', 'display_name_prefixed', 'name'])
    : subreddit === undefined
      ? (firstSpelling(row, OTHER_FIELDS) ?? communityInAddresses(row, recordId))
      : communitySpelling(subreddit);
  if (spelling !== null) return { spelling, id };
  return otherwise === null ? null : { spelling: otherwise, id };
}

function communityInAddresses({ permalink, url }: Row, id: string): string | null {
  const inPermalink = typeof permalink === 'string' ? communityInPermalink(permalink) : null;
  const named = inPermalink ?? (typeof url === 'string' ? communityInOwnAddress(url, id) : null);
  return named === null ? null : communitySpelling(named);
}

/**
 * True for the community object of the API's own records and of datasets. In the site's own objects, which have a
 * `display_name`, `name` is the id.
 */
export function isOwnObject(subreddit: unknown): subreddit is Row {
  return isRow(subreddit) && textCell(subreddit.display_name) === null;
}

function firstSpelling(row: Row, fields: readonly string[]): string | null {
  for (const field of fields) {
    const spelling = communitySpelling(row[field]);
    if (spelling !== null) return spelling;
  }
  return null;
}

/** The name without a leading `/r/`, `u_name` for `/u/name`; null if missing. */
export function communitySpelling(cell: unknown): string | null {
  const name = textCell(cell);
  if (name === null) return null;
  return withoutPrefix(cleanText(name)) || null;
}

/** Letters, digits, `_` and `-`, 1 to 64 of them: an id of a record or a community. */
export function isId(text: string): boolean {
  if (text.length === 0 || text.length > 64) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80 || IN_IDS[unit] === 0) return false;
  }
  return true;
}

const IN_IDS = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  /[A-Za-z0-9_-]/.test(String.fromCharCode(unit)) ? 1 : 0,
);

/** Without `t5_`; empty if missing or not an id. */
export function communityIdOf(cell: unknown): string {
  const text = textCell(cell) ?? '';
  const id = text.startsWith('t5_') ? text.slice(3) : text;
  return isId(id) ? id : '';
}
