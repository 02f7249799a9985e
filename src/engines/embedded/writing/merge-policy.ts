// Which segments are merged: a rule that bounds their number and copies a record only a few times.
//
// A segment is full from half of what a segment can hold, in records (2^19) or in bytes (1 GiB). The others make
// tiers by their live records: [1, 8), [8, 64), [64, 512) … A tier of 8 is merged, oldest records first, as many as
// fit into one segment (a size-tiered policy, as in O'Neil et al., "The Log-Structured Merge-Tree", 1996): what comes
// of it is of a higher tier, or full. So when nothing is left to merge,
//
//   segments  <=  7 tiers × 7  +  live records / 2^19  +  bytes / 2^30
//   copied    <=  7 × records written  +  2.34 × records that died
//
// A segment with more than 30 % of dead records is written anew, which is the second term. A merge takes up to 2^20
// records and 2 GiB at once: that much room it needs beside what is there. Full segments are cut anew by time where
// several of them span the same time (cut-policy.ts).

import { MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';

const TIER_FACTOR = 8;
/** How many segments are merged at once, at most. */
const MAX_SOURCES = TIER_FACTOR * 2;
export const FULL_DOCS = MAX_SEGMENT_DOCS / 2;
export const MAX_MERGED_BYTES = 2 ** 31;
export const FULL_BYTES = MAX_MERGED_BYTES / 2;
const MAX_DEAD_SHARE = 0.3;

export interface MergeCandidate {
  readonly name: string;
  readonly docs: number;
  readonly deadDocs: number;
  readonly bytes: number;
  /** Unix seconds of the last record. */
  readonly lastCreated: number;
}

/** Names of the segments to merge into one now, in no order; null where nothing is to be done. */
export function pickMerge(candidates: readonly MergeCandidate[]): string[] | null {
  const tiers = new Map<number, MergeCandidate[]>();
  for (const candidate of candidates) {
    const live = liveDocs(candidate);
    if (candidate.deadDocs > candidate.docs * MAX_DEAD_SHARE && live > 0) return [candidate.name];
    if (isFull(candidate)) continue;
    const tier = Math.floor(Math.log2(Math.max(1, live)) / Math.log2(TIER_FACTOR));
    tiers.set(tier, [...(tiers.get(tier) ?? []), candidate]);
  }
  for (const tier of [...tiers.keys()].sort((a, b) => a - b)) {
    const members = tiers.get(tier)!;
    if (members.length < TIER_FACTOR) continue;
    members.sort((a, b) => a.lastCreated - b.lastCreated);
    return fitting(members.slice(0, MAX_SOURCES)).map(({ name }) => name);
  }
  return null;
}

/** A full segment is not merged again. */
export function isFull(candidate: MergeCandidate): boolean {
  return liveDocs(candidate) > FULL_DOCS || candidate.bytes > FULL_BYTES;
}

export function liveDocs({ docs, deadDocs }: MergeCandidate): number {
  return docs - deadDocs;
}

/** Two at least: none of them is full. */
function fitting(members: readonly MergeCandidate[]): MergeCandidate[] {
  const picked: MergeCandidate[] = [];
  let docs = 0;
  let bytes = 0;
  for (const member of members) {
    docs += liveDocs(member);
    bytes += member.bytes;
    if (docs > MAX_SEGMENT_DOCS || bytes > MAX_MERGED_BYTES) break;
    picked.push(member);
  }
  return picked;
}
