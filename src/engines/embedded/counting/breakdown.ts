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
import type { CountingMeans } from '../paging/sample.ts';
import { isEmpty, valuesOf, type WordPool } from '../sets/chunk.ts';
import { countedIn, countMatches, FEW_DOCS, liveCounts, numbersOf } from './column-counts.ts';
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
  const top = highest(countNames(matching, field, table, means.scratch), request, table);
  const numbers = top.rows.map(({ number }) => number);
  // Before the sums: no name comes into the table behind it.
  const ofAll = of && countNames(of, field, table, means.scratch).counts;
  const ofCounts = ofAll && numbers.map((number) => countIn(ofAll, number));
  const [sums, ofSums] =
    measure === undefined && by === undefined
      ? [null, null]
      : sumsOf(counted, nameRows(field, table, numbers), false);
  return {
    field,
    rows: top.rows.map(({ number, count }, row) => ({
      ...{ name: table.name(number), count },
      ...(ofCounts && { of: ofCounts[row]! }),
      ...detailsOf(sums, ofSums, row),
    })),
    ...(request.distinct === true && { distinct: top.distinct }),
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

interface NameCounts {
  readonly counts: Uint32Array;
  /** The numbers with a count, each once; null: any may have one. */
  readonly some: Uint32Array | null;
  /** Counts of all live records, which nobody may change. */
  readonly isLive?: true;
}

interface NameCount {
  readonly number: number;
  readonly count: number;
}

interface Highest {
  readonly rows: readonly NameCount[];
  readonly distinct: number;
}

/** Rows of all live records that are cached as long as their counts. */
const KEPT_ROWS = 64;
const kept = new WeakMap<Uint32Array, Highest>();

/** The names with the highest counts: by count descending, then by name (code units). */
function highest(found: NameCounts, request: BreakdownRequest, table: NameTable): Highest {
  const { counts, some, isLive } = found;
  const { field, size, skip = 0, prefix = '' } = request;
  if (isLive && prefix === '' && skip + size <= KEPT_ROWS) {
    const find = () => highest({ counts, some }, { field, size: KEPT_ROWS }, table);
    const known = kept.getOrInsertComputed(counts, find);
    return { ...known, rows: known.rows.slice(skip, skip + size) };
  }
  const wanted = skip + size;
  /** Sorted once there are enough. */
  const rows: NameCount[] = [];
  const compare = (one: NameCount, other: NameCount) =>
    other.count - one.count || (table.name(one.number) < table.name(other.number) ? -1 : 1);
  /** Takes a count that is not below the least; returns the new least. */
  const offer = (row: NameCount): number => {
    if (rows.length < wanted) {
      if (rows.push(row) < wanted) return 1;
      rows.sort(compare);
    } else if (compare(row, rows[wanted - 1]!) < 0) {
      rows.pop();
      let [low, high] = [0, rows.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (compare(row, rows[middle]!) > 0) low = middle + 1;
        else high = middle;
      }
      rows.splice(low, 0, row);
    }
    return rows[wanted - 1]!.count;
  };
  const isAnyMeant = prefix === '';
  const looks = some === null ? counts.length : some.length;
  let distinct = 0;
  // Lower counts are in no row.
  let least = wanted === 0 ? Infinity : 1;
  // Hot: most names are in no row and need only be counted, without an unpredictable branch.
  for (let i = 0; i < looks; i++) {
    const number = some === null ? i : some[i]!;
    const count = counts[number]!;
    if (isAnyMeant) distinct += -count >>> 31;
    else if (count === 0 || !table.begins(number, prefix)) continue;
    else distinct++;
    if (count >= least) least = offer({ number, count });
  }
  if (rows.length < wanted) rows.sort(compare);
  return { rows: rows.slice(skip), distinct };
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

/** Up to this many docs for each number of a column, counting by name is cheaper than by number first. */
const EACH_FACTOR = 1.5;

/** Estimated number of matches that count towards a row: for domains, the share of the segment's docs that have one. */
function countedAbout(matches: SegmentMatches, field: NameField): number {
  const { segment } = matches;
  return matches.count() * (field === 'community' ? 1 : segment.withDomain.count / segment.docs);
}

/** For few matches beside the numbers of the column: mostly arrays, so the loops make no calls and no objects. */
function addEach(
  tally: Tally,
  matches: SegmentMatches,
  field: NameField,
  map: Uint32Array,
  scratch: WordPool,
): void {
  const { segment } = matches;
  const column = field === 'community' ? segment.place : segment.domain;
  for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
    if (isEmpty(matches.chunk(chunk))) continue;
    const all = matches.members(chunk);
    // For few docs it does not pay to find out which have a domain.
    const areFew = all.kind === 'array' && all.values.length < FEW_DOCS;
    const values = valuesOf(areFew ? all : countedIn(segment, chunk, all, field, scratch), scratch);
    const numbers = numbersOf(column, chunk, values);
    const { length } = values;
    scratch.releaseAll();
    if (field === 'domain') addDomains(tally, numbers, length, map, segment);
    else if (tally.isNoted) for (let i = 0; i < length; i++) tally.add(map[numbers[i]!]!, 1);
    else addPlaces(tally.counts, numbers, length, map);
  }
}

function addPlaces(counts: Uint32Array, numbers: Uint32Array, length: number, map: Uint32Array): void {
  for (let i = 0; i < length; i++) counts[map[numbers[i]!]!]!++;
}

function addDomains(
  tally: Tally,
  numbers: Uint32Array,
  length: number,
  map: Uint32Array,
  { names: { domainSets } }: Segment,
): void {
  for (let i = 0; i < length; i++) {
    const number = numbers[i]! - 1;
    if (number < 0) continue;
    if (number < map.length) tally.add(map[number]!, 1);
    else for (const one of domainSets[number - map.length]!) tally.add(map[one]!, 1);
  }
}

function addByMap(counts: Uint32Array, byColumn: Uint32Array, map: Uint32Array): void {
  for (let number = 0; number < map.length; number++) counts[map[number]!]! += byColumn[number]!;
}
