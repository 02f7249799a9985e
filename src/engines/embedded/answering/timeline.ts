// The timeline: matches by bucket of time. Docs of a segment are in the order of time, so a bucket is a range of
// docIds, and its count a count of bits.

import type { Timeline } from '../../../model/engine.ts';
import { MAX_TIME } from '../../../model/record.ts';
import { timelineBuckets } from '../../../model/timeline.ts';
import { CHUNK_DOCS, rank } from '../sets/chunk.ts';
import type { Matching, SegmentMatches } from './matching.ts';
import { TimeWalk } from './time-walk.ts';

/** Bounds are the query's where it has them, else the first and the last match; without matches there is no bucket. */
export function timelineOf(matching: Matching): Timeline {
  const { from, to } = matching.conditions;
  const earliest = new TimeWalk(matching, 'oldest', null);
  const latest = new TimeWalk(matching, 'newest', null);
  if (!earliest.next() || !latest.next()) return { step: 'day', buckets: [] };
  const matches = { first: earliest.created, last: latest.created };
  const bounds = {
    first: from > 0 ? from : matches.first,
    last: to <= MAX_TIME ? to - 1 : matches.last,
  };
  const { step, starts } = timelineBuckets(bounds, matches);
  const counts = new Array<number>(starts.length).fill(0);
  for (const segmentMatches of matching.segments) addSegment(segmentMatches, starts, counts);
  return { step, buckets: starts.map((start, i) => ({ start, count: counts[i]! })) };
}

function addSegment(matches: SegmentMatches, starts: readonly number[], counts: number[]): void {
  const { segment } = matches;
  const edges = starts.map((start) => segment.firstAt(start));
  edges.push(segment.docs);
  for (let bucket = 0; bucket < starts.length; bucket++) {
    // A match before the first bound cannot be; the first bucket may begin before it.
    const from = bucket === 0 ? 0 : edges[bucket]!;
    const to = edges[bucket + 1]!;
    if (from < to) counts[bucket]! += countBetween(matches, from, to);
  }
}

/** Matches with `from <= docId < to`. */
function countBetween(matches: SegmentMatches, from: number, to: number): number {
  const first = Math.max(matches.firstChunk, Math.floor(from / CHUNK_DOCS));
  const last = Math.min(matches.lastChunk, Math.floor((to - 1) / CHUNK_DOCS));
  let count = 0;
  for (let chunk = first; chunk <= last; chunk++) {
    const base = chunk * CHUNK_DOCS;
    const isWhole = from <= base && to >= Math.min(base + CHUNK_DOCS, matches.segment.docs);
    if (isWhole) count += matches.chunkCount(chunk);
    else {
      const docs = matches.chunk(chunk);
      count += rank(docs, Math.min(to - base, CHUNK_DOCS)) - rank(docs, Math.max(0, from - base));
    }
  }
  return count;
}
