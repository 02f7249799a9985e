// When communities have records: how many communities in each day or month, and the times of some of them. One walk
// over a column that is in memory, whatever is known of the segments.

import type { CommunityCoverage, CoverageStep } from '../../../model/coverage.ts';
import { bucketStart, nextBucket } from '../../../model/timeline.ts';
import type { NameTable } from '../index/name-table.ts';
import { type DeadDocs, isDead, type View, type ViewSegment } from '../index/view.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import type { Deadline } from './deadline.ts';

/** How many communities have live records in each bucket of the step, by its start; empty ones are absent. */
export function communitiesPer(view: View, step: CoverageStep, table: NameTable): Map<number, number> {
  const walks = view.segments.map((source) => ({ source, names: table.mapOf(source.segment), next: 0 }));
  /** By community: the last bucket, from 1, that it was met in. */
  const met = table.totals();
  const communities = new Map<number, number>();
  for (let bucket = 1; ; bucket++) {
    const open = walks.filter(({ source, next }) => next < source.segment.docs);
    if (open.length === 0) return communities;
    const first = Math.min(...open.map(({ source, next }) => source.segment.created[next]!));
    const start = bucketStart(step, first);
    const end = nextBucket(step, start);
    let count = 0;
    for (const walk of open) {
      const to = walk.source.segment.firstAt(end);
      count += meet(walk, to, bucket, met);
      walk.next = to;
    }
    if (count > 0) communities.set(start, count);
  }
}

interface Walk {
  readonly source: ViewSegment;
  /** By place, the number of its community. */
  readonly names: Uint32Array;
  /** The doc to go on at. */
  next: number;
}

/** How many communities of the docs from `next` to before `to` are met for the first time in this bucket. */
function meet({ source, names, next }: Walk, to: number, bucket: number, met: Uint32Array): number {
  const { place } = source.segment;
  let count = 0;
  for (const { from, end, dead } of stretches(source.dead, next, to)) {
    for (let doc = from; doc < end; doc++) {
      const name = names[place[doc]!]!;
      if (met[name] === bucket || (dead && isDead(source.dead, doc))) continue;
      met[name] = bucket;
      count++;
    }
  }
  return count;
}

/** The parts of docs `from` to before `to` that lie in one chunk each; `dead`: whether any of the chunk is. */
function* stretches(dead: DeadDocs, from: number, to: number) {
  for (let at = from; at < to; ) {
    const chunk = Math.floor(at / CHUNK_DOCS);
    const end = Math.min(to, (chunk + 1) * CHUNK_DOCS);
    yield { from: at, end, dead: dead[chunk] != null };
    at = end;
  }
}

interface Times {
  records: number;
  first: number;
  last: number;
  readonly buckets: Map<number, number>;
}

/** Of each of these communities, in this order; a name comes once. */
export function timesOf(
  view: View,
  names: readonly string[],
  step: CoverageStep,
  deadline: Deadline,
): CommunityCoverage[] {
  const all = names.map((): Times => ({ records: 0, first: Infinity, last: -Infinity, buckets: new Map() }));
  for (const source of view.segments) addTimes(source, names, all, step, deadline);
  return all.map(({ records, first, last, buckets }, i) => ({
    name: names[i]!,
    records,
    first: records === 0 ? null : first,
    last: records === 0 ? null : last,
    buckets: [...buckets].sort(([a], [b]) => a - b).map(([start, count]) => ({ start, records: count })),
  }));
}

function addTimes(
  { segment, dead }: ViewSegment,
  names: readonly string[],
  all: readonly Times[],
  step: CoverageStep,
  deadline: Deadline,
): void {
  const numbers = new Map(names.map((name, i) => [name, i + 1]));
  /** By place: 1 + the number of the name; 0: it is of another community. */
  const wanted = Uint8Array.from(segment.places, ({ community }) => numbers.get(community) ?? 0);
  if (!wanted.some((number) => number > 0)) return;
  const { place, created } = segment;
  let [start, end] = [0, 0];
  /** Of the current bucket, by the number of the name. */
  const counts = new Uint32Array(all.length + 1);
  const close = () => {
    for (let number = 1; number < counts.length; number++) {
      const count = counts[number]!;
      if (count === 0) continue;
      const times = all[number - 1]!;
      times.records += count;
      times.buckets.set(start, (times.buckets.get(start) ?? 0) + count);
      counts[number] = 0;
    }
  };
  const firsts = new Float64Array(all.length + 1).fill(Infinity);
  const lasts = new Float64Array(all.length + 1).fill(-Infinity);
  for (const stretch of stretches(dead, 0, segment.docs)) {
    deadline.check();
    for (let doc = stretch.from; doc < stretch.end; doc++) {
      const number = wanted[place[doc]!]!;
      if (number === 0 || (stretch.dead && isDead(dead, doc))) continue;
      const time = created[doc]!;
      if (time >= end) {
        close();
        start = bucketStart(step, time);
        end = nextBucket(step, start);
      }
      counts[number]!++;
      if (firsts[number] === Infinity) firsts[number] = time;
      lasts[number] = time;
    }
  }
  close();
  for (const [i, times] of all.entries()) {
    times.first = Math.min(times.first, firsts[i + 1]!);
    times.last = Math.max(times.last, lasts[i + 1]!);
  }
}
