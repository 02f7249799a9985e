// A breakdown: its rows, and what they come to.

import { isScale, SCALES, type ScaleField } from '../../../model/analyses.ts';
import {
  type Breakdown,
  type BreakdownRequest,
  type BreakdownRow,
  isName,
  type NameField,
} from '../../../model/engine.ts';
import type { Matching } from '../matching/matching.ts';
import { copiesOf } from './copies.ts';
import { countsOfNames, topNames } from './name-breakdown.ts';
import { type CountingMeans, nameRows, type RowFinder, scaleRows } from './row-finder.ts';
import { type RowSums, sumRows } from './row-sums.ts';

/** `of`: of the question; null: it has none. Throws `query_timeout`, an EngineLimit. */
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

/** Of the matches, and of `of`: by time only in the buckets that the rows have; null: there is nothing to sum up. */
function sumsOf(
  { matching, of, request: { measure, by }, means }: Counted,
  finder: RowFinder,
  counts: boolean,
): [sums: RowSums, ofSums: RowSums | null] {
  const wanted = { counts, ratings: measure !== undefined, by };
  const sums = sumRows(matching.segments, finder, wanted, means);
  if (of === null || (by === undefined && !counts)) return [sums, null];
  // A query without words is what its share is of.
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
