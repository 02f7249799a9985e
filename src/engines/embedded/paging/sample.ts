// Samples (model/analyses.ts). Ranks come from the column of content hashes, chunk by chunk; only records of the sample
// are read.

import {
  compareRanks,
  MAX_IN_GROUPS,
  type RankKey,
  rankHigh,
  rankKey,
  rankOf,
  type Sample,
  type SamplePage,
} from '../../../model/analyses.ts';
import type { NameField } from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { compareIds, PageBudget } from '../../../model/pages.ts';
import { bucketStart, nextBucket } from '../../../model/timeline.ts';
import { MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';
import type { NameTable } from '../index/names.ts';
import { bitsList } from '../index/posting-list.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import { chunkWithin, type Matching, type Narrowing, totalOf } from '../matching/matching.ts';
import {
  CHUNK_DOCS,
  CHUNK_WORDS,
  type Chunk,
  countOf,
  forEach,
  isEmpty,
  valuesOf,
  type WordPool,
} from '../sets/chunk.ts';
import { WalkedRecords } from './match-walk.ts';
import type { MatchPlace, PlacedPage } from './time-walk.ts';
import { GreatestKeys } from './top-page.ts';

/** Reading the column of a chunk costs as much as reading this many of its hashes one by one. */
const WORTH_A_CHUNK = 64;

const highs = new Uint32Array(CHUNK_DOCS);
const lows = new Uint32Array(CHUNK_DOCS);

/** Name tables are those for questions of the view; `scratch` is used and given back. */
export interface CountingMeans {
  readonly tableFor: (field: NameField) => NameTable;
  readonly scratch: WordPool;
  readonly deadline: Deadline;
}

export function samplePage(matching: Matching, request: SamplePage, means: CountingMeans): PlacedPage {
  const { maxBytes = Infinity } = request;
  const places = samplesOfAll([matching], request, means)[0]!;
  const budget = new PageBudget(maxBytes);
  const records = readAll(places, (place, walked) => {
    const record = walked.record(place);
    if (!budget.fits(record)) throw new EngineLimit({ limit: 'sample_bytes', maxBytes });
    means.deadline.step();
    return record;
  });
  const hasMore = records.length < totalOf(matching);
  return { page: { records, next: null, hasMore, isShort: false }, places };
}

/** One of each matching, all of one view, each ordered by rank. Throws an EngineLimit or `query_timeout`. */
export function samplesOfAll(
  matchings: readonly Matching[],
  sample: Sample,
  { tableFor, scratch, deadline }: CountingMeans,
): MatchPlace[][] {
  const bySegment = Map.groupBy(
    matchings.flatMap(({ segments }, side) => segments.map((matches) => ({ matches, side }))),
    ({ matches }) => matches.segment,
  );
  const segments = [...bySegment.keys()];
  const placeOf = (number: number): MatchPlace => ({
    segment: segments[Math.floor(number / MAX_SEGMENT_DOCS)]!,
    doc: number % MAX_SEGMENT_DOCS,
  });
  const key = rankKey(sample.seed);
  const rank = ({ segment, doc }: MatchPlace) => rankOf(key, segment.facts.contentHash(doc));
  const compare = (a: number, b: number) => {
    const [one, other] = [placeOf(a), placeOf(b)];
    const { segment, doc } = other;
    return compareRanks(rank(one), rank(other)) || compareIds(one.segment.id(one.doc), segment.id(doc));
  };
  const drawings = matchings.map(() => new Drawing(sample, key, tableFor('community')));
  for (const [i, segment] of segments.entries()) {
    const sides = bySegment.get(segment)!;
    for (let chunk = 0; chunk < segment.chunks; chunk++) {
      deadline.check();
      const here = sides
        .map(({ matches, side }) => ({ docs: chunkWithin(matches, chunk), drawing: drawings[side]! }))
        .filter(({ docs }) => !isEmpty(docs));
      const docs = here.map((one) => one.docs);
      if (docs.length > 0) readHashes(segment, chunk, docs, deadline);
      for (const { docs, drawing } of here)
        drawing.take(valuesOf(docs, scratch), segment, i * MAX_SEGMENT_DOCS, chunk);
      scratch.releaseAll();
    }
  }
  return drawings.map((drawing) => drawing.numbers(compare).map(placeOf));
}

/** Reads the hashes of all these docs. */
function readHashes(segment: Segment, chunk: number, all: readonly Chunk[], deadline: Deadline): void {
  const count = all.reduce((sum, docs) => sum + countOf(docs), 0);
  if (count >= WORTH_A_CHUNK) {
    segment.facts.readChunk('contentHigh', chunk, highs);
    segment.facts.readChunk('contentLow', chunk, lows);
    return;
  }
  const base = chunk * CHUNK_DOCS;
  for (const docs of all) {
    forEach(docs, (doc) => {
      deadline.step();
      const { high, low } = segment.facts.contentHash(base + doc);
      highs[doc] = high;
      lows[doc] = low;
    });
  }
}

/** Narrows a query to these places, which are known to match. */
export function narrowedTo(places: readonly MatchPlace[], pool: WordPool): Narrowing {
  const bySegment = Map.groupBy(places, ({ segment }) => segment.name);
  return ({ segment }, makePlan) => {
    const here = bySegment.get(segment.name);
    const plan = here === undefined ? null : makePlan();
    if (here === undefined || plan === null) return null;
    const words = pool.roomForWords(segment.chunks * CHUNK_WORDS).fill(0);
    for (const { doc } of here) words[doc >>> 5]! |= 1 << (doc & 31);
    const list = bitsList({ count: here.length, isExact: true, cost: 0 }, () => words);
    const required = [{ sure: list, maybe: null, phrases: [], count: list.count }];
    return { ...plan, required, excluded: [], suspected: [], scores: null };
  };
}

/** Reads in the order of segments and docs, and returns the results in the order of `places`. */
export function readAll<T>(
  places: readonly MatchPlace[],
  read: (place: MatchPlace, walked: WalkedRecords) => T,
): T[] {
  const walked = new WalkedRecords();
  const found: T[] = new Array(places.length);
  for (const [segment, numbers] of Map.groupBy(places.keys(), (i) => places[i]!.segment)) {
    numbers.sort((a, b) => places[a]!.doc - places[b]!.doc);
    for (const i of numbers) found[i] = read({ segment, doc: places[i]!.doc }, walked);
  }
  return found;
}

/** The lowest ranks so far in each group; without groups, all docs are one. */
class Drawing {
  readonly #sample: Sample;
  readonly #key: RankKey;
  readonly #communities: NameTable;
  /** By the first half of the rank, which is negative so that the lowest is the greatest. */
  readonly #groups = new Map<number, GreatestKeys>();
  #kept = 0;

  constructor(sample: Sample, key: RankKey, communities: NameTable) {
    this.#sample = sample;
    this.#key = key;
    this.#communities = communities;
  }

  /** Takes docs of a chunk whose hashes have been read; `first`: the number of the segment's first doc. */
  take(docs: Uint16Array, segment: Segment, first: number, chunk: number): void {
    const base = chunk * CHUNK_DOCS;
    const { per } = this.#sample;
    const groupOf = per === undefined ? null : groupsOf(segment, per, this.#communities);
    const only = groupOf === null ? this.#group(0) : null;
    const key = this.#key;
    // Hot: most ranks end at the first comparison.
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i]!;
      const group = only ?? this.#group(groupOf!(base + doc));
      const high = rankHigh(key, highs[doc]!, lows[doc]!);
      if (-high < group.floor) continue;
      const before = group.length;
      group.add(-high, first + base + doc);
      this.#kept += group.length - before;
      if (only === null && this.#kept > MAX_IN_GROUPS) throw new EngineLimit({ limit: 'sample_groups' });
    }
  }

  /** By rank; `compare` orders those with the same first half. */
  numbers(compare: (a: number, b: number) => number): number[] {
    const all = new GreatestKeys(Math.max(1, this.#kept));
    for (const group of this.#groups.values()) {
      for (const { key, ref } of group.sorted(compare).slice(0, this.#sample.size)) all.add(key, ref);
    }
    return all.sorted(compare).map(({ ref }) => ref);
  }

  #group(number: number): GreatestKeys {
    let group = this.#groups.get(number);
    if (group === undefined) {
      group = new GreatestKeys(this.#sample.size);
      this.#groups.set(number, group);
    }
    return group;
  }
}

/** The number of each doc's group; fastest for ascending docs. */
function groupsOf(
  segment: Segment,
  per: NonNullable<Sample['per']>,
  communities: NameTable,
): (doc: number) => number {
  if (per === 'community') {
    const map = communities.mapOf(segment);
    return (doc) => map[segment.place.at(doc)]!;
  }
  let [start, end] = [0, 0];
  return (doc) => {
    const created = segment.created.at(doc);
    if (created < start || created >= end) {
      start = bucketStart('month', created);
      end = nextBucket('month', start);
    }
    return start;
  };
}
