// Tables with the number of records of each day. They can be added; the buckets and gaps of a coverage come from them.

import {
  BUSY_DAYS,
  BUSY_RECORDS,
  type CoverageBucket,
  type CoverageStep,
  type Gap,
} from '../../model/coverage.ts';
import type { MovedRecords } from '../../model/removals.ts';
import { DAY } from '../../model/time.ts';
import { bucketStart } from '../../model/timeline.ts';

/** Whether the copy was made within a day of the record's creation; false if the time of the copy is unknown. */
export function isEarly(retrieved: number, created: number): boolean {
  return retrieved !== 0 && retrieved - created <= DAY;
}

/**
 * Rows of DAY_COLUMNS numbers, ascending, one row a day: the day since 1970-01-01, then its records, withdrawn,
 * unrated, timed and early ones (`CoverageBucket`).
 */
export type DayTable = Int32Array;

const DAY_COLUMNS = 6;

/** Adds tables row by row. */
export function addDays(one: DayTable, other: DayTable): DayTable {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const sum = new Int32Array(one.length + other.length);
  let [i, j, to] = [0, 0, 0];
  while (i < one.length || j < other.length) {
    const day = Math.min(one[i] ?? Infinity, other[j] ?? Infinity);
    const [ofOne, ofOther] = [one[i] === day, other[j] === day];
    sum[to] = day;
    for (let column = 1; column < DAY_COLUMNS; column++) {
      sum[to + column] = (ofOne ? one[i + column]! : 0) + (ofOther ? other[j + column]! : 0);
    }
    if (ofOne) i += DAY_COLUMNS;
    if (ofOther) j += DAY_COLUMNS;
    to += DAY_COLUMNS;
  }
  return sum.slice(0, to);
}

type CommunitiesOf = (start: number) => number;

export function bucketsOf(days: DayTable, step: CoverageStep, communities: CommunitiesOf): CoverageBucket[] {
  const buckets: CoverageBucket[] = [];
  for (let row = 0; row < days.length; ) {
    const start = bucketStart(step, days[row]! * DAY);
    const sums = [0, 0, 0, 0, 0];
    for (; row < days.length && bucketStart(step, days[row]! * DAY) === start; row += DAY_COLUMNS) {
      for (let column = 1; column < DAY_COLUMNS; column++) sums[column - 1]! += days[row + column]!;
    }
    const [records, withdrawn, unrated, timed, early] = sums as [number, number, number, number, number];
    buckets.push({ start, records, communities: communities(start), withdrawn, unrated, timed, early });
  }
  return buckets;
}

export function gapsIn(days: DayTable): Gap[] {
  const gaps: Gap[] = [];
  for (let row = DAY_COLUMNS; row < days.length; row += DAY_COLUMNS) {
    const [last, next] = [days[row - DAY_COLUMNS]!, days[row]!];
    if (next - last === 1) continue;
    const before = recordsFrom(days, row - DAY_COLUMNS, -DAY_COLUMNS, last - BUSY_DAYS + 1, last);
    const after = recordsFrom(days, row, DAY_COLUMNS, next, next + BUSY_DAYS - 1);
    if (before < BUSY_RECORDS || after < BUSY_RECORDS) continue;
    gaps.push({ from: (last + 1) * DAY, to: next * DAY });
  }
  return gaps;
}

/** Sums up rows from this one on, in steps of `by`, while their day is between `first` and `last`. */
function recordsFrom(days: DayTable, row: number, by: number, first: number, last: number): number {
  let records = 0;
  for (let at = row; at >= 0 && at < days.length; at += by) {
    if (days[at]! < first || days[at]! > last) break;
    records += days[at + 1]!;
  }
  return records;
}

export class DayCounter {
  #rows = new Int32Array(DAY_COLUMNS * 32);
  #length = 0;
  #day = -1;

  /** Adds many records of one day: their number, then the number for each column after it. */
  add(day: number, counts: readonly number[]): void {
    if (day !== this.#day) this.#begin(day);
    const row = this.#length - DAY_COLUMNS;
    for (const [i, count] of counts.entries()) this.#rows[row + 1 + i]! += count;
  }

  table(): DayTable {
    return this.#rows.slice(0, this.#length);
  }

  #begin(day: number): void {
    this.#day = day;
    if (this.#length === this.#rows.length) {
      const grown = new Int32Array(this.#rows.length * 2);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    this.#rows[this.#length] = day;
    this.#length += DAY_COLUMNS;
  }
}

export class MoveCount {
  readonly #months = new Map<number, number>();

  /** Adds records that were created in this second, or within the day that begins with it. */
  add(created: number, records = 1): void {
    const month = bucketStart('month', created);
    this.#months.set(month, (this.#months.get(month) ?? 0) + records);
  }

  addAll({ months }: MovedRecords): void {
    for (const [month, records] of months) this.add(month, records);
  }

  value(): MovedRecords {
    const months = [...this.#months].filter(([, records]) => records > 0).sort(([a], [b]) => a - b);
    return { records: months.reduce((sum, [, records]) => sum + records, 0), months };
  }
}
