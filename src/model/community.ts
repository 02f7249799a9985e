// What is known about a community, and whether that makes it nsfw. Contract 5.4.

import type { CommunityEvidence } from './evidence.ts';

/** The community object (contract 5.9). */
export interface Community {
  readonly id: string;
  /** Lower case. */
  readonly name: string;
  readonly nsfw: boolean;
}

/** What people and dumps said about a community; null if they said nothing. */
export interface CommunityKnowledge {
  /** The operator's word. */
  readonly operator: boolean | null;
  /** The newest dataset row or API record. */
  readonly record: boolean | null;
  /** A dump of communities. */
  readonly dump: boolean | null;
  /** Its id, from a dump of communities or an API record; empty if none gave it. */
  readonly id: string;
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

/**
 * Where knowledge about communities is stored (catalogue/). A name about which nothing was said is absent
 * from the answer.
 */
export interface KnowledgeSource {
  knowledgeOf(names: readonly string[]): ReadonlyMap<string, CommunityKnowledge>;
}
