// Counts by the numbers of a segment's columns: of all live records, which are cached, and of the matches of a query.
// Counts by place also tell what the records of both kinds say of communities.

import type { CommunityEvidence } from '../../../model/community.ts';
import type { NameField } from '../../../model/engine.ts';
import { leastId } from '../../../model/pages.ts';
import type { CommunityFacts } from '../format/segment-columns.ts';
import { nameHash } from '../index/names.ts';
import type { Segment } from '../index/segment.ts';
import type { View, ViewSegment } from '../index/view.ts';
import type { SegmentMatches } from '../matching/matching.ts';
import { CHUNK_DOCS, type Chunk, chunkSize, intersect, type WordPool } from '../sets/chunk.ts';
import { type Counters, type Kernels, TYPESCRIPT_KERNELS } from '../sets/kernels.ts';

/** Names without a live record are absent. */
export function evidenceOf(views: readonly View[], names: Iterable<string>): Map<string, CommunityEvidence> {
  const asked = Array.from(names, (name) => ({ name, hash: nameHash(name) }));
  const found = new Map<string, CommunityEvidence>();
  if (asked.length === 0) return found;
  // Goes segment by segment, since finding what is cached for a segment takes longer than a name in it.
  for (const viewSegment of views.flatMap(({ segments }) => segments)) {
    const { names: ofSegment } = viewSegment.segment;
    const counts = liveCounts(viewSegment, 'community');
    for (const { name, hash } of asked) {
      for (const number of ofSegment.placesOf(name, hash)) {
        const count = counts[number]!;
        if (count > 0) found.set(name, withFacts(found.get(name), ofSegment.placeAt(number), count));
      }
    }
  }
  return found;
}

function withFacts(
  { id, judgedPosts, adultPosts }: CommunityEvidence = { id: '', judgedPosts: 0, adultPosts: 0 },
  { communityId, adult }: CommunityFacts,
  count: number,
): CommunityEvidence {
  return {
    id: communityId === id ? id : leastId(id, communityId),
    judgedPosts: judgedPosts + (adult === null ? 0 : count),
    adultPosts: adultPosts + (adult === true ? count : 0),
  };
}

/** For fewer docs of a chunk, no chunk of a column is read from the file. */
export const FEW_DOCS = 32;

/** Shared, since calls are synchronous. */
const numbersRead = new Uint32Array(CHUNK_DOCS);

/**
 * The column's numbers of these docs of a chunk; valid until the next call. Reading is apart from counting: in a loop
 * that does nothing else, the processor has many cache misses under way at once.
 */
export function numbersOf(column: Segment['place'], chunk: number, values: Uint16Array): Uint32Array {
  const { length } = values;
  const numbers = length < FEW_DOCS ? column.atHand(chunk) : column.chunk(chunk);
  if (numbers === undefined) {
    for (let i = 0; i < length; i++) numbersRead[i] = column.at(chunk * CHUNK_DOCS + values[i]!);
  } else for (let i = 0; i < length; i++) numbersRead[i] = numbers[values[i]!]!;
  return numbersRead;
}

/** The matches of a chunk that count towards a row. Few comments have a link, so the others are skipped. */
export function counted(matches: SegmentMatches, chunk: number, field: NameField, scratch: WordPool): Chunk {
  return countedIn(matches.segment, chunk, matches.members(chunk), field, scratch);
}

export function countedIn(
  segment: Segment,
  chunk: number,
  docs: Chunk,
  field: NameField,
  scratch: WordPool,
): Chunk {
  return field === 'domain' ? intersect(docs, segment.withDomain.chunk(chunk), scratch) : docs;
}

/** Counts of all live records of a segment, cached. */
export function liveCounts(viewSegment: ViewSegment, field: NameField): Uint32Array {
  return viewSegment.memo.getOrInsertComputed(field, () => {
    const { segment, dead } = viewSegment;
    const counts = wholeCounts(segment, field);
    if (dead.every((words) => words === null)) return counts;
    const counter = counterFor(segment, field);
    for (const [chunk, words] of dead.entries()) {
      if (words !== null) counter.add(chunk, { kind: 'bits', words, count: -1 });
    }
    const gone = counter.finish();
    return counts.map((count, number) => count - gone[number]!);
  });
}

/** By segment and field: counts of all records, dead ones included. New tombstones do not change them. */
const whole = new WeakMap<Segment, Map<NameField, Uint32Array>>();

function wholeCounts(segment: Segment, field: NameField): Uint32Array {
  const known = whole.getOrInsertComputed(segment, () => new Map<NameField, Uint32Array>());
  return known.getOrInsertComputed(field, () => {
    const counter = counterFor(segment, field);
    for (let chunk = 0; chunk < segment.chunks; chunk++)
      counter.add(chunk, { kind: 'run', from: 0, to: chunkSize(chunk, segment.docs) });
    return counter.finish();
  });
}

/** Its counts are cached, so they are not in the memory of kernels. */
function counterFor(segment: Segment, field: NameField): ColumnCounter {
  const length = columnNumbers(segment, field);
  const counters: Counters = [new Uint32Array(length), new Uint32Array(length)];
  return new ColumnCounter(segment, field, TYPESCRIPT_KERNELS, counters);
}

/** Counts by number of the place or domain; valid until the next call. `scratch` is used and given back. */
export function countMatches(matches: SegmentMatches, field: NameField, scratch: WordPool): Uint32Array {
  const { segment } = matches;
  const { kernels } = scratch;
  const counters = kernels.counters(columnNumbers(segment, field));
  const counter = new ColumnCounter(segment, field, kernels, counters);
  for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
    counter.add(chunk, counted(matches, chunk, field, scratch));
    scratch.releaseAll();
  }
  return counter.finish();
}

function columnNumbers({ names }: Segment, field: NameField): number {
  return field === 'community' ? names.placeCount : 1 + names.domainCount + names.domainSets.length;
}

class ColumnCounter {
  readonly #column: Segment['place'];
  readonly #counters: Counters;
  readonly #segment: Segment;
  readonly #field: NameField;
  readonly #kernels: Kernels;

  /** Makes a counter of 0 for each number of the column. */
  constructor(segment: Segment, field: NameField, kernels: Kernels, counters: Counters) {
    this.#segment = segment;
    this.#field = field;
    this.#column = field === 'community' ? segment.place : segment.domain;
    this.#kernels = kernels;
    this.#counters = counters;
  }

  add(chunk: number, docs: Chunk): void {
    const column = this.#column.chunk(chunk);
    if (docs.kind === 'array') this.#kernels.tallyValues(docs.values, column, this.#counters);
    else if (docs.kind === 'bits') this.#kernels.tallyBits(docs.words, column, this.#counters);
    else {
      const [counts] = this.#counters;
      for (let doc = docs.from; doc < docs.to; doc++) counts[column[doc]!]!++;
    }
  }

  /** Counts by number of the place or domain. */
  finish(): Uint32Array {
    const [counts] = this.#counters;
    this.#kernels.sumCounters(this.#counters);
    if (this.#field === 'community') return counts;
    const { domainCount, domainSets } = this.#segment.names;
    const byDomain = counts.subarray(1, 1 + domainCount);
    for (const [set, numbers] of domainSets.entries()) {
      const count = counts[1 + domainCount + set]!;
      if (count > 0) for (const number of numbers) byDomain[number]! += count;
    }
    return byDomain;
  }
}
