// A query as the conditions an engine checks: items of one kind brought together as contract 3.1 says.

import type { Query, RecordName, Word } from './query.ts';
import { type Kind, MAX_TIME } from './record.ts';

/** All of them must be met. An empty list or null is no condition. */
export interface Conditions {
  /** Each inner list is any-of; all lists must be met. */
  readonly words: readonly (readonly Word[])[];
  readonly excludedWords: readonly Word[];
  /** Any of them; null: any community. */
  readonly communities: readonly string[] | null;
  readonly excludedCommunities: readonly string[];
  readonly sites: readonly string[] | null;
  readonly excludedSites: readonly string[];
  readonly posts: readonly string[] | null;
  readonly excludedPosts: readonly string[];
  /** Any of these records; `idsAmong` gives those that can be of a kind. */
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

/** Ids of those records that can be of this kind. */
export function idsAmong(kind: Kind, records: readonly RecordName[]): string[] {
  return records.filter(({ of }) => of === null || of === kind).map(({ id }) => id);
}

function split<T>(): { included: T[]; excluded: T[] } {
  return { included: [], excluded: [] };
}

function someOrNull<T>(names: readonly T[]): readonly T[] | null {
  return names.length === 0 ? null : names;
}
