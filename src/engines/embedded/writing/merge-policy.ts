// Which segments are merged: rules that bound their number and copy a record only a few times.
//
// A segment is full from half of what a segment can hold, in records (2^19) or in bytes (1 GiB). The others make
// tiers by their live records: [1, 8), [8, 64), [64, 512) … A tier of 8 is merged, oldest records first, as many as
// come to no more than 2^19 records and 2 GiB (a size-tiered policy, as in O'Neil et al., "The Log-Structured
// Merge-Tree", 1996): what comes of it is of a higher tier, or full of bytes. The highest tier, [2^18, 2^19], is packed
// instead: as soon as it has 2^20 records, the oldest of them are merged and cut by time, so that a segment of 31/32 to
// all of 2^20 records comes of them, and a rest of 2^15 to 2^19 (`pickPacking`). So when nothing is left to merge,
//
//   segments  <=  6 tiers × 7  +  3  +  live records / 2^19  +  bytes / 2^30
//   copied    <=  8.1 × records written  +  2.34 × records that died
//
// (6 for the tiers below the highest, 1.55 for packing: 1.5 × 2^20 records for 31/32 of 2^20, and 0.52 for what rests
// of that and climbs one tier again.) A segment with more than 30 % of dead records is written anew, which is the
// second term. A merge takes up to 2^20 records and 2 GiB at once, packing up to 1.5 × 2^20 records: that much room
// it needs beside what is there. Full segments are cut anew by time where several of them span the same time
// (cut-policy.ts).
//
// Once nothing more is written for now, the small ones are gathered into one (`pickGathering`).

import { MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';

const TIER_FACTOR = 8;
/** How many segments are merged at once, at most. */
const MAX_SOURCES = TIER_FACTOR * 2;
export const FULL_DOCS = MAX_SEGMENT_DOCS / 2;
export const MAX_MERGED_BYTES = 2 ** 31;
export const FULL_BYTES = MAX_MERGED_BYTES / 2;
const MAX_DEAD_SHARE = 0.3;

const HIGHEST_TIER = tierOf(FULL_DOCS);

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
    const tier = tierOf(live);
    tiers.set(tier, [...(tiers.get(tier) ?? []), candidate]);
  }
  for (const tier of [...tiers.keys()].sort((a, b) => a - b)) {
    const members = tiers.get(tier)!;
    if (tier === HIGHEST_TIER || members.length < TIER_FACTOR) continue;
    members.sort((a, b) => a.lastCreated - b.lastCreated);
    return fitting(members.slice(0, MAX_SOURCES), FULL_DOCS).map(({ name }) => name);
  }
  return null;
}

/** Segments that are gathered into one. */
interface Gathering {
  readonly names: readonly string[];
  /** Live records. */
  readonly docs: number;
}

/**
 * Which small segments to merge into one where nothing else is left to merge, and nothing more is written for now: as
 * many of the smallest as fit into one segment, if the others of them have as many records together as the largest,
 * or if all have no more than `allowance`. So, after that, each segment that is not full has more records than all
 * smaller ones together. With each gathering, the segment of a record grows to twice its size at least, or it is one of
 * `allowance`:
 *
 *   segments  <=  20  +  live records / 2^19  +  bytes / 2^30
 *   copied    <=  what `pickMerge` and `pickPacking` copy  +  allowances  +  20 × records written
 *
 * where 20 = log2(2^20) is for records that each come alone with nothing written for a while; 7 for batches of 10,000.
 */
export function pickGathering(candidates: readonly MergeCandidate[], allowance: number): Gathering | null {
  const smallest = candidates
    .filter((candidate) => !isFull(candidate))
    .sort((a, b) => liveDocs(a) - liveDocs(b));
  const members = fitting(smallest, MAX_SEGMENT_DOCS);
  while (members.length > 1) {
    const docs = docsOf(members);
    if (docs <= allowance || liveDocs(members.at(-1)!) <= docs / 2) {
      return { names: members.map(({ name }) => name), docs };
    }
    members.pop();
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

/** Whether it waits to be packed. */
export function isOfHighestTier(candidate: MergeCandidate): boolean {
  return !isFull(candidate) && tierOf(liveDocs(candidate)) === HIGHEST_TIER;
}

function tierOf(live: number): number {
  return Math.floor(Math.log2(Math.max(1, live)) / Math.log2(TIER_FACTOR));
}

export function docsOf(members: readonly MergeCandidate[]): number {
  return members.reduce((sum, member) => sum + liveDocs(member), 0);
}

/** The first of them, as many as have no more than `maxDocs` live records and fit into one segment. */
export function fitting<Candidate extends MergeCandidate>(
  members: readonly Candidate[],
  maxDocs: number,
): Candidate[] {
  const picked: Candidate[] = [];
  let docs = 0;
  let bytes = 0;
  for (const member of members) {
    docs += liveDocs(member);
    bytes += member.bytes;
    if (docs > maxDocs || bytes > MAX_MERGED_BYTES) break;
    picked.push(member);
  }
  return picked;
}
