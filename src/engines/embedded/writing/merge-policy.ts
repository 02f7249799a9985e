// Which segments are merged: rules that bound their number and copy a record only a few times.
//
// A segment is full from half of what a segment can hold, in records (2^19) or in bytes (1 GiB). The others make tiers
// by their live records: [1, 8), [8, 64), [64, 512) … A tier of 8 is merged, oldest records first, as many as come to
// no more than 2^19 records and 2 GiB (a size-tiered policy, as in O'Neil et al., "The Log-Structured Merge-Tree",
// 1996): what comes of it is of a higher tier, or full of bytes. The highest tier, [2^18, 2^19], is packed instead: as
// soon as it has 2^20 records, the oldest of them are merged and cut by time, so that a segment of 31/32 to all of 2^20
// records comes of them, and a rest of 2^15 to 2^19 (`pickPacking`). So when nothing is left to merge,
//
//   segments  <=  6 tiers × 7  +  3  +  live records / 2^19  +  bytes / 2^30
//   copied    <=  8.1 × records written  +  2.34 × records that died
//
// (6 for the tiers below the highest, 1.55 for packing: 1.5 × 2^20 records for 31/32 of 2^20, and 0.52 for what rests
// of that and climbs one tier again.) A segment with more than 30 % of dead records is written anew, which is the
// second term. Once nothing more is written for now, the small ones are gathered into one (`pickGathering`).
//
// Full segments are cut again (`pickCut`). Dumps of single communities each span all years, and so do their segments:
// a question about one month then has to read all of them. Four full segments that span the same time are merged and
// cut into three to five, one behind the other in time. It is done only where the span of the records' segments falls
// by the factor 2^1.5 in the geometric mean. The sum over all records of log2(span) falls by 1.5 for each record that
// is copied, and is never above 32 a record: so cutting ends, and a record is copied at most 21 times more; in
// practice log4 of how many full segments span the same time.

import { MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';

const TIER_FACTOR = 8;
/** How many segments are merged at once, at most. */
const MAX_SOURCES = TIER_FACTOR * 2;
const FULL_DOCS = MAX_SEGMENT_DOCS / 2;
const MAX_MERGED_BYTES = 2 ** 31;
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
 * smaller ones together, of which there are at most log2(2^20) = 20. With each gathering, the segment of a record grows
 * to twice its size at least, or it is one of `allowance`: a record is copied at most 20 times for it.
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

function liveDocs({ docs, deadDocs }: MergeCandidate): number {
  return docs - deadDocs;
}

/** Whether it waits to be packed. */
function isOfHighestTier(candidate: MergeCandidate): boolean {
  return !isFull(candidate) && tierOf(liveDocs(candidate)) === HIGHEST_TIER;
}

function tierOf(live: number): number {
  return Math.floor(Math.log2(Math.max(1, live)) / Math.log2(TIER_FACTOR));
}

function docsOf(members: readonly MergeCandidate[]): number {
  return members.reduce((sum, member) => sum + liveDocs(member), 0);
}

/** The first of them, as many as have no more than `maxDocs` live records and fit into one segment. */
function fitting<Candidate extends MergeCandidate>(
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

const SOURCES = 4;
/**
 * Numbers of pieces to try, fewest first. Five, because cuts fall between seconds: if the four sources are as large
 * as segments get, one of four pieces would be too large by a few records.
 */
const PIECES = [SOURCES - 1, SOURCES, SOURCES + 1];
const MIN_GAIN = 1.5;
/** Of the shorter of two spans: two that share less are left as they are. */
const MIN_SHARED = 0.5;

export interface CutCandidate extends MergeCandidate {
  /** Unix seconds of the first record. */
  readonly firstCreated: number;
  /** How many records, live or dead, were created before this second. */
  docsBefore(second: number): number;
}

export interface Cut {
  /** The segments to merge, in no order. */
  readonly names: readonly string[];
  /** Unix seconds at which a new segment begins, up: one less than there will be segments. */
  readonly seconds: readonly number[];
}

/** Records that a packed segment may lack; at least as many are left over. */
const MAX_LACKING = MAX_SEGMENT_DOCS / 32;

/** What of the highest tier to pack into a full segment; null: there is nothing to do. */
export function pickPacking(candidates: readonly CutCandidate[]): Cut | null {
  const members = candidates.filter(isOfHighestTier).sort((a, b) => a.lastCreated - b.lastCreated);
  if (docsOf(members) < MAX_SEGMENT_DOCS) return null;
  const whole = fitting(members, MAX_SEGMENT_DOCS);
  const uncut = { names: whole.map(({ name }) => name), seconds: [] };
  if (docsOf(whole) >= MAX_SEGMENT_DOCS - MAX_LACKING) return uncut;
  const more = members.slice(0, whole.length + 1);
  const bytes = sum(more, (one) => one.bytes);
  if (more.length === whole.length || bytes > MAX_MERGED_BYTES) return uncut;
  const docs = Math.min(MAX_SEGMENT_DOCS, docsOf(more) - MAX_LACKING);
  const first = Math.min(...more.map(({ firstCreated }) => firstCreated));
  const end = Math.max(...more.map(({ lastCreated }) => lastCreated)) + 1;
  const before = (second: number) => sum(more, (one) => one.docsBefore(second));
  // Dead records count: that many live ones fit in any case.
  const second = firstSecond(first, end, (one) => before(one) > docs) - 1;
  // Very many records of one second.
  if (before(second) < docs - MAX_LACKING) return uncut;
  return { names: more.map(({ name }) => name), seconds: [second] };
}

/** Full segments to cut anew; null: there is nothing to do. */
export function pickCut(candidates: readonly CutCandidate[]): Cut | null {
  const full = candidates.filter(isFull).sort((a, b) => spanOf(b) - spanOf(a));
  for (const [i, widest] of full.entries()) {
    const others = full
      .slice(i + 1)
      .map((other) => ({ other, shared: sharedShare(widest, other) }))
      .filter(({ shared }) => shared >= MIN_SHARED)
      .sort((a, b) => spanOf(b.other) - spanOf(a.other) || b.shared - a.shared);
    if (others.length < SOURCES - 1) continue;
    const sources = [widest, ...others.slice(0, SOURCES - 1).map(({ other }) => other)];
    for (const pieces of PIECES) {
      const seconds = cutAt(sources, pieces);
      if (seconds !== null) return { names: sources.map(({ name }) => name), seconds };
    }
  }
  return null;
}

/**
 * Where to cut these into this many pieces; null if a piece would be too large or too small, or too little is gained.
 */
function cutAt(sources: readonly CutCandidate[], pieces: number): number[] | null {
  const docs = sum(sources, (source) => source.docs);
  const live = sum(sources, liveDocs) / docs;
  const bytes = sum(sources, (source) => source.bytes) / docs;
  const first = Math.min(...sources.map(({ firstCreated }) => firstCreated));
  const end = Math.max(...sources.map(({ lastCreated }) => lastCreated)) + 1;
  const before = (second: number) => sum(sources, (source) => source.docsBefore(second));
  const seconds = Array.from({ length: pieces - 1 }, (_, i) =>
    firstSecond(first, end, (second) => before(second) >= (docs * (i + 1)) / pieces),
  );
  const borders = [first, ...seconds, end];
  let after = 0;
  for (let i = 0; i < pieces; i++) {
    const held = before(borders[i + 1]!) - before(borders[i]!);
    if (held > MAX_SEGMENT_DOCS || held * bytes > MAX_MERGED_BYTES) return null;
    // What is not full would be merged again.
    if (held * live <= FULL_DOCS && held * bytes <= FULL_BYTES) return null;
    after += held * Math.log2(borders[i + 1]! - borders[i]!);
  }
  const today = sum(sources, (source) => source.docs * Math.log2(spanOf(source)));
  return (today - after) / docs >= MIN_GAIN ? seconds : null;
}

/** The first second, from `from` to `to`, for which `holds` is true; it must stay true for all later seconds. */
function firstSecond(from: number, to: number, holds: (second: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** In seconds, at least one. */
function spanOf({ firstCreated, lastCreated }: CutCandidate): number {
  return lastCreated - firstCreated + 1;
}

/** The part of the shorter span that both share. */
function sharedShare(a: CutCandidate, b: CutCandidate): number {
  const shared = Math.min(a.lastCreated, b.lastCreated) - Math.max(a.firstCreated, b.firstCreated) + 1;
  return shared / Math.min(spanOf(a), spanOf(b));
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
