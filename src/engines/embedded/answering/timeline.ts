// The timeline: matches by bucket of time. Docs of a segment are in the order of time, so a bucket is a range of
// docIds, and its count a count of bits.

import type { Timeline, TimelineRequest } from '../../../model/engine.ts';
import { MAX_TIME } from '../../../model/record.ts';
import { timelineBuckets } from '../../../model/timeline.ts';
import { CHUNK_DOCS, forEach, rank } from '../sets/chunk.ts';
import type { Deadline } from './deadline.ts';
import type { Matching, SegmentMatches } from './matching.ts';
import { TimeWalk } from './time-walk.ts';

/**
 * Bounds are those of the query if it has them, otherwise the first and the last match; without matches there is
 * no bucket. Throws `query_timeout`, an EngineLimit.
 */
export function timelineOf(matching: Matching, request: TimelineRequest, deadline: Deadline): Timeline {
  const { from, to } = matching.conditions;
  const earliest = new TimeWalk(matching.segments, 'oldest', null);
  const latest = new TimeWalk(matching.segments, 'newest', null);
  if (!earliest.next() || !latest.next()) return { step: request.step ?? 'day', buckets: [] };
  const matches = { first: earliest.created, last: latest.created };
  const bounds = {
    first: from > 0 ? from : matches.first,
    last: to <= MAX_TIME ? to - 1 : matches.last,
  };
  const { step, starts } = timelineBuckets(bounds, matches, request.step);
  const counts = new Array<number>(starts.length).fill(0);
  const sums = request.measure === undefined ? null : new Array<number>(starts.length).fill(0);
  for (const segmentMatches of matching.segments) {
    const edges = edgesOf(segmentMatches, starts);
    addCounts(segmentMatches, edges, counts, deadline);
    if (sums !== null) addScores(segmentMatches, edges, sums, deadline);
  }
  const buckets = starts.map((start, i) => ({
    start,
    count: counts[i]!,
    ...(sums !== null && { sum: sums[i]! }),
  }));
  return { step, buckets };
}

/** By bucket the docId with which it begins in this segment; then the end of the last. */
function edgesOf({ segment }: SegmentMatches, starts: readonly number[]): number[] {
  return [...starts.map((start) => segment.firstAt(start)), segment.docs];
}

function addCounts(
  matches: SegmentMatches,
  edges: readonly number[],
  counts: number[],
  deadline: Deadline,
): void {
  for (let bucket = 0; bucket < counts.length; bucket++) {
    deadline.step();
    // A match before the first bound cannot be; the first bucket may begin before it.
    const from = bucket === 0 ? 0 : edges[bucket]!;
    const to = edges[bucket + 1]!;
    if (from < to) counts[bucket]! += countBetween(matches, from, to);
  }
}

/** Docs of a chunk come in the order of their buckets. A score has 32 bits: the sum of 2^21 of them is exact. */
function addScores(
  matches: SegmentMatches,
  edges: readonly number[],
  sums: number[],
  deadline: Deadline,
): void {
  const { score } = matches.segment;
  let bucket = 0;
  for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
    // Not `step`: a chunk takes longer than many looks at the clock.
    deadline.check();
    const base = chunk * CHUNK_DOCS;
    forEach(matches.chunk(chunk), (member) => {
      while (bucket < sums.length - 1 && edges[bucket + 1]! <= base + member) bucket++;
      sums[bucket]! += score[base + member]!;
    });
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
