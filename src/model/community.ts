// Communities: their names, and what is known about them from the operator, sources and records. Contract
// 5.4.

import { leastId } from './pages.ts';

/** No name on the site is longer than 23; this bounds what a hostile source can put into the index. */
const MAX_COMMUNITY_NAME = 128;

/** Names of communities are compared in lower case. */
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

/** The evidence counts if at least this many posts of a community say whether they are `over_18`. */
const MIN_JUDGED_POSTS = 10;
/** A community is nsfw if at least this share of them are. */
const ADULT_SHARE = 0.9;

/** Builds the community object from stored knowledge and from what its records show; undefined: neither is known. */
export function communityObject(
  name: string,
  knowledge: CommunityKnowledge | undefined,
  evidence: CommunityEvidence | undefined,
): Community {
  return withKnowledge({ id: evidence?.id ?? '', name, nsfw: looksAdult(evidence) }, knowledge);
}

/** Adds stored knowledge to what the records show. It wins for `nsfw`; an id of the records wins over a stored one. */
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

/** Reads stored knowledge about communities (catalogue/). Unknown names are absent. */
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

/** Records of a data set or the API, or a dump of communities. */
export type ClaimSource = 'record' | 'dump';

export interface CommunityClaim extends Claim {
  readonly name: string;
}

export const NO_CLAIM: Claim = { nsfw: null, time: 0, id: '' };

/**
 * Takes `nsfw` from the newer claim (true if both have the same time), and the least id. Commutative, associative and
 * idempotent, so knowledge does not depend on the order of imports.
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
