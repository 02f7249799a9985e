// Where buckets of time lie in segments, whose docs are in the order of time: each is a range of docIds.

import { type Buckets, endOfBuckets } from '../../../model/timeline.ts';
import type { Segment } from '../index/segment.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import type { SegmentMatches } from './matching.ts';

/** Where buckets begin in segments. */
export class BucketEdges {
  readonly count: number;
  readonly #starts: readonly number[];
  readonly #known = new Map<Segment, Uint32Array>();

  constructor(buckets: Buckets) {
    this.count = buckets.starts.length;
    this.#starts = [...buckets.starts, endOfBuckets(buckets)];
  }

  /** By bucket the docId with which it begins in this segment; then where the last one ends. */
  of(segment: Segment): Uint32Array {
    let edges = this.#known.get(segment);
    if (edges === undefined) {
      edges = new Uint32Array(this.#starts.length);
      let from = 0;
      for (const [i, start] of this.#starts.entries()) {
        from = segment.firstAt(start, from);
        edges[i] = from;
      }
      this.#known.set(segment, edges);
    }
    return edges;
  }
}

/** Calls back for each chunk that has docs of a bucket, with the bucket in which its first such doc is. */
export function eachChunk(
  { firstChunk, lastChunk, segment }: SegmentMatches,
  edges: Uint32Array,
  call: (chunk: number, base: number, limit: number, bucket: number) => void,
): void {
  const last = edges.length - 1;
  let bucket = 0;
  for (let chunk = firstChunk; chunk <= lastChunk; chunk++) {
    const base = chunk * CHUNK_DOCS;
    const limit = Math.min(base + CHUNK_DOCS, segment.docs);
    while (bucket < last && edges[bucket + 1]! <= base) bucket++;
    if (bucket === last) return;
    if (edges[bucket]! < limit) call(chunk, base, limit, bucket);
  }
}
