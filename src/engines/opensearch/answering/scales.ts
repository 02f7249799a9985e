// Breakdowns by a scale: a bucket for each band of scores; hours of the week put together from hours.

import { MAX_CELLS, SCALES, SCORE_BANDS, weekdayHour } from '../../../model/analyses.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { HOUR } from '../../../model/time.ts';
import { bucketStart } from '../../../model/timeline.ts';
import type { Histogram, Searcher } from '../cluster/search.ts';
import {
  MAX_BUCKETS_OF_ANSWER,
  type RowCount,
  type RowsWanted,
  type Searched,
  spanIn,
  type Time,
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

/** As `countRows`, by hour of the week, in parts that OpenSearch accepts. */
export async function countHours(
  searcher: Searcher,
  searched: Searched,
  time: Time | null,
): Promise<RowCount[]> {
  const { pit, query } = searched;
  const span = time?.span ?? (await spanIn(searcher, searched));
  const counts = SCALES.weekday_hour.map(() => ({ count: 0, buckets: new Map<number, number>() }));
  let cells = 0;
  const atOnce = MAX_BUCKETS_OF_ANSWER * HOUR;
  const first = span === null ? 0 : bucketStart('hour', span.first);
  for (let from = first; from <= (span?.last ?? -1); from += atOnce) {
    const within = { range: { created: { gte: from, lt: from + atOnce } } };
    const aggs = { hours: { histogram: { field: 'created', interval: HOUR, min_doc_count: 1 } } };
    const asked = { bool: { filter: [query, within] } };
    const { hours } = await searcher.aggregate<{ readonly hours: Histogram }>(pit, asked, aggs);
    for (const { key, doc_count } of hours.buckets) {
      const row = counts[weekdayHour(key)]!;
      row.count += doc_count;
      if (time === null) continue;
      const start = bucketStart(time.by, key);
      if (!row.buckets.has(start)) cells++;
      row.buckets.set(start, (row.buckets.get(start) ?? 0) + doc_count);
    }
    if (time?.isLimited === true && cells > MAX_CELLS) throw new EngineLimit({ limit: 'breakdown_cells' });
  }
  return counts.map(({ count, buckets }) => ({
    count,
    ...(time !== null && { buckets: Array.from(buckets, ([start, each]) => ({ start, count: each })) }),
  }));
}
