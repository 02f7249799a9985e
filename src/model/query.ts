// The interpreted query: items (made from text by search/), the conditions that an engine checks, and the match with a
// record.

import { domainSuffixes, linkedDomains, normaliseDomain } from '../text/domains.ts';
import { tokens } from '../text/tokenizer.ts';
import {
  isTextPost,
  type Kind,
  MAX_TIME,
  type RecordName,
  type StoredPost,
  type StoredRecord,
  searchedTexts,
} from './record.ts';

/** One word of a query. `typed` is how it was written, without quotes or `*`. */
export type Word =
  | { readonly kind: 'term'; readonly token: string; readonly typed: string }
  /** At least two tokens, adjacent and in order, in one text. */
  | { readonly kind: 'phrase'; readonly tokens: readonly string[]; readonly typed: string }
  /** Any token that starts with it; `prefix` is folded like a token. */
  | { readonly kind: 'prefix'; readonly prefix: string; readonly typed: string };

export type PrefixWord = Extract<Word, { readonly kind: 'prefix' }>;

export type QueryItem =
  /** Any of the words; if negated, none of them. Never empty. */
  | { readonly kind: 'words'; readonly words: readonly Word[]; readonly negated: boolean }
  /** Lower case, without `/r/`. */
  | { readonly kind: 'community'; readonly name: string; readonly negated: boolean }
  /** Normalised (text/domains.ts): a host without `www.`, punycode, lower case; or `self`, or `self.<name>`. */
  | { readonly kind: 'site'; readonly domain: string; readonly negated: boolean }
  | { readonly kind: 'post'; readonly id: string; readonly negated: boolean }
  | { readonly kind: 'id'; readonly record: RecordName; readonly negated: boolean }
  /** Both ends are included; null is open. */
  | { readonly kind: 'score'; readonly min: number | null; readonly max: number | null }
  /** `created < time`: Unix seconds, 0 to MAX_QUERY_TIME. */
  | { readonly kind: 'before'; readonly time: number }
  /** `created >= time`. */
  | { readonly kind: 'after'; readonly time: number };

/** 9999-12-31T23:59:59 UTC. */
export const MAX_QUERY_TIME = 253_402_300_799;

/** The items in the order of the text. Without items, every record matches. */
export interface Query {
  readonly items: readonly QueryItem[];
}

/** Any of these records. Of no names, every record matches. */
export function queryOfNames(names: readonly RecordName[]): Query {
  return { items: names.map((record) => ({ kind: 'id', record, negated: false })) };
}

/** A query in `under` that matches more posts of the index is refused. */
export const MAX_POSTS_UNDER = 100_000;

/** A prefix of more different tokens in the index of its kind is refused. */
export const MAX_PREFIX_TOKENS = 100_000;

/** A record must meet all of them. An empty list or null is no condition. */
export interface Conditions {
  /** A record must have one word of each inner list. */
  readonly words: readonly (readonly Word[])[];
  readonly excludedWords: readonly Word[];
  /** The record's community must be one of these; null: any. */
  readonly communities: readonly string[] | null;
  readonly excludedCommunities: readonly string[];
  readonly sites: readonly string[] | null;
  readonly excludedSites: readonly string[];
  readonly posts: readonly string[] | null;
  readonly excludedPosts: readonly string[];
  /** One of these records; `idsAmong` gives the ids that are possible for a kind. */
  readonly records: readonly RecordName[] | null;
  readonly excludedRecords: readonly RecordName[];
  /** Both ends included; −Infinity and Infinity are open. Empty if min > max. */
  readonly minScore: number;
  readonly maxScore: number;
  /** `from <= created < to`. Empty if from >= to. */
  readonly from: number;
  readonly to: number;
}

export function conditionsOf(query: Query): Conditions {
  const words: (readonly Word[])[] = [];
  const excludedWords: Word[] = [];
  const named = { community: split<string>(), site: split<string>(), post: split<string>() };
  const records = split<RecordName>();
  let minScore = -Infinity;
  let maxScore = Infinity;
  let from = 0;
  let to = MAX_TIME + 1;
  for (const item of query.items) {
    switch (item.kind) {
      case 'words':
        if (item.negated) excludedWords.push(...item.words);
        else words.push(item.words);
        break;
      case 'community':
        named.community[item.negated ? 'excluded' : 'included'].push(item.name);
        break;
      case 'site':
        named.site[item.negated ? 'excluded' : 'included'].push(item.domain);
        break;
      case 'post':
        named.post[item.negated ? 'excluded' : 'included'].push(item.id);
        break;
      case 'id':
        records[item.negated ? 'excluded' : 'included'].push(item.record);
        break;
      case 'score':
        minScore = Math.max(minScore, item.min ?? -Infinity);
        maxScore = Math.min(maxScore, item.max ?? Infinity);
        break;
      case 'before':
        to = Math.min(to, item.time);
        break;
      case 'after':
        from = Math.max(from, item.time);
        break;
      default:
        item satisfies never;
    }
  }
  return {
    words,
    excludedWords,
    communities: someOrNull(named.community.included),
    excludedCommunities: named.community.excluded,
    sites: someOrNull(named.site.included),
    excludedSites: named.site.excluded,
    posts: someOrNull(named.post.included),
    excludedPosts: named.post.excluded,
    records: someOrNull(records.included),
    excludedRecords: records.excluded,
    minScore,
    maxScore,
    from,
    to,
  };
}

export function idsAmong(kind: Kind, records: readonly RecordName[]): string[] {
  return records.filter(({ of }) => of === null || of === kind).map(({ id }) => id);
}

function split<T>(): { included: T[]; excluded: T[] } {
  return { included: [], excluded: [] };
}

function someOrNull<T>(names: readonly T[]): readonly T[] | null {
  return names.length === 0 ? null : names;
}

/**
 * Every normalised domain with which `site:<domain>` finds the record, each once. Text posts: `self` and
 * `self.<community>`. Link posts: their domain and its parent domains. Comments: the same for each domain that they
 * link to.
 */
export function siteKeys(record: StoredRecord): string[] {
  return record.kind === 'post' ? siteKeysOfPost(record) : siteKeysOfLinks(linkedDomains(record.body));
}

export function siteKeysOfPost(post: Pick<StoredPost, 'domain' | 'url'>): string[] {
  if (isTextPost(post)) return ['self', post.domain.toLowerCase()];
  const domain = normaliseDomain(post.domain);
  return domain === null ? [] : domainSuffixes(domain);
}

export function siteKeysOfLinks(domains: readonly string[]): string[] {
  const keys = domains.flatMap(domainSuffixes);
  return domains.length <= 1 ? keys : [...new Set(keys)];
}

/**
 * The rows of a breakdown by domain that count the record. Posts: their domain in lower case, if there is one.
 * Comments: each normalised domain that they link to, once.
 */
export function breakdownDomains(record: StoredRecord): string[] {
  if (record.kind === 'comment') return linkedDomains(record.body);
  return record.domain === '' ? [] : [record.domain.toLowerCase()];
}

/** The tokens of each searched text, in order, cached as long as the record lives. */
export function tokensOf(record: StoredRecord): readonly (readonly string[])[] {
  const known = tokensByRecord.get(record);
  if (known !== undefined) return known;
  const made = searchedTexts(record).map((text) => tokens(text));
  tokensByRecord.set(record, made);
  return made;
}

const tokensByRecord = new WeakMap<StoredRecord, readonly (readonly string[])[]>();

export function matches(record: StoredRecord, conditions: Conditions): boolean {
  const { communities, sites, posts, records } = conditions;
  if (record.created < conditions.from || record.created >= conditions.to) return false;
  if (record.score < conditions.minScore || record.score > conditions.maxScore) return false;
  if (communities !== null && !communities.includes(record.community)) return false;
  if (conditions.excludedCommunities.includes(record.community)) return false;
  const post = record.kind === 'post' ? record.id : record.post;
  if (posts !== null && !posts.includes(post)) return false;
  if (conditions.excludedPosts.includes(post)) return false;
  if (records !== null && !idsAmong(record.kind, records).includes(record.id)) return false;
  if (idsAmong(record.kind, conditions.excludedRecords).includes(record.id)) return false;
  if (sites !== null || conditions.excludedSites.length > 0) {
    const keys = siteKeys(record);
    if (sites !== null && !sites.some((site) => keys.includes(site))) return false;
    if (conditions.excludedSites.some((site) => keys.includes(site))) return false;
  }
  if (conditions.words.length === 0 && conditions.excludedWords.length === 0) return true;
  const texts = tokensOf(record);
  const holds = (word: Word) => texts.some((text) => textHolds(text, word));
  return conditions.words.every((anyOf) => anyOf.some(holds)) && !conditions.excludedWords.some(holds);
}

export function wordStandsIn(word: Word, text: string): boolean {
  return textHolds(tokens(text), word);
}

function textHolds(text: readonly string[], word: Word): boolean {
  switch (word.kind) {
    case 'term':
      return text.includes(word.token);
    case 'prefix':
      return text.some((token) => token.startsWith(word.prefix));
    case 'phrase':
      return text.some((_, at) => word.tokens.every((token, i) => text[at + i] === token));
  }
}
