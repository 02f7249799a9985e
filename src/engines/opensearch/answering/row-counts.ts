// Counts of known rows of a breakdown, in all and by time. If rows are asked for by name, every shard tells them, so
// nothing is left out. If there would be more buckets than one answer of OpenSearch may have, they are asked for in
// parts.

import { MAX_CELLS } from '../../../model/analyses.ts';
import type { BreakdownBucket } from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { DAY, type TimelineStep } from '../../../model/time.ts';
import { bucketStart, nextBucket, startsWithin } from '../../../model/timeline.ts';
import { Turns } from '../../../model/waiting.ts';
import type { Dsl, Searcher } from '../cluster/search.ts';

export interface Searched {
  readonly pit: string;
  readonly query: Dsl;
}

export interface RowCount {
  readonly count: number;
  /** By start of a bucket, the earliest first, without empty ones; absent if it was not asked for. */
  readonly buckets?: readonly BreakdownBucket[];
}

/** An aggregation that counts rows, with a bucket for each that is not empty. */
export interface RowsWanted {
  /** The keys of all rows, in their order. */
  readonly keys: readonly string[];
  rows(keys: readonly string[]): Dsl;
}

export interface Span {
  readonly first: number;
  readonly last: number;
}

/** How rows are counted by time. `isLimited`: more than MAX_CELLS buckets in all throw an EngineLimit. */
export interface Time {
  readonly by: TimelineStep;
  readonly span: Span;
  readonly isLimited: boolean;
}

/** More would hold the event loop for long: 30,000 held it for 53 to 84 ms with 32 questions at once, these for 29. */
export const MAX_BUCKETS_OF_ANSWER = 15_000;

interface Counts {
  readonly counts: { readonly buckets: readonly { readonly doc_count: number }[] };
}

/** How many of the matches each of these queries has, in their order. */
export async function countEach(
  searcher: Searcher,
  { pit, query }: Searched,
  filters: readonly Dsl[],
): Promise<number[]> {
  const { counts } = await searcher.aggregate<Counts>(pit, query, { counts: { filters: { filters } } });
  return counts.buckets.map(({ doc_count }) => doc_count);
}

/** The aggregations that make Bounds. */
export const BOUNDS: Readonly<Record<'first' | 'last', Dsl>> = {
  first: { min: { field: 'created' } },
  last: { max: { field: 'created' } },
};

/** null: nothing matches. */
export type Bounds = Readonly<Record<'first' | 'last', { readonly value: number | null }>>;

/** null: nothing matches. */
export async function spanIn(searcher: Searcher, { pit, query }: Searched): Promise<Span | null> {
  const { first, last } = await searcher.aggregate<Bounds>(pit, query, BOUNDS);
  return first.value === null || last.value === null ? null : { first: first.value, last: last.value };
}

/** In the order of the keys. Throws an EngineLimit above MAX_CELLS buckets where `time` is limited. */
export async function countRows(
  searcher: Searcher,
  searched: Searched,
  wanted: RowsWanted,
  time: Time | null,
): Promise<RowCount[]> {
  const starts = (time && startsWithin(time.by, time.span.first, time.span.last, Infinity)) ?? [];
  const atOnce = Math.max(1, Math.floor(MAX_BUCKETS_OF_ANSWER / Math.max(1, starts.length)));
  const counts: RowCount[] = [];
  const turns = new Turns();
  let cells = 0;
  for (let at = 0; at < wanted.keys.length; at += atOnce) {
    const keys = wanted.keys.slice(at, at + atOnce);
    const times = time === null ? {} : { aggs: { times: timesAgg(time.by, starts) } };
    const aggs = { rows: { ...wanted.rows(keys), ...times } };
    const { rows } = await searcher.aggregate<RowsFound>(searched.pit, searched.query, aggs);
    const byKey = new Map(rows.buckets.map((bucket) => [bucket.key, bucket]));
    for (const key of keys) {
      await turns.next();
      const { doc_count: count = 0, times: found } = byKey.get(key) ?? {};
      if (time === null) counts.push({ count });
      else {
        const buckets = bucketsFrom(found, time.by);
        cells += buckets.length;
        if (time.isLimited && cells > MAX_CELLS) throw new EngineLimit({ limit: 'breakdown_cells' });
        counts.push({ count, buckets });
      }
    }
  }
  return counts;
}

interface RowsFound {
  readonly rows: {
    readonly buckets: readonly {
      readonly key: string;
      readonly doc_count: number;
      readonly times?: TimesFound;
    }[];
  };
}

interface TimesFound {
  readonly buckets: readonly {
    /** The first second of a histogram's bucket, or the name of a range. */
    readonly key: number | string;
    readonly from?: number;
    readonly doc_count: number;
  }[];
}

/** Days and weeks are all equally long; months are not. */
function timesAgg(step: TimelineStep, starts: readonly number[]): Dsl {
  if (step === 'day' || step === 'week') {
    const interval = (step === 'day' ? 1 : 7) * DAY;
    // 1970-01-05 was a Monday.
    return { histogram: { field: 'created', interval, offset: (4 * DAY) % interval, min_doc_count: 1 } };
  }
  const ranges = starts.map((start) => ({ from: start, to: nextBucket(step, start) }));
  return { range: { field: 'created', ranges } };
}

function bucketsFrom(found: TimesFound | undefined, step: TimelineStep): BreakdownBucket[] {
  return (found?.buckets ?? [])
    .filter(({ doc_count }) => doc_count > 0)
    .map(({ key, from, doc_count: count }) => ({ start: bucketStart(step, from ?? Number(key)), count }));
}
