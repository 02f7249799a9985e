// Which segments are merged: a rule that keeps their number bounded and copies a record only a few times.
//
// Segments of similar size make a tier: [1, 8), [8, 64), [64, 512) … live records. A tier of 8 is merged, oldest
// records first, as many as fit into one segment; so there are never more than 7 in a tier, save of full ones, and a
// record is copied about once a tier (a size-tiered policy, as in O'Neil et al., "The Log-Structured Merge-Tree", 1996).
// A segment with many dead records is written anew.

import { MAX_SEGMENT_DOCS } from './posting-codec.ts';

const TIER_FACTOR = 8;
/** A segment from this size on is full: only its dead records make it worth writing anew. */
const FULL_DOCS = MAX_SEGMENT_DOCS / 2;
const MAX_MERGED_BYTES = 2 ** 31;
const MAX_DEAD_SHARE = 0.3;

export interface MergeCandidate {
  readonly name: string;
  readonly docs: number;
  readonly deadDocs: number;
  readonly bytes: number;
  /** Unix seconds of the last record. */
  readonly lastCreated: number;
}

/** Names of the segments to merge now, in no order; null where nothing is to be done. */
export function pickMerge(candidates: readonly MergeCandidate[]): string[] | null {
  const tiers = new Map<number, MergeCandidate[]>();
  for (const candidate of candidates) {
    const live = candidate.docs - candidate.deadDocs;
    if (candidate.deadDocs > candidate.docs * MAX_DEAD_SHARE && live > 0) return [candidate.name];
    if (live > FULL_DOCS) continue;
    const tier = Math.floor(Math.log2(Math.max(1, live)) / Math.log2(TIER_FACTOR));
    tiers.set(tier, [...(tiers.get(tier) ?? []), candidate]);
  }
  for (const tier of [...tiers.keys()].sort((a, b) => a - b)) {
    const members = tiers.get(tier)!;
    if (members.length < TIER_FACTOR) continue;
    const picked = fitting(members.sort((a, b) => a.lastCreated - b.lastCreated).slice(0, TIER_FACTOR * 2));
    if (picked.length > 1) return picked.map(({ name }) => name);
  }
  return null;
}

function fitting(members: readonly MergeCandidate[]): MergeCandidate[] {
  const picked: MergeCandidate[] = [];
  let docs = 0;
  let bytes = 0;
  for (const member of members) {
    docs += member.docs - member.deadDocs;
    bytes += member.bytes;
    if (docs > MAX_SEGMENT_DOCS || bytes > MAX_MERGED_BYTES) break;
    picked.push(member);
  }
  return picked;
}
