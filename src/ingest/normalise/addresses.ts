// Addresses in a source: permalinks, the address a post links to, the thread an address belongs to.

import { isSiteHost, type Kind } from '../../model/record.ts';
import { isMissing, type Row } from './cells.ts';

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
  return isSiteHost(host) || host === hostAndPort(base);
}

function hostAndPort(base: string): string {
  return URL.parse(base)?.host ?? '';
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
export function communityInOwnAddress(address: string, id: string): string | null {
  const [, host, community, path = ''] = IN_COMMUNITY.exec(address) ?? [];
  const [post, , comment] = path.split('/');
  if (host === undefined || !isSiteHost(host) || (post !== id && comment !== id)) return null;
  return community ?? null;
}
