// Which `site:` values find a record, and under which domains it counts in a breakdown.

import { domainSuffixes, linkedDomains, normaliseDomain } from '../text/domains.ts';
import { isTextPost, type StoredPost, type StoredRecord } from './record.ts';

/**
 * Every normalised domain that finds the record as `site:<domain>`, each once. Text posts: `self` and
 * `self.<community>`. Links: the post's own domain and what it is a subdomain of. Comments: the same of each
 * domain they link to. Empty if there is no domain.
 */
export function siteKeys(record: StoredRecord): string[] {
  return record.kind === 'post' ? siteKeysOfPost(record) : siteKeysOfLinks(linkedDomains(record.body));
}

/** For a post: its domain and address are all that is needed. */
export function siteKeysOfPost(post: Pick<StoredPost, 'domain' | 'url'>): string[] {
  if (isTextPost(post)) return ['self', post.domain.toLowerCase()];
  const domain = normaliseDomain(post.domain);
  return domain === null ? [] : domainSuffixes(domain);
}

/** For a comment that links to these normalised domains. */
export function siteKeysOfLinks(domains: readonly string[]): string[] {
  const keys = domains.flatMap(domainSuffixes);
  return domains.length <= 1 ? keys : [...new Set(keys)];
}

/**
 * The rows of a breakdown by domain that count the record. Posts: their own domain as it is stored, none if
 * that is empty. Comments: each normalised domain they link to, once.
 */
export function breakdownDomains(record: StoredRecord): string[] {
  if (record.kind === 'comment') return linkedDomains(record.body);
  return record.domain === '' ? [] : [record.domain];
}
