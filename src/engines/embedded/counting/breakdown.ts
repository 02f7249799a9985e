// Breakdowns: of many names, the rows with the highest counts; or all rows of a scale; with their sums. Matches are
// counted by the numbers of a segment's columns, then brought together by name.

import { isScale, SCALES, type ScaleField } from '../../../model/analyses.ts';
import {
  type Breakdown,
  type BreakdownRequest,
  type BreakdownRow,
  isName,
  type NameField,
} from '../../../model/engine.ts';
import type { NameTable, Tally } from '../index/names.ts';
import type { Segment } from '../index/segment.ts';
import { type Matching, type SegmentMatches, totalOf } from '../matching/matching.ts';
import { isEmpty, valuesOf, type WordPool } from '../sets/chunk.ts';
import {
  type CountingMeans,
  countedIn,
  countMatches,
  ENOUGH_READ,
  FEW_DOCS,
  liveCounts,
  numbersRead,
  readNumbers,
} from './column-counts.ts';
import { copiesOf } from './copies.ts';
import { nameRows, type RowFinder, type RowSums, scaleRows, sumRows } from './row-sums.ts';

/** `of`: the matches of the question's `of`; null: it has none. Throws `query_timeout` or an EngineLimit. */
export function breakdownOf(
  matching: Matching,
  of: Matching | null,
  request: BreakdownRequest,
  means: CountingMeans,
): Breakdown {
  const { field } = request;
  const counted: Counted = { matching, of, request, means };
  if (isName(field)) return ofNames(counted, field);
  return isScale(field) ? ofScale(counted, field) : copiesOf(matching, of, request, means);
}

interface Counted {
  readonly matching: Matching;
  readonly of: Matching | null;
  readonly request: BreakdownRequest;
  readonly means: CountingMeans;
}

function ofNames(counted: Counted, field: NameField): Breakdown {
  const { matching, of, request, means } = counted;
  const { measure, by } = request;
  const table = means.tableFor(field);
  const top = topNames(matching, field, request, table, means.scratch);
  const numbers = top.rows.map(({ number }) => number);
  const [sums, ofSums] =
    measure === undefined && by === undefined
      ? [null, null]
      : sumsOf(counted, nameRows(field, table, numbers), false);
  const ofCounts = of && countsOfNames(of, field, numbers, table, means.scratch);
  return {
    field,
    rows: top.rows.map(({ number, count }, row) => ({
      ...{ name: table.name(number), count },
      ...(ofCounts && { of: ofCounts[row]! }),
      ...detailsOf(sums, ofSums, row),
    })),
    ...(top.distinct !== null && { distinct: top.distinct }),
  };
}

function ofScale(counted: Counted, field: ScaleField): Breakdown {
  const [sums, ofSums] = sumsOf(counted, scaleRows(field), true);
  const rows = SCALES[field].map((name, row) => ({
    ...{ name, count: sums.counts![row]! },
    ...(ofSums && { of: ofSums.counts![row]! }),
    ...detailsOf(sums, ofSums, row),
  }));
  const distinct = rows.filter(({ count }) => count > 0).length;
  return { field, rows, ...(counted.request.distinct === true && { distinct }) };
}

/**
 * The sums of the matches and of `of`, by time only in the buckets that the rows have; null: nothing is to be summed
 * up.
 */
function sumsOf(
  { matching, of, request: { measure, by }, means }: Counted,
  finder: RowFinder,
  counts: boolean,
): [sums: RowSums, ofSums: RowSums | null] {
  const wanted = { counts, ratings: measure !== undefined, by };
  const sums = sumRows(matching.segments, finder, wanted, means);
  if (of === null || (by === undefined && !counts)) return [sums, null];
  // The share of a query without words is of itself.
  if (of === matching) return [sums, sums];
  const ofWanted = { counts, ratings: false, by, within: sums.buckets };
  return [sums, sumRows(of.segments, finder, ofWanted, means)];
}

function detailsOf(sums: RowSums | null, ofSums: RowSums | null, row: number): Partial<BreakdownRow> {
  if (sums === null) return {};
  const { ratings, buckets } = sums;
  return {
    ...(ratings !== null && { sum: ratings.sums[row]!, rated: ratings.rated[row]! }),
    ...(buckets !== null && { by: inOrder(buckets[row]!, ofSums?.buckets?.[row]) }),
  };
}

function inOrder(
  buckets: ReadonlyMap<number, number>,
  of: ReadonlyMap<number, number> | undefined,
): NonNullable<BreakdownRow['by']> {
  return [...buckets]
    .map(([start, count]) => ({ start, count, ...(of && { of: of.get(start)! }) }))
    .sort((a, b) => a.start - b.start);
}

/** The names of the rows, as numbers in the table. `scratch` is used and given back. */
function topNames(
  matching: Matching,
  field: NameField,
  request: BreakdownRequest,
  table: NameTable,
  scratch: WordPool,
): TopFound {
  return highest(countNames(matching, field, table, scratch), request, table);
}

/** A count for each name, by its number. */
interface NameCounts {
  readonly counts: Uint32Array;
  /** The numbers with a count, each once; null: any may have one. */
  readonly some: Uint32Array | null;
  /** Counts of all live records, which nobody may change. */
  readonly isLive?: true;
}

/** Rows of all live records that are cached as long as their counts. */
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

/** The names among the `size` highest of any of these matchings, and their counts in each, by number. */
export function topNamesOfAll(
  matchings: readonly Matching[],
  field: NameField,
  size: number,
  table: NameTable,
  scratch: WordPool,
): { readonly number: number; readonly counts: readonly number[] }[] {
  // Copies, since the table's counters are reused.
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

/** The counts of these names. `scratch` is used and given back. */
function countsOfNames(
  matching: Matching,
  field: NameField,
  numbers: readonly number[],
  table: NameTable,
  scratch: WordPool,
): number[] {
  const { counts } = countNames(matching, field, table, scratch);
  return numbers.map((number) => countIn(counts, number));
}

/** 0 if the name had no number yet when it was counted. */
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

/** With fewer matches than names divided by this, names with a match are noted, so that only they are looked at. */
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
  // Counts that are added up in advance are not noted.
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

/**
 * Up to this many docs for each number of a column, counting by name is cheaper than counting by number and then by
 * name.
 */
const EACH_FACTOR = 1.5;

/** Estimated number of matches that count towards a row: for domains, the share of the segment's docs that have one. */
function countedAbout(matches: SegmentMatches, field: NameField): number {
  const { segment } = matches;
  return matches.count() * (field === 'community' ? 1 : segment.withDomain.count / segment.docs);
}

/**
 * For few matches compared with the numbers of the column. They are mostly arrays, so the loops make no calls and no
 * objects.
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
    // For few docs it does not pay to find out which have a domain.
    const areFew = all.kind === 'array' && all.values.length < FEW_DOCS;
    const docs = areFew ? all : countedIn(segment, chunk, all, field, scratch);
    const values = valuesOf(docs, scratch);
    readNumbers(column, chunk, values, read);
    read += field === 'domain' && areFew ? keepDomains(read, values.length) : values.length;
    scratch.releaseAll();
    if (read < ENOUGH_READ) continue;
    addNumbers(tally, field, read, map, segment);
    read = 0;
  }
  addNumbers(tally, field, read, map, segment);
}

/** Of `length` numbers after the first `read`, keeps those of docs with a domain; returns their count. */
function keepDomains(read: number, length: number): number {
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const number = numbersRead[read + i]!;
    numbersRead[read + kept] = number;
    kept += number === 0 ? 0 : 1;
  }
  return kept;
}

/** Counts the first `read` numbers. */
function addNumbers(tally: Tally, field: NameField, read: number, map: Uint32Array, segment: Segment): void {
  if (field === 'domain') addDomains(tally, read, map, segment);
  else if (tally.isNoted) for (let i = 0; i < read; i++) tally.add(map[numbersRead[i]!]!, 1);
  else addPlaces(tally.counts, read, map);
}

function addPlaces(counts: Uint32Array, read: number, map: Uint32Array): void {
  for (let i = 0; i < read; i++) counts[map[numbersRead[i]!]!]!++;
}

function addDomains(tally: Tally, read: number, map: Uint32Array, { names: { domainSets } }: Segment): void {
  for (let i = 0; i < read; i++) {
    const number = numbersRead[i]! - 1;
    if (number < map.length) tally.add(map[number]!, 1);
    else for (const one of domainSets[number - map.length]!) tally.add(map[one]!, 1);
  }
}

function addByMap(counts: Uint32Array, byColumn: Uint32Array, map: Uint32Array): void {
  for (let number = 0; number < map.length; number++) counts[map[number]!]! += byColumn[number]!;
}

/** Rows by number of the name. */
interface TopFound {
  readonly rows: readonly { readonly number: number; readonly count: number }[];
  /** null: not asked for. */
  readonly distinct: number | null;
}

interface Row {
  readonly number: number;
  readonly count: number;
}

/** Finds the names with the highest counts: by count descending, then by name (code units). */
class TopNames {
  /** The wanted rows and those to be left out before them. */
  readonly #size: number;
  readonly #skip: number;
  readonly #prefix: string;
  readonly #table: Pick<NameTable, 'name' | 'begins'>;
  /** null: not asked for. */
  #distinct: number | null;
  /** The highest rows so far, sorted once there are enough. */
  readonly #rows: Row[] = [];
  /** Lower counts are in no row. */
  #least: number;

  constructor(
    { size, skip = 0, prefix = '', distinct = false }: BreakdownRequest,
    table: Pick<NameTable, 'name' | 'begins'>,
  ) {
    this.#size = size + skip;
    this.#skip = skip;
    this.#prefix = prefix;
    this.#table = table;
    this.#distinct = distinct ? 0 : null;
    this.#least = this.#size === 0 ? Infinity : 1;
  }

  /** Takes all names by number; 0: no match has the name. */
  addAll(counts: Uint32Array): void {
    let least = this.#least;
    let distinct = 0;
    const isAnyMeant = this.#prefix === '';
    // Hot: most names are in no row and need only be counted, without an unpredictable branch.
    for (let number = 0; number < counts.length; number++) {
      const count = counts[number]!;
      if (isAnyMeant) distinct += -count >>> 31;
      else if (count === 0 || !this.#isMeant(number)) continue;
      else distinct++;
      if (count >= least) least = this.#offer(number, count);
    }
    if (this.#distinct !== null) this.#distinct += distinct;
  }

  /** Does the same for names with a count, each once. */
  addSome(counts: Uint32Array, numbers: Uint32Array): void {
    let least = this.#least;
    let distinct = 0;
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]!;
      if (this.#prefix !== '' && !this.#isMeant(number)) continue;
      distinct++;
      if (counts[number]! >= least) least = this.#offer(number, counts[number]!);
    }
    if (this.#distinct !== null) this.#distinct += distinct;
  }

  finish(): TopFound {
    if (this.#rows.length < this.#size) this.#sort();
    return { rows: this.#rows.slice(this.#skip), distinct: this.#distinct };
  }

  #isMeant(number: number): boolean {
    return this.#table.begins(number, this.#prefix);
  }

  /** Takes a count that is not below the least; returns the new least. */
  #offer(number: number, count: number): number {
    const rows = this.#rows;
    const row: Row = { number, count };
    if (rows.length < this.#size) {
      rows.push(row);
      if (rows.length < this.#size) return this.#least;
      this.#sort();
    } else {
      if (this.#compare(row, rows[rows.length - 1]!) > 0) return this.#least;
      rows.pop();
      let [low, high] = [0, rows.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.#compare(row, rows[middle]!) > 0) low = middle + 1;
        else high = middle;
      }
      rows.splice(low, 0, row);
    }
    this.#least = rows[rows.length - 1]!.count;
    return this.#least;
  }

  #sort(): void {
    this.#rows.sort((a, b) => this.#compare(a, b));
  }

  #compare(a: Row, b: Row): number {
    return b.count - a.count || (this.#table.name(a.number) < this.#table.name(b.number) ? -1 : 1);
  }
}
