// Breakdowns: how many matches each community or domain has. Counted by the numbers of the segment's columns, then
// brought together by name.

import type { BreakdownRequest, NameField } from '../../../model/engine.ts';
import type { NameTable } from '../index/name-table.ts';
import type { Segment } from '../index/segment.ts';
import type { ViewSegment } from '../index/view.ts';
import type { Counters, Kernels } from '../kernels/kernels.ts';
import { TYPESCRIPT_KERNELS } from '../kernels/typescript-kernels.ts';
import { CHUNK_DOCS, type Chunk, countOf, forEach, membersOf, type WordPool } from '../sets/chunk.ts';
import { intersect } from '../sets/chunk-operations.ts';
import { type Matching, type SegmentMatches, totalOf } from './matching.ts';
import { type TopFound, TopNames } from './top-names.ts';

/** The names of the rows, by their numbers in the table. `scratch` is used and given back. */
export function topNames(
  matching: Matching,
  field: NameField,
  request: BreakdownRequest,
  table: NameTable,
  scratch: WordPool,
): TopFound {
  return highest(countNames(matching, field, table, scratch), request, table);
}

/** Of each name, by its number. */
type NameCounts = Uint32Array | Map<number, number>;

function highest(counts: NameCounts, request: BreakdownRequest, table: NameTable): TopFound {
  const top = new TopNames(request, table);
  if (counts instanceof Map) for (const [number, count] of counts) top.add(number, count);
  else {
    for (let number = 0; number < counts.length; number++) {
      if (counts[number]! > 0) top.add(number, counts[number]!);
    }
  }
  return top.finish();
}

/** The names that are among the `size` highest of any, and how many matches each has of them, by their number. */
export function topNamesOfAll(
  matchings: readonly Matching[],
  field: NameField,
  size: number,
  table: NameTable,
  scratch: WordPool,
): { readonly number: number; readonly counts: readonly number[] }[] {
  // A copy each: the table's counters are used again.
  const counted = matchings.map((matching) => {
    const counts = countNames(matching, field, table, scratch);
    return counts instanceof Map ? counts : counts.slice();
  });
  const numbers = new Set(
    counted.flatMap((counts) => highest(counts, { field, size }, table).rows.map(({ number }) => number)),
  );
  return Array.from(numbers, (number) => ({
    number,
    counts: counted.map((counts) => countIn(counts, number)),
  }));
}

/** How many matches have each of these names. `scratch` is used and given back. */
export function countsOfNames(
  matching: Matching,
  field: NameField,
  numbers: readonly number[],
  table: NameTable,
  scratch: WordPool,
): number[] {
  const counts = countNames(matching, field, table, scratch);
  return numbers.map((number) => countIn(counts, number));
}

/** 0 where the name has no number yet when it is counted. */
function countIn(counts: NameCounts, number: number): number {
  return (counts instanceof Map ? counts.get(number) : counts[number]) ?? 0;
}

/** By number of the name; valid until the next call. */
function countNames(matching: Matching, field: NameField, table: NameTable, scratch: WordPool): NameCounts {
  const { segments, conditions } = matching;
  const maps = segments.map(({ segment }) => table.mapOf(segment));
  if (field === 'community' && conditions.communities?.length === 1) {
    const total = totalOf(matching);
    return new Map(total === 0 ? [] : [[table.numberOf(conditions.communities[0]!), total]]);
  }
  if (segments.every(({ isEverything }) => isEverything)) {
    const names = segments.map(
      ({ viewSegment: { segment, deadVersion } }) => `${segment.name} ${deadVersion}`,
    );
    return table.liveCounts(names.join(), () => addUp(matching, field, maps, table, scratch));
  }
  const isCounted = segments.some((matches) => matches.given(field) !== undefined);
  if (!isCounted && totalOf(matching) * SPARSE_FACTOR < table.size) {
    return sparseCounts(matching, field, maps, scratch);
  }
  return addUp(matching, field, maps, table, scratch);
}

/** In the table's memory. */
function addUp(
  matching: Matching,
  field: NameField,
  maps: readonly Uint32Array[],
  table: NameTable,
  scratch: WordPool,
): Uint32Array {
  const counts = table.totals();
  for (const [i, matches] of matching.segments.entries()) {
    const map = maps[i]!;
    const given = matches.given(field);
    if (given !== undefined) addByMap(counts, given, map);
    else if (matches.isEverything) addByMap(counts, liveCounts(matches.viewSegment, field), map);
    else if (countedAbout(matches, field) < map.length * EACH_FACTOR)
      addEach(counts, matches, field, map, scratch);
    else addByMap(counts, countMatches(matches, field, scratch), map);
  }
  return counts;
}

/** With fewer matches than names / this, a counter for each name would cost more than the matches. */
const SPARSE_FACTOR = 8;

/** By number of the name. */
function sparseCounts(
  matching: Matching,
  field: NameField,
  maps: readonly Uint32Array[],
  scratch: WordPool,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [i, matches] of matching.segments.entries()) {
    const map = maps[i]!;
    forEachNumber(matches, field, scratch, (number) => {
      counts.set(map[number]!, (counts.get(map[number]!) ?? 0) + 1);
    });
  }
  return counts;
}

/** Up to so many docs for each number of a column, counting by name costs less than by number and then by name. */
const EACH_FACTOR = 1.5;

/** About how many matches count towards a row: of domains, as many in a hundred as have one in the segment. */
function countedAbout(matches: SegmentMatches, field: NameField): number {
  if (field === 'community') return matches.count();
  const { segment } = matches;
  let withDomain = 0;
  for (let chunk = 0; chunk < segment.chunks; chunk++) withDomain += countOf(segment.withDomain(chunk));
  return (matches.count() / segment.docs) * withDomain;
}

/**
 * For few matches beside the numbers of the column. They are mostly arrays: their loops make no calls and no objects.
 */
function addEach(
  counts: Uint32Array,
  matches: SegmentMatches,
  field: NameField,
  map: Uint32Array,
  scratch: WordPool,
): void {
  const { segment } = matches;
  for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
    const docs = counted(matches, chunk, field, scratch);
    const values = docs.kind === 'array' ? docs.values : valuesOf(docs, scratch);
    if (field === 'community') addPlaces(counts, values, segment.place.chunk(chunk), map);
    else addDomains(counts, values, segment.domain.chunk(chunk), map, segment.domainSets);
    scratch.releaseAll();
  }
}

function valuesOf(docs: Chunk, scratch: WordPool): Uint16Array {
  const values = scratch.numbers(countOf(docs));
  membersOf(docs, values);
  return values;
}

function addPlaces(
  counts: Uint32Array,
  values: Uint16Array,
  column: Uint16Array | Uint32Array,
  map: Uint32Array,
): void {
  for (let i = 0; i < values.length; i++) counts[map[column[values[i]!]!]!]!++;
}

/** `values` have a domain. */
function addDomains(
  counts: Uint32Array,
  values: Uint16Array,
  column: Uint16Array | Uint32Array,
  map: Uint32Array,
  sets: Segment['domainSets'],
): void {
  for (let i = 0; i < values.length; i++) {
    const number = column[values[i]!]! - 1;
    if (number < map.length) counts[map[number]!]!++;
    else for (const one of sets[number - map.length]!) counts[map[one]!]!++;
  }
}

function forEachNumber(
  matches: SegmentMatches,
  field: NameField,
  scratch: WordPool,
  call: (number: number) => void,
): void {
  const { segment } = matches;
  for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
    const base = chunk * CHUNK_DOCS;
    const docs = counted(matches, chunk, field, scratch);
    if (field === 'community') {
      // Few docs: no chunk is read for them.
      forEach(docs, (member) => call(segment.place.at(base + member)));
    } else {
      forEach(docs, (member) => {
        for (const number of segment.domainsOf(base + member)) call(number);
      });
    }
    scratch.releaseAll();
  }
}

/** The matches of a chunk that count towards a row. Few comments have a link: the others are not looked at. */
function counted(matches: SegmentMatches, chunk: number, field: NameField, scratch: WordPool): Chunk {
  const docs = matches.chunk(chunk);
  return field === 'domain' ? intersect(docs, matches.segment.withDomain(chunk), scratch) : docs;
}

function addByMap(counts: Uint32Array, byColumn: Uint32Array, map: Uint32Array): void {
  for (let number = 0; number < map.length; number++) counts[map[number]!]! += byColumn[number]!;
}

/** What all live records of a segment count to; made once. */
export function liveCounts(viewSegment: ViewSegment, field: NameField): Uint32Array {
  let counts = viewSegment.memo.get(field);
  if (counts === undefined) {
    const { segment, dead } = viewSegment;
    counts = wholeCounts(segment, field);
    if (dead.some((words) => words !== null)) {
      const counter = counterFor(segment, field);
      for (const [chunk, words] of dead.entries()) {
        if (words !== null) counter.add(chunk, { kind: 'bits', words, count: -1 });
      }
      const gone = counter.finish();
      counts = counts.map((count, number) => count - gone[number]!);
    }
    viewSegment.memo.set(field, counts);
  }
  return counts;
}

/** By segment and field: the counts of its records, dead ones too. New tombstones do not change them. */
const whole = new WeakMap<Segment, Map<NameField, Uint32Array>>();

function wholeCounts(segment: Segment, field: NameField): Uint32Array {
  const known = whole.get(segment) ?? new Map<NameField, Uint32Array>();
  whole.set(segment, known);
  let counts = known.get(field);
  if (counts === undefined) {
    const counter = counterFor(segment, field);
    for (let chunk = 0; chunk < segment.chunks; chunk++) {
      const to = Math.min(CHUNK_DOCS, segment.docs - chunk * CHUNK_DOCS);
      counter.add(chunk, { kind: 'run', from: 0, to });
    }
    counts = counter.finish();
    known.set(field, counts);
  }
  return counts;
}

/** What it counts is kept: it is not in the memory of kernels. */
function counterFor(segment: Segment, field: NameField): ColumnCounter {
  const length = columnNumbers(segment, field);
  const counters: Counters = [new Uint32Array(length), new Uint32Array(length)];
  return new ColumnCounter(segment, field, TYPESCRIPT_KERNELS, counters);
}

/** By number of the place or the domain; valid until the next call. `scratch` is used and given back. */
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

/** How many different numbers a column can have. */
function columnNumbers({ places, domains, domainSets }: Segment, field: NameField): number {
  return field === 'community' ? places.length : 1 + domains.length + domainSets.length;
}

/** Counts docs by a column of their segment. */
class ColumnCounter {
  readonly #column: Segment['place'];
  readonly #counters: Counters;
  readonly #segment: Segment;
  readonly #field: NameField;
  readonly #kernels: Kernels;

  /** Counters for each number of the column, all 0. */
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

  /** By number of the place or of the domain. */
  finish(): Uint32Array {
    const [counts] = this.#counters;
    this.#kernels.sumCounters(this.#counters);
    if (this.#field === 'community') return counts;
    const { domains, domainSets } = this.#segment;
    const byDomain = counts.subarray(1, 1 + domains.length);
    for (const [set, numbers] of domainSets.entries()) {
      const count = counts[1 + domains.length + set]!;
      if (count > 0) for (const number of numbers) byDomain[number]! += count;
    }
    return byDomain;
  }
}
