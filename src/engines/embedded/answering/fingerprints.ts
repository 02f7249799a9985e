// Fingerprints of the matches by bucket of time: a pass over all of them.

import type { Hash64 } from '../../../model/murmur-hash.ts';
import { Sum64 } from '../../../model/sum64.ts';
import { mixOf } from '../index/segment-sums.ts';
import { CHUNK_DOCS, membersOf } from '../sets/chunk.ts';
import { type BucketEdges, eachChunk } from './bucket-edges.ts';
import type { Deadline } from './deadline.ts';
import type { Matching } from './matching.ts';

/** Of a chunk, as members of it; calls are synchronous. */
const members = new Uint16Array(CHUNK_DOCS);

/** By bucket the sum of what each match adds to the fingerprint of its kind. Throws `query_timeout`. */
export function fingerprintsOf({ segments }: Matching, edges: BucketEdges, deadline: Deadline): Hash64[] {
  const sums = Array.from({ length: edges.count }, () => new Sum64());
  if (edges.count === 0) return [];
  for (const matches of segments) {
    const { segment } = matches;
    const ends = edges.of(segment);
    eachChunk(matches, ends, (chunk, base, _limit, bucket) => {
      const count = membersOf(matches.chunk(chunk), members);
      let at = bucket;
      for (let i = 0; i < count; i++) {
        deadline.step();
        const doc = base + members[i]!;
        // A match is in a bucket, and members come in the order of theirs.
        while (ends[at + 1]! <= doc) at++;
        sums[at]!.add(mixOf(segment, doc));
      }
    });
  }
  return sums.map((sum) => sum.value());
}
