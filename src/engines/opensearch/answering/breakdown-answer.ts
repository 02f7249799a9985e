// A breakdown: its rows (names from breakdowns.ts, scales from scales.ts), and their sums and buckets.

import { isScale, SCALES } from '../../../model/analyses.ts';
import {
  type Breakdown,
  type BreakdownBucket,
  type BreakdownRequest,
  type BreakdownRow,
  isName,
  type NameField,
} from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import type { Kind } from '../../../model/record.ts';
import type { TimelineStep } from '../../../model/time.ts';
import { bucketStart, nextBucket } from '../../../model/timeline.ts';
import { Turns } from '../../../model/waiting.ts';
import type { Searcher } from '../cluster/search.ts';
import { breakdownFrom, FIELDS, type NamesFound, namesSearch, withWholeNames } from './breakdowns.ts';
import {
  countRows,
  type RowCount,
  type RowsWanted,
  type Searched,
  type Span,
  spanIn,
  type Time,
} from './row-counts.ts';
import { countHours, SCORE_ROWS } from './scales.ts';

interface BreakdownParts {
  readonly kind: Kind;
  /** null: nothing can match. */
  readonly matches: Searched | null;
  readonly of: Searched | null | undefined;
  /** The names that the first search found (`frequentNames`). */
  readonly frequent: NamesFound | null;
}

/** Throws an EngineLimit for breakdowns that need ratings or hashes of texts, which documents lack. */
export function refuseUnknown({ field }: BreakdownRequest): void {
  if (field === 'copies') throw new EngineLimit({ limit: 'not_here', what: 'copies of texts' });
  if (field === 'sentiment') throw new EngineLimit({ limit: 'not_here', what: 'rows by sentiment' });
}

/** Leaves out ratings of comments, which documents lack. Throws an EngineLimit. */
export async function breakdownIn(
  searcher: Searcher,
  parts: BreakdownParts,
  request: BreakdownRequest,
): Promise<Breakdown> {
  const { field } = request;
  const breakdown = isName(field)
    ? await ofNames(searcher, parts, field, request)
    : await ofScale(searcher, parts, request);
  if (request.measure === undefined || parts.kind === 'comment') return breakdown;
  return { ...breakdown, rows: breakdown.rows.map((row) => ({ ...row, sum: 0, rated: 0 })) };
}

async function ofNames(
  searcher: Searcher,
  { matches, of, frequent }: BreakdownParts,
  field: NameField,
  request: BreakdownRequest,
): Promise<Breakdown> {
  if (matches === null) return { field, rows: [], ...(request.distinct === true && { distinct: 0 }) };
  const { pit, query } = matches;
  const breakdown = await breakdownFrom(frequent, request, namesSearch(searcher, pit, query));
  const wanted: RowsWanted = {
    keys: breakdown.rows.map(({ name }) => name),
    rows: (keys) => {
      return { terms: { field: FIELDS[field], include: keys, size: keys.length, shard_size: keys.length } };
    },
  };
  const count = (searched: Searched, time: Time | null) => countRows(searcher, searched, wanted, time);
  const detailed = await withDetails(searcher, { matches, of }, request, breakdown.rows, count);
  return { ...breakdown, rows: await withWholeNames(searcher, pit, detailed) };
}

async function ofScale(
  searcher: Searcher,
  { matches, of }: BreakdownParts,
  request: BreakdownRequest,
): Promise<Breakdown> {
  const { field, by } = request;
  if (!isScale(field)) throw new Error(`expected a scale, found ${field}`);
  const names = SCALES[field];
  const count = (searched: Searched, time: Time | null) =>
    field === 'score'
      ? countRows(searcher, searched, SCORE_ROWS, time)
      : countHours(searcher, searched, time);
  const isEmpty = matches === null;
  const found = isEmpty || by !== undefined ? names.map(() => ({ count: 0 })) : await count(matches, null);
  const plain = names.map((name, i) => ({ name, count: found[i]!.count }));
  const rows = await withDetails(searcher, { matches, of }, request, plain, count);
  const distinct = rows.filter((row) => row.count > 0).length;
  return { field, rows, ...(request.distinct === true && { distinct }) };
}

/** If rows are counted by time, `of` is counted by time too. */
async function withDetails(
  searcher: Searcher,
  { matches, of }: Pick<BreakdownParts, 'matches' | 'of'>,
  { by }: BreakdownRequest,
  rows: readonly BreakdownRow[],
  count: (searched: Searched, time: Time | null) => Promise<readonly RowCount[]>,
): Promise<BreakdownRow[]> {
  const span = by === undefined || matches === null ? null : await spanIn(searcher, matches);
  const time = by === undefined || span === null ? null : { by, span: ofBuckets(by, span), isLimited: true };
  const own = time === null || rows.length === 0 ? null : await count(matches!, time);
  // `of` is counted by time only in these buckets, and in whole rows.
  const ofCounts = of == null || rows.length === 0 ? null : await count(of, null);
  const ofTimes =
    of == null || time === null || rows.length === 0
      ? null
      : await count(within(of, time), { ...time, isLimited: false });
  const detailed: BreakdownRow[] = [];
  const turns = new Turns();
  for (const [i, row] of rows.entries()) {
    await turns.next();
    detailed.push({
      ...{ name: row.name, count: own?.[i]?.count ?? row.count },
      ...(of !== undefined && { of: ofCounts?.[i]?.count ?? 0 }),
      ...(by && { by: bucketsOf(own?.[i]?.buckets, of === undefined ? null : ofTimes?.[i]?.buckets) }),
    });
  }
  return detailed;
}

/** The time from the beginning of the first bucket to the end of the last. */
function ofBuckets(step: TimelineStep, { first, last }: Span): Span {
  return { first: bucketStart(step, first), last: nextBucket(step, bucketStart(step, last)) - 1 };
}

function within({ pit, query }: Searched, { span: { first, last } }: Time): Searched {
  return { pit, query: { bool: { filter: [query, { range: { created: { gte: first, lte: last } } }] } } };
}

/** `of`: the counts of the same buckets; null: they have none. */
function bucketsOf(
  counts: readonly BreakdownBucket[] = [],
  of: readonly BreakdownBucket[] | null = [],
): readonly BreakdownBucket[] {
  if (of === null) return counts;
  const ofCounts = new Map(of.map(({ start, count }) => [start, count]));
  return counts.map((bucket) => ({ ...bucket, of: ofCounts.get(bucket.start) ?? 0 }));
}
