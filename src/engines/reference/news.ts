// The matches that came in last. The specification as code.

import { toldTime, UNCOUNTED } from '../../model/arrival-time.ts';
import {
  compareNews,
  isOlder,
  type NewRecord,
  type News,
  type NewsPosition,
  type NewsRequest,
  olderOn,
} from '../../model/news-page.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Arrivals } from './arrivals.ts';

/** `matching` in any order. `now`: Unix seconds. */
export function newsOf(
  matching: readonly StoredRecord[],
  arrivals: Arrivals,
  request: NewsRequest,
  now: number,
): News {
  const { limit, after, maxAge } = request;
  const all = matching
    .filter(({ id }) => arrivals.of(id) > UNCOUNTED)
    .map((record): NewRecord => {
      const arrival = arrivals.of(record.id);
      return { record, arrival, time: toldTime(arrivals.timeOf(arrival)!, now) };
    })
    .sort((a, b) => compareNews(placeOf(a), placeOf(b)));
  const isOld = ({ record, time }: NewRecord) => isOlder(record.created, time, maxAge);
  const behind = all
    .filter((one) => !isOld(one))
    .filter((one) => after === undefined || compareNews(placeOf(one), after) > 0);
  const records = behind.slice(0, limit);
  const hasMore = behind.length > limit;
  const { least, most } = olderOn(request, records, hasMore);
  const counts = new Map<number, number>();
  for (const { arrival } of all.filter(isOld)) counts.set(arrival, (counts.get(arrival) ?? 0) + 1);
  const older = [...counts]
    .filter(([arrival]) => arrival > least && arrival <= most)
    .map(([arrival, count]) => ({ arrival, time: toldTime(arrivals.timeOf(arrival)!, now), count }));
  return { records, hasMore, older };
}

function placeOf({ record, arrival }: NewRecord): NewsPosition {
  return { arrival, created: record.created, id: record.id };
}
