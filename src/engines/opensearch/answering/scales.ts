// Breakdowns by a scale: a bucket for each band of scores; hours of the week put together from hours.

import { MAX_CELLS, SCALES, SCORE_BANDS, weekdayHour } from '../../../model/analyses.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { HOUR, type TimelineStep } from '../../../model/time.ts';
import { bucketStart } from '../../../model/timeline.ts';
import type { Searcher } from '../cluster/search.ts';
import {
  MAX_BUCKETS_OF_ANSWER,
  type RowCount,
  type RowsWanted,
  type Searched,
  type Span,
} from './row-counts.ts';

export const SCORE_ROWS: RowsWanted = {
  keys: SCALES.score,
  rows: (keys) => {
    const bands = SCORE_BANDS.map(({ min, max }, i) => ({
      key: SCALES.score[i]!,
      ...(Number.isFinite(min) && { from: min }),
      ...(Number.isFinite(max) && { to: max + 1 }),
    }));
    return { range: { field: 'score', ranges: bands.filter(({ key }) => keys.includes(key)) } };
  },
};

/**
 * By hour of the week within `span`, in parts that OpenSearch accepts. Throws an EngineLimit above MAX_CELLS buckets,
 * unless they are known to be fewer.
 */
export async function countHours(
  searcher: Searcher,
  { pit, query }: Searched,
  span: Span | null,
  by: { readonly step: TimelineStep; readonly isLimited: boolean } | null,
): Promise<RowCount[]> {
  const counts = SCALES.weekday_hour.map(() => ({ count: 0, buckets: new Map<number, number>() }));
  let cells = 0;
  const atOnce = MAX_BUCKETS_OF_ANSWER * HOUR;
  const first = span === null ? 0 : bucketStart('hour', span.first);
  for (let from = first; from <= (span?.last ?? -1); from += atOnce) {
    const within = { range: { created: { gte: from, lt: from + atOnce } } };
    const aggs = { hours: { histogram: { field: 'created', interval: HOUR, min_doc_count: 1 } } };
    const asked = { bool: { filter: [query, within] } };
    const { hours } = await searcher.aggregate<HoursFound>(pit, asked, aggs);
    for (const { key, doc_count } of hours.buckets) {
      const row = counts[weekdayHour(key)]!;
      row.count += doc_count;
      if (by === null) continue;
      const start = bucketStart(by.step, key);
      if (!row.buckets.has(start)) cells++;
      row.buckets.set(start, (row.buckets.get(start) ?? 0) + doc_count);
    }
    if (by?.isLimited === true && cells > MAX_CELLS) throw new EngineLimit({ limit: 'breakdown_cells' });
  }
  return counts.map(({ count, buckets }) => ({
    count,
    ...(by !== null && { buckets: Array.from(buckets, ([start, each]) => ({ start, count: each })) }),
  }));
}

interface HoursFound {
  readonly hours: { readonly buckets: readonly { readonly key: number; readonly doc_count: number }[] };
}
