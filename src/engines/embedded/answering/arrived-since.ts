// What came in behind an arrival: segments whose greatest arrival is not behind it are passed over without reading, and
// so are the chunks of others of which that is known.

import { chunkSize } from '../format/posting-codec.ts';
import type { PostingList } from '../index/posting-list.ts';
import type { Segment } from '../index/segment.ts';
import type { ViewSegment } from '../index/view.ts';
import { CHUNK_DOCS, type Chunk, EMPTY, type WordPool } from '../sets/chunk.ts';
import type { Narrowing } from './matching.ts';
import type { SegmentPlan } from './plan.ts';

/** Microseconds to look at the arrival of a doc: measured. */
const ARRIVAL_COST = 0.0012;

/** Asks of docs that they came in behind this arrival, and what `narrow` asks; 0 and absent: that alone. */
export function narrowedSince(since: number | undefined, narrow?: Narrowing): Narrowing | undefined {
  if (since === undefined || since === 0) return narrow;
  return (source, plan) => {
    if (source.arrival <= since) return null;
    const asked = narrow === undefined ? plan() : narrow(source, plan);
    return asked && planSince(asked, listSince(source, since));
  };
}

function planSince(plan: SegmentPlan, list: PostingList): SegmentPlan {
  const required = [...plan.required, { sure: list, maybe: null, phrases: [], count: list.count }];
  return { ...plan, required: required.sort((a, b) => a.count - b.count) };
}

function listSince(source: ViewSegment, since: number): PostingList {
  const { docs } = source.segment;
  return {
    ...{ count: docs, isExact: false, cost: docs * ARRIVAL_COST },
    chunk: (chunk, pool) => docsSince(source, chunk, since, pool),
    chunkCount: () => -1,
  };
}

/** Of a chunk, one chunk at a time. */
const arrivals = new Uint32Array(CHUNK_DOCS);

function docsSince(source: ViewSegment, chunk: number, since: number, pool: WordPool): Chunk {
  const greatest = greatestIn(source.segment);
  if (greatest[chunk]! > 0 && greatest[chunk]! <= since) return EMPTY;
  const size = chunkSize(chunk, source.segment.docs);
  greatest[chunk] = readArrivals(source, chunk, arrivals);
  if (greatest[chunk]! <= since) return EMPTY;
  const words = pool.take().fill(0);
  let count = 0;
  for (let doc = 0; doc < size; doc++) {
    if (arrivals[doc]! <= since) continue;
    words[doc >>> 5]! |= 1 << (doc & 31);
    count++;
  }
  return { kind: 'bits', words, count };
}

/** The greatest arrival of each chunk, by its number; 0: not looked at yet. */
const known = new WeakMap<Segment, Uint32Array>();

function greatestIn(segment: Segment): Uint32Array {
  const greatest = known.get(segment) ?? new Uint32Array(segment.chunks);
  known.set(segment, greatest);
  return greatest;
}

/** Fills `into` with the arrivals of the docs of a chunk, dead or not. Returns the greatest. */
export function readArrivals(source: ViewSegment, chunk: number, into: Uint32Array): number {
  const { segment, arrival } = source;
  const size = chunkSize(chunk, segment.docs);
  segment.readFacts(chunk, [['arrival', into]]);
  let greatest = 0;
  for (let doc = 0; doc < size; doc++) {
    // A record without one came in with its segment.
    const own = into[doc]! || arrival;
    into[doc] = own;
    if (own > greatest) greatest = own;
  }
  return greatest;
}
