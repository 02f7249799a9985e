// Communities: their names, and what is known about them from the operator, sources and records. Contract
// 5.4.

import { leastId } from './pages.ts';

/** No name on the site is longer than 23; this bounds what a hostile source can put into the index. */
const MAX_COMMUNITY_NAME = 128;

/** Communities are told apart by their name in lower case. */
export function communityKey(name: string): string {
  return name.toLowerCase();
}

export function isCommunityName(name: string): boolean {
  return name !== '' && name.length <= MAX_COMMUNITY_NAME && !/[\s,/+\p{Cc}]/u.test(name);
}

export function profileName(user: string): string {
  return `u_${user}`;
}

/** The name after `r/` or `/r/`; `u_name` for `u/name`, `/u/name` and `/user/name`; any other text as it is. */
export function withoutPrefix(text: string): string {
  const [prefix, user] = /^\/?(?:r|(u(?:ser)?))\//i.exec(text) ?? [''];
  const name = text.slice(prefix.length);
  return user === undefined ? name : profileName(name);
}

export interface Community {
  readonly id: string;
  readonly name: string;
  readonly nsfw: boolean;
}

export interface CommunityKnowledge {
  readonly operator: boolean | null;
  readonly record: boolean | null;
  readonly dump: boolean | null;
  /** Its id, from a dump of communities or an API record; empty if none gave it. */
  readonly id: string;
}

export interface CommunityEvidence {
  /** The least id (by `compareIds`) that a record gives it; empty where none does. */
  readonly id: string;
  readonly judgedPosts: number;
  readonly adultPosts: number;
}

/** A community counts as nsfw if this many of its posts say whether they are `over_18` … */
const MIN_JUDGED_POSTS = 10;
/** … and at least this share of them are. */
const ADULT_SHARE = 0.9;

/** The community object, from what was said (undefined: nothing) and what the records show (undefined: no record). */
export function communityObject(
  name: string,
  knowledge: CommunityKnowledge | undefined,
  evidence: CommunityEvidence | undefined,
): Community {
  return withKnowledge({ id: evidence?.id ?? '', name, nsfw: looksAdult(evidence) }, knowledge);
}

/** What the records show of a community, with what was said of it: that goes before, but for an id of the records. */
export function withKnowledge(
  { id, name, nsfw }: Community,
  knowledge: CommunityKnowledge | undefined,
): Community {
  const said = knowledge?.operator ?? knowledge?.record ?? knowledge?.dump;
  return { id: id || knowledge?.id || '', name, nsfw: said ?? nsfw };
}

function looksAdult(evidence: CommunityEvidence | undefined): boolean {
  if (evidence === undefined || evidence.judgedPosts < MIN_JUDGED_POSTS) return false;
  return evidence.adultPosts >= evidence.judgedPosts * ADULT_SHARE;
}

/** Stored knowledge about communities (catalogue/). Unknown names are absent. */
export interface KnowledgeSource {
  knowledgeOf(names: readonly string[]): ReadonlyMap<string, CommunityKnowledge>;
}

export interface Claim {
  readonly nsfw: boolean | null;
  /** Unix seconds: when the record was created, or the dump's row retrieved; 0 if unknown. */
  readonly time: number;
  /** Without `t5_`; empty: it did not say. */
  readonly id: string;
}

/** The sort of source: records of a dataset or of the API, or a dump of communities. */
export type ClaimSource = 'record' | 'dump';

export interface CommunityClaim extends Claim {
  readonly name: string;
}

export const NO_CLAIM: Claim = { nsfw: null, time: 0, id: '' };

/**
 * For nsfw the newer claim stays (true, if both have the same time); of ids the least, as everywhere. Commutative,
 * associative and idempotent, so what is known does not depend on the order of imports.
 */
export function joinClaims(a: Claim, b: Claim): Claim {
  const { nsfw, time } = saysMore(b, a) ? b : a;
  return { nsfw, time: nsfw === null ? 0 : time, id: leastId(a.id, b.id) };
}

export function sameClaims(a: Claim, b: Claim): boolean {
  return a.nsfw === b.nsfw && a.time === b.time && a.id === b.id;
}

function saysMore(a: Claim, b: Claim): boolean {
  if (a.nsfw === null || b.nsfw === null) return a.nsfw !== null;
  return a.time === b.time ? a.nsfw && !b.nsfw : a.time > b.time;
}

export function addClaim(
  claims: Map<string, CommunityClaim>,
  { name, nsfw, time, id }: CommunityClaim,
): void {
  const key = communityKey(name);
  // Even a single claim is joined, so that all have the same form.
  claims.set(key, { name: key, ...joinClaims(claims.get(key) ?? NO_CLAIM, { nsfw, time, id }) });
}
