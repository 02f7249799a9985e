// When communities have records: the number of communities in each day or month, by one walk over a column in memory;
// and the times of some of them, by their posting lists.

import { CellCount, type CommunityCoverage, type CoverageStep } from '../../../model/coverage.ts';
import type { Query } from '../../../model/query.ts';
import { bucketStart, nextBucket, startsWithin } from '../../../model/timeline.ts';
import type { NameTable } from '../index/names.ts';
import { timeRange, type View, type ViewSegment } from '../index/view.ts';
import type { Deadline } from '../matching/deadline.ts';
import { matchQuery, totalOf } from '../matching/matching.ts';
import { CHUNK_DOCS, CHUNK_WORDS, type WordPool } from '../sets/chunk.ts';
import { countsOf, spanOf } from './timeline.ts';

/** The number of communities with live records in each bucket, by its start. Empty buckets are absent. */
export function communitiesPer(view: View, step: CoverageStep, table: NameTable): Map<number, number> {
  const walks = view.segments.map((source) => ({ source, names: table.mapOf(source.segment), next: 0 }));
  /** By community: the last bucket in which it was met, from 1. */
  const tally = table.tally();
  tally.isNoted = false;
  const met = tally.counts;
  const communities = new Map<number, number>();
  for (let bucket = 1; ; bucket++) {
    const open = walks.filter(({ source, next }) => next < source.segment.docs);
    if (open.length === 0) return communities;
    const first = Math.min(...open.map(({ source, next }) => source.segment.created.at(next)));
    const start = bucketStart(step, first);
    const end = nextBucket(step, start);
    let count = 0;
    for (const walk of open) {
      const to = walk.source.segment.firstAt(end, walk.next);
      count += meet(walk, to, bucket, met);
      walk.next = to;
    }
    if (count > 0) communities.set(start, count);
  }
}

interface Walk {
  readonly source: ViewSegment;
  readonly names: Uint32Array;
  next: number;
}

/** The number of communities among docs `from` to before `to` that are met for the first time in this bucket. */
function meet({ source, names, next: from }: Walk, to: number, bucket: number, met: Uint32Array): number {
  const { place } = source.segment;
  let count = 0;
  for (let doc = from; doc < to; ) {
    const chunk = Math.floor(doc / CHUNK_DOCS);
    const base = chunk * CHUNK_DOCS;
    const end = Math.min(to, base + CHUNK_DOCS);
    const places = place.chunk(chunk);
    const dead = source.dead[chunk] ?? NONE_DEAD;
    // Without branches, which would be mispredicted for each new community.
    for (let at = doc - base; at < end - base; at++) {
      const name = names[places[at]!]!;
      const isLive = ~(dead[at >>> 5]! >>> (at & 31)) & 1;
      const difference = (met[name]! ^ bucket) * isLive;
      count += (difference | -difference) >>> 31;
      met[name]! ^= difference;
    }
    doc = end;
  }
  return count;
}

const NONE_DEAD = new Uint32Array(CHUNK_WORDS);

/** The times of these communities, in this order. Throws `query_timeout` or an EngineLimit. */
export function timesOf(
  view: View,
  names: readonly string[],
  step: CoverageStep,
  pool: WordPool,
  deadline: Deadline,
): CommunityCoverage[] {
  const range = timeRange(view);
  const starts = range.first === null ? [] : startsWithin(step, range.first, range.last!, Infinity)!;
  const cells = new CellCount();
  return names.map((name) => {
    const query: Query = { items: [{ kind: 'community', name, negated: false }] };
    const matching = matchQuery(view, query, pool, deadline);
    const counts = countsOf(matching, { step, starts }, deadline);
    const buckets = starts.flatMap((start, i) => (counts[i] === 0 ? [] : { start, records: counts[i]! }));
    cells.add(buckets.length);
    const { first, last } = spanOf(matching) ?? { first: null, last: null };
    const records = totalOf(matching);
    pool.releaseAll();
    return { name, records, first, last, buckets };
  });
}
