// Domains: how `site:` values and hosts are normalised, and which domains a comment links to.

import { domainToASCII } from 'node:url';
import { decodeEntities } from './entities.ts';

/** Limits of a name and of each of its labels, in ASCII characters (RFC 1035, 2.3.4). */
const MAX_DOMAIN_LENGTH = 253;
const LABEL = '(?=[_-]*[a-z0-9])[a-z0-9_-]{1,63}';

/** Looser than the rules for host names: real ones contain `_`, or `-` at an end. */
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
const SELF = /^self(?:\.[^\s,/+]+)?$/;

/**
 * The normal form of a `site:` value, a URL, a host or a post's domain: lower case, punycode, without scheme,
 * user, port, path, final dot, and `www.` (if more than a top-level domain follows it). `self` and
 * `self.<community>` stay whole. null if no domain is left.
 */
export function normaliseDomain(text: string): string | null {
  const trimmed = text.trim();
  const afterScheme = trimmed.replace(/^(?:[a-z][a-z0-9+.-]{0,31}:)?\/\//i, '');
  const [authority = ''] = afterScheme.split(/[/?#\\]/, 1);
  const self = authority.toLowerCase();
  if (afterScheme === trimmed && SELF.test(self)) return withoutTrailing('.', self);
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d{0,5}$/, '')
    .replace(/\.$/, '');
  return normaliseHost(host);
}

function normaliseHost(host: string): string | null {
  // Punycode never makes a name shorter.
  if (host.length > MAX_DOMAIN_LENGTH) return null;
  const ascii = /^[\x21-\x7e]*$/.test(host) ? host.toLowerCase() : domainToASCII(host);
  if (ascii.length > MAX_DOMAIN_LENGTH || !DOMAIN.test(ascii) || ascii === 'www') return null;
  return ascii.replace(/^(?:www\.)+(?=[^.]+\.)/, '');
}

/**
 * The normalised domain itself and every domain it is a subdomain of, longest first: `m.youtube.com`,
 * `youtube.com`, `com`. `self.<community>` and an IPv4 address have no parents. `self` alone never comes from
 * a longer name: it means text posts.
 */
export function domainSuffixes(domain: string): string[] {
  const suffixes = [domain];
  if (SELF.test(domain) || IPV4.test(domain)) return suffixes;
  for (let dot = domain.indexOf('.'); dot !== -1; dot = domain.indexOf('.', dot + 1)) {
    const suffix = domain.slice(dot + 1);
    if (suffix !== 'self') suffixes.push(suffix);
  }
  return suffixes;
}

const HOST_LABEL = String.raw`[\p{L}\p{M}\p{N}_\-]+`;

/**
 * `http://` or `https://`, with or without a user before the host; or `www.`. The character before it must
 * not be A–Z, a–z, 0–9 or `_`, so a link inside Japanese text counts. Group 1 is the complete host; a host
 * that is itself a scheme (`http://http://…`) does not match.
 */
const LINK = new RegExp(
  String.raw`(?<![A-Za-z0-9_])(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/(?:[\w.~%!$&*+;=:\-]{0,64}@)?|(?=[Ww]{3}\.[\p{L}\p{N}]))` +
    String.raw`(?=(${HOST_LABEL}(?:\.${HOST_LABEL})*))\1(?!:\/\/)`,
  'gv',
);

/**
 * The distinct domains that a comment links to, normalised, in the order of their first link. Finds bare and
 * Markdown links, after decoding entities. Relative links have no domain. Linear time.
 */
export function linkedDomains(body: string): string[] {
  const decoded = decodeEntities(body);
  if (!decoded.includes('://') && !/www\./i.test(decoded)) return [];
  const domains = new Set<string>();
  for (const [, host] of decoded.matchAll(LINK)) {
    // `_` and `-` after a host are Markdown or punctuation: `_see http://example.com_`.
    const domain = normaliseHost(withoutTrailing('_-', host!));
    if (domain !== null) domains.add(domain);
  }
  return [...domains];
}

/** A loop, because a regular expression would take quadratic time. */
function withoutTrailing(characters: string, text: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
