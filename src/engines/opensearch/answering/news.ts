// The matches that came in last (model/pages.ts), by sorted searches. Older ones are counted by arrival, exactly, a
// page of arrivals in one search.

import {
  type NewRecord,
  type News,
  type NewsRequest,
  type OlderRecords,
  olderOn,
} from '../../../model/pages.ts';
import { toldTime, UNCOUNTED } from '../../../model/time.ts';
import { type CameIn, idKey, isCounted } from '../cluster/documents.ts';
import { walkHits } from '../cluster/hit-walk.ts';
import type { Dsl, Hit, Searcher, SortValue } from '../cluster/search.ts';
import type { View } from '../state/views.ts';
import { arrivedIn } from './queries.ts';
import type { Searched } from './row-counts.ts';

interface Matching extends Searched {
  readonly searcher: Searcher;
  readonly view: View;
}

export const NO_NEWS: News = { records: [], hasMore: false, older: [] };

const SORT: readonly Dsl[] = [{ n: 'desc' }, { created: 'desc' }, { key: 'desc' }];

const COUNTED_AT_ONCE = 1_000;

/** `now`: Unix seconds for which times are told. Throws what `Searcher.search` throws. */
export async function newsIn(matching: Matching, request: NewsRequest, now: number): Promise<News> {
  const { limit, maxAge } = request;
  const hits = await firstHits(matching, request);
  const records = hits.slice(0, limit).map((hit) => newRecord(hit, now));
  const hasMore = hits.length > limit;
  if (maxAge === null) return { records, hasMore, older: [] };
  const { least, most } = olderOn(request, records, hasMore);
  const older = await olderBetween(matching, { least, most, maxAge }, now);
  return { records, hasMore, older };
}

/** The hits after `after`, and one more if there is one. */
async function firstHits(
  { searcher, view, pit, query }: Matching,
  { limit, after, maxAge }: NewsRequest,
): Promise<readonly Hit[]> {
  const filter = [
    ...[query, arrivedIn(view, UNCOUNTED)],
    ...(maxAge === null ? [] : [{ range: { age: { lte: maxAge } } }]),
  ];
  const wanted = limit + 1;
  let behind: readonly SortValue[] | undefined = after && [after.arrival, after.created, idKey(after.id)];
  const next = async (size: number) => {
    const { hits: found } = await searcher.search(pit, {
      ...{ query: { bool: { filter } }, sort: SORT, size, track_total_hits: false },
      ...(behind && { search_after: behind }),
    });
    behind = found.at(-1)?.sort ?? behind;
    return found;
  };
  const hits: Hit[] = [];
  for await (const hit of walkHits(next, { wanted })) {
    hits.push(hit);
    if (hits.length === wanted) break;
  }
  return hits;
}

function newRecord({ _source: { r, a } }: Hit, now: number): NewRecord {
  const [time, arrival] = countedOf(a);
  return { record: r, arrival, time: toldTime(time, now) };
}

function countedOf(cameIn: CameIn): readonly [time: number, arrival: number] {
  if (isCounted(cameIn)) return cameIn;
  throw new Error('expected the arrival of a record that came in behind another');
}

interface OlderCounts {
  readonly arrivals: {
    readonly buckets: readonly {
      readonly key: { readonly n: number };
      readonly doc_count: number;
      readonly came: { readonly value: number };
    }[];
    /** Absent after the last page. */
    readonly after_key?: { readonly n: number };
  };
}

interface Between {
  readonly least: number;
  readonly most: number;
  readonly maxAge: number;
}

/** By arrival, descending. Of records of one arrival that came in at other times, the last time counts. */
async function olderBetween(
  { searcher, view, pit, query }: Matching,
  { least, most, maxAge }: Between,
  now: number,
): Promise<readonly OlderRecords[]> {
  const filter = [
    ...[query, arrivedIn(view, Math.max(UNCOUNTED, least)), { range: { age: { gt: maxAge } } }],
    ...(most === Infinity ? [] : [{ range: { n: { lte: most } } }]),
  ];
  const older: OlderRecords[] = [];
  let after: { readonly n: number } | undefined;
  do {
    const composite = {
      ...{ size: COUNTED_AT_ONCE, sources: [{ n: { terms: { field: 'n', order: 'desc' } } }] },
      ...(after && { after }),
    };
    const aggs = { arrivals: { composite, aggs: { came: { max: { field: 'came' } } } } };
    const { arrivals }: OlderCounts = await searcher.aggregate<OlderCounts>(pit, { bool: { filter } }, aggs);
    const { buckets, after_key } = arrivals;
    for (const { key, doc_count: count, came } of buckets) {
      older.push({ arrival: key.n, time: toldTime(came.value, now), count });
    }
    after = buckets.length < COUNTED_AT_ONCE ? undefined : after_key;
  } while (after !== undefined);
  return older;
}
