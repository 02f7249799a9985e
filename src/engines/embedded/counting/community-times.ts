// When communities have records: the number of communities in each day or month, and the times of some of them. One
// walk over a column in memory.

import { CellCount, type CommunityCoverage, type CoverageStep } from '../../../model/coverage.ts';
import { bucketStart, nextBucket } from '../../../model/timeline.ts';
import { type NameTable, nameHash } from '../index/names.ts';
import type { DeadDocs } from '../index/segment.ts';
import type { View, ViewSegment } from '../index/view.ts';
import type { Deadline } from '../matching/deadline.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';

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
function meet({ source, names, next }: Walk, to: number, bucket: number, met: Uint32Array): number {
  const { place } = source.segment;
  let count = 0;
  for (const stretch of stretches(source.dead, next, to)) {
    const places = place.chunk(stretch.chunk);
    count +=
      stretch.dead === null
        ? meetAll(places, names, stretch, bucket, met)
        : meetLiving(places, names, stretch, bucket, met, stretch.dead);
  }
  return count;
}

/** Hot: a branch would be mispredicted for each new community. */
function meetAll(
  place: Uint16Array | Uint32Array,
  names: Uint32Array,
  { from, end }: Pick<Stretch, 'from' | 'end'>,
  bucket: number,
  met: Uint32Array,
): number {
  let count = 0;
  for (let doc = from; doc < end; doc++) {
    const name = names[place[doc]!]!;
    const difference = met[name]! ^ bucket;
    count += (difference | -difference) >>> 31;
    met[name] = bucket;
  }
  return count;
}

function meetLiving(
  place: Uint16Array | Uint32Array,
  names: Uint32Array,
  { from, end }: Pick<Stretch, 'from' | 'end'>,
  bucket: number,
  met: Uint32Array,
  dead: Uint32Array,
): number {
  let count = 0;
  for (let doc = from; doc < end; doc++) {
    const name = names[place[doc]!]!;
    if (met[name] === bucket || isMember(dead, doc)) continue;
    met[name] = bucket;
    count++;
  }
  return count;
}

/** Docs of one chunk, by their places in it. */
interface Stretch {
  readonly chunk: number;
  readonly from: number;
  readonly end: number;
  /** The dead docs of the chunk; null: none. */
  readonly dead: Uint32Array | null;
}

/** The parts of docs `from` to before `to`, each inside one chunk. */
function* stretches(dead: DeadDocs, from: number, to: number): Generator<Stretch> {
  for (let at = from; at < to; ) {
    const chunk = Math.floor(at / CHUNK_DOCS);
    const base = chunk * CHUNK_DOCS;
    const end = Math.min(to, base + CHUNK_DOCS);
    yield { chunk, from: at - base, end: end - base, dead: dead[chunk] ?? null };
    at = end;
  }
}

function isMember(words: Uint32Array, doc: number): boolean {
  return ((words[doc >>> 5]! >>> (doc & 31)) & 1) === 1;
}

interface Wanted {
  readonly at: number;
  readonly place: number;
}

/** The times of these communities, in this order, each once. Throws `query_timeout` or an EngineLimit. */
export function timesOf(
  view: View,
  names: readonly string[],
  step: CoverageStep,
  deadline: Deadline,
): CommunityCoverage[] {
  const all = names.map((name) => new CommunityTimes(name));
  const cells = new CellCount();
  const hashes = names.map(nameHash);
  for (const source of view.segments) {
    const { names: segmentNames } = source.segment;
    const wanted = names.flatMap((name, at) =>
      segmentNames.placesOf(name, hashes[at]!).map((place): Wanted => ({ at, place })),
    );
    if (wanted.length > 0) addTimes(source, wanted, all, { step, cells, deadline });
  }
  return all.map((one) => one.told());
}

class CommunityTimes {
  readonly #name: string;
  #records = 0;
  #first = Infinity;
  #last = -Infinity;
  readonly #buckets = new Map<number, number>();

  constructor(name: string) {
    this.#name = name;
  }

  /** Adds the records of one bucket, at least one. True: they are the first of the bucket. */
  add(start: number, records: number): boolean {
    const known = this.#buckets.get(start);
    this.#buckets.set(start, (known ?? 0) + records);
    this.#records += records;
    return known === undefined;
  }

  reach(first: number, last: number): void {
    this.#first = Math.min(this.#first, first);
    this.#last = Math.max(this.#last, last);
  }

  told(): CommunityCoverage {
    const isNone = this.#records === 0;
    return {
      name: this.#name,
      records: this.#records,
      first: isNone ? null : this.#first,
      last: isNone ? null : this.#last,
      buckets: [...this.#buckets].sort(([a], [b]) => a - b).map(([start, records]) => ({ start, records })),
    };
  }
}

/** Counts every place, so the loop has no branch and takes the same time for one community as for a hundred. */
function addTimes(
  source: ViewSegment,
  wanted: readonly Wanted[],
  all: readonly CommunityTimes[],
  {
    step,
    cells,
    deadline,
  }: { readonly step: CoverageStep; readonly cells: CellCount; readonly deadline: Deadline },
): void {
  const { segment } = source;
  const { created, place } = segment;
  /** By place: its docs up to the end of the bucket. */
  const counts = new Uint32Array(segment.names.placeCount);
  /** By number in `wanted`: its docs up to the beginning of the bucket. */
  const before = new Uint32Array(wanted.length);
  for (let from = 0; from < segment.docs; ) {
    const start = bucketStart(step, created.at(from));
    const to = segment.firstAt(nextBucket(step, start), from);
    for (const stretch of stretches(source.dead, from, to)) {
      deadline.check();
      countPlaces(place.chunk(stretch.chunk), stretch, counts);
    }
    for (let i = 0; i < wanted.length; i++) {
      const one = wanted[i]!;
      const count = counts[one.place]!;
      if (count === before[i]) continue;
      if (all[one.at]!.add(start, count - before[i]!)) cells.add();
      before[i] = count;
    }
    from = to;
  }
  const { first, last } = endsOf(source);
  for (const [i, { at, place: own }] of wanted.entries()) {
    if (before[i]! > 0) all[at]!.reach(created.at(first[own]!), created.at(last[own]!));
  }
}

/** Hot: no callback, and no branch if no doc is dead. */
function countPlaces(
  place: Uint16Array | Uint32Array,
  { from, end, dead }: Stretch,
  counts: Uint32Array,
): void {
  if (dead === null) for (let doc = from; doc < end; doc++) counts[place[doc]!]!++;
  else for (let doc = from; doc < end; doc++) if (!isMember(dead, doc)) counts[place[doc]!]!++;
}

const NONE = 0xffffffff;

/** The first and last live doc of each place (arbitrary if there is none), cached for these dead docs. */
function endsOf({ segment, dead, memo }: ViewSegment): {
  readonly first: Uint32Array;
  readonly last: Uint32Array;
} {
  let [first, last] = [memo.get('first of place'), memo.get('last of place')];
  if (first === undefined || last === undefined) {
    first = new Uint32Array(segment.names.placeCount);
    last = new Uint32Array(segment.names.placeCount);
    first.fill(NONE);
    for (let chunk = 0; chunk < segment.chunks; chunk++) {
      const base = chunk * CHUNK_DOCS;
      const places = segment.place.chunk(chunk);
      const words = dead[chunk] ?? null;
      for (let i = 0; i < places.length; i++) {
        if (words !== null && isMember(words, i)) continue;
        const place = places[i]!;
        if (first[place] === NONE) first[place] = base + i;
        last[place] = base + i;
      }
    }
    memo.set('first of place', first);
    memo.set('last of place', last);
  }
  return { first, last };
}
