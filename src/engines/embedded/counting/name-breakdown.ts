// Breakdowns: how many matches each community or domain has. Counted by the numbers of the segment's columns, then
// brought together by name.

import type { BreakdownRequest, NameField } from '../../../model/engine.ts';
import type { NameTable, Tally } from '../index/name-table.ts';
import type { Segment } from '../index/segment.ts';
import type { ViewSegment } from '../index/view.ts';
import type { Counters, Kernels } from '../kernels/kernels.ts';
import { TYPESCRIPT_KERNELS } from '../kernels/typescript-kernels.ts';
import { type Matching, type SegmentMatches, totalOf } from '../matching/matching.ts';
import { CHUNK_DOCS, type Chunk, countOf, isEmpty, membersOf, type WordPool } from '../sets/chunk.ts';
import { intersect } from '../sets/chunk-operations.ts';
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
interface NameCounts {
  readonly counts: Uint32Array;
  /** Those above 0, each once; null: any may be. */
  readonly some: Uint32Array | null;
  /** Of all live records: never changed. */
  readonly isLive?: true;
}

/** So many rows of all live records are kept, as long as their counts are. */
const KEPT_ROWS = 64;
const kept = new WeakMap<Uint32Array, TopFound>();

function highest(found: NameCounts, request: BreakdownRequest, table: NameTable): TopFound {
  const { counts, some, isLive } = found;
  const { field, size, skip = 0, prefix = '', distinct = false } = request;
  if (isLive && prefix === '' && skip + size <= KEPT_ROWS) {
    const known =
      kept.get(counts) ?? highest({ counts, some }, { field, size: KEPT_ROWS, distinct: true }, table);
    kept.set(counts, known);
    return { rows: known.rows.slice(skip, skip + size), distinct: distinct ? known.distinct : null };
  }
  const top = new TopNames(request, table);
  if (some === null) top.addAll(counts);
  else top.addSome(counts, some);
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
  const counted = matchings.map((matching): NameCounts => {
    const { counts, some } = countNames(matching, field, table, scratch);
    return { counts: counts.slice(), some: some?.slice() ?? null };
  });
  const numbers = new Set(
    counted.flatMap((counts) => highest(counts, { field, size }, table).rows.map(({ number }) => number)),
  );
  return Array.from(numbers, (number) => ({
    number,
    counts: counted.map(({ counts }) => countIn(counts, number)),
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
  const { counts } = countNames(matching, field, table, scratch);
  return numbers.map((number) => countIn(counts, number));
}

/** 0 where the name has no number yet when it is counted. */
function countIn(counts: Uint32Array, number: number): number {
  return counts[number] ?? 0;
}

/** Valid until the next call. */
function countNames(matching: Matching, field: NameField, table: NameTable, scratch: WordPool): NameCounts {
  const { segments, conditions } = matching;
  const maps = segments.map(({ segment }) => table.mapOf(segment));
  if (field === 'community' && conditions.communities?.length === 1) {
    const tally = table.tally();
    const total = totalOf(matching);
    if (total > 0) tally.add(table.numberOf(conditions.communities[0]!), total);
    return tally;
  }
  if (segments.every(({ isEverything }) => isEverything)) {
    const names = segments.map(
      ({ viewSegment: { segment, deadVersion } }) => `${segment.name} ${deadVersion}`,
    );
    const count = () => addUp(matching, field, maps, table.tally(), scratch).counts;
    return { counts: table.liveCounts(names.join(), count), some: null, isLive: true };
  }
  return addUp(matching, field, maps, table.tally(), scratch);
}

/** With fewer matches than names / this, it is noted which names have some: fewer of them are looked at. */
const NOTED_FACTOR = 2;

function addUp(
  matching: Matching,
  field: NameField,
  maps: readonly Uint32Array[],
  tally: Tally,
  scratch: WordPool,
): Tally {
  const { segments } = matching;
  const most = tally.counts.length / NOTED_FACTOR;
  // What is added up already is not noted.
  const isNew = segments.every((matches) => !matches.isEverything && matches.given(field) === undefined);
  tally.isNoted =
    isNew && (totalOf(matching) < most || sumOf(segments, (one) => countedAbout(one, field)) < most);
  for (const [i, matches] of segments.entries()) {
    const map = maps[i]!;
    const given = matches.given(field);
    if (given !== undefined) addByMap(tally.counts, given, map);
    else if (matches.isEverything) addByMap(tally.counts, liveCounts(matches.viewSegment, field), map);
    else if (tally.isNoted || countedAbout(matches, field) < map.length * EACH_FACTOR)
      addEach(tally, matches, field, map, scratch);
    else addByMap(tally.counts, countMatches(matches, field, scratch), map);
  }
  return tally;
}

function sumOf<T>(all: readonly T[], numberOf: (one: T) => number): number {
  return all.reduce((sum, one) => sum + numberOf(one), 0);
}

/** Up to so many docs for each number of a column, counting by name costs less than by number and then by name. */
const EACH_FACTOR = 1.5;

/** About how many matches count towards a row: of domains, as many in a hundred as have one in the segment. */
function countedAbout(matches: SegmentMatches, field: NameField): number {
  const { segment } = matches;
  return matches.count() * (field === 'community' ? 1 : segment.withDomain.count / segment.docs);
}

/**
 * For few matches beside the numbers of the column. They are mostly arrays: their loops make no calls and no objects.
 */
function addEach(
  tally: Tally,
  matches: SegmentMatches,
  field: NameField,
  map: Uint32Array,
  scratch: WordPool,
): void {
  const { segment } = matches;
  const column = field === 'community' ? segment.place : segment.domain;
  const { firstChunk, lastChunk } = matches;
  let read = 0;
  for (let chunk = firstChunk; chunk <= lastChunk; chunk++) {
    if (isEmpty(matches.chunk(chunk))) continue;
    const all = matches.members(chunk);
    // Of few it is not worth while to find out which docs of the chunk have a domain.
    const areFew = all.kind === 'array' && all.values.length < FEW_DOCS;
    const docs = areFew ? all : countedIn(segment, chunk, all, field, scratch);
    const values = docs.kind === 'array' ? docs.values : valuesOf(docs, scratch);
    readNumbers(column, chunk, values, read);
    read += field === 'domain' && areFew ? keepDomains(read, values.length) : values.length;
    scratch.releaseAll();
    if (read < ENOUGH_READ) continue;
    addNumbers(tally, field, read, map, segment);
    read = 0;
  }
  addNumbers(tally, field, read, map, segment);
}

function valuesOf(docs: Chunk, scratch: WordPool): Uint16Array {
  const values = scratch.numbers(countOf(docs));
  membersOf(docs, values, scratch.kernels);
  return values;
}

/** For fewer docs of a chunk, no chunk of a column is read that is not at hand. */
const FEW_DOCS = 32;

/** So many numbers of a column are read, of as many chunks as it takes, before they are counted: 4 KB. */
const ENOUGH_READ = 1_024;

/** Calls are synchronous. */
const numbersRead = new Uint32Array(ENOUGH_READ + CHUNK_DOCS);

/**
 * Puts what a column says of these docs of a chunk behind the first `read` of `numbersRead`. Apart from counting, which
 * is slower: of a loop that does nothing else, the processor has many reads under way at once, and most of them miss
 * its caches.
 */
function readNumbers(column: Segment['place'], chunk: number, values: Uint16Array, read: number): void {
  const { length } = values;
  const numbers = length < FEW_DOCS ? column.atHand(chunk) : column.chunk(chunk);
  if (numbers === undefined) {
    for (let i = 0; i < length; i++) numbersRead[read + i] = column.at(chunk * CHUNK_DOCS + values[i]!);
  } else for (let i = 0; i < length; i++) numbersRead[read + i] = numbers[values[i]!]!;
}

/** Of so many numbers behind the first `read`, keeps those of docs that have a domain; returns how many. */
function keepDomains(read: number, length: number): number {
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const number = numbersRead[read + i]!;
    numbersRead[read + kept] = number;
    kept += number === 0 ? 0 : 1;
  }
  return kept;
}

/** What a column says of these docs of a chunk; valid until the next call. */
export function numbersOf(column: Segment['place'], chunk: number, values: Uint16Array): Uint32Array {
  readNumbers(column, chunk, values, 0);
  return numbersRead;
}

/** Counts the first `read` of them. */
function addNumbers(tally: Tally, field: NameField, read: number, map: Uint32Array, segment: Segment): void {
  if (field === 'domain') addDomains(tally, read, map, segment);
  else if (tally.isNoted) for (let i = 0; i < read; i++) tally.add(map[numbersRead[i]!]!, 1);
  else addPlaces(tally.counts, read, map);
}

function addPlaces(counts: Uint32Array, read: number, map: Uint32Array): void {
  for (let i = 0; i < read; i++) counts[map[numbersRead[i]!]!]!++;
}

/** Of docs that have a domain. */
function addDomains(tally: Tally, read: number, map: Uint32Array, { domainSets }: Segment): void {
  for (let i = 0; i < read; i++) {
    const number = numbersRead[i]! - 1;
    if (number < map.length) tally.add(map[number]!, 1);
    else for (const one of domainSets[number - map.length]!) tally.add(map[one]!, 1);
  }
}

/** The matches of a chunk that count towards a row. Few comments have a link: the others are not looked at. */
export function counted(matches: SegmentMatches, chunk: number, field: NameField, scratch: WordPool): Chunk {
  return countedIn(matches.segment, chunk, matches.members(chunk), field, scratch);
}

function countedIn(segment: Segment, chunk: number, docs: Chunk, field: NameField, scratch: WordPool): Chunk {
  return field === 'domain' ? intersect(docs, segment.withDomain.chunk(chunk), scratch) : docs;
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
function columnNumbers({ placeCount, domainCount, domainSets }: Segment, field: NameField): number {
  return field === 'community' ? placeCount : 1 + domainCount + domainSets.length;
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
    const { domainCount, domainSets } = this.#segment;
    const byDomain = counts.subarray(1, 1 + domainCount);
    for (const [set, numbers] of domainSets.entries()) {
      const count = counts[1 + domainCount + set]!;
      if (count > 0) for (const number of numbers) byDomain[number]! += count;
    }
    return byDomain;
  }
}
