// Which segments are cut by time when they are merged.
//
// Those of the highest tier are packed: cut so that one segment is as full as it can be (merge-policy.ts).
//
// Full segments are cut again. Dumps of single communities each span all years, and so do the
// segments made from them: a question about one month then has to read all of them. Four full segments that
// span the same time are merged and cut into three to five, one behind the other in time.
//
// It is done only where the span of the records' segments falls by the factor 2^1.5 in the geometric mean. The sum over
// all records of log2(span) falls by 1.5 for each record that is copied, and is never above 32 a record: so cutting
// ends, and a record is copied at most 21 times more; in practice log4 of how many full segments span the same time.

import { MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';
import {
  docsOf,
  FULL_BYTES,
  FULL_DOCS,
  fitting,
  isFull,
  isOfHighestTier,
  liveDocs,
  MAX_MERGED_BYTES,
  type MergeCandidate,
} from './merge-policy.ts';

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
 * Where to cut these into this many pieces; null if a piece would be too large or too small, or too little is
 * gained.
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
