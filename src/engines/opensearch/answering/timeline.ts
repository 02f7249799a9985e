// Timelines: matches are counted by day or hour, and joined into buckets here, since weeks, months and years follow
// UTC.

import type { Timeline, TimelineMeasure, TimelineRequest } from '../../../model/engine.ts';
import type { Conditions } from '../../../model/query.ts';
import { DAY, HOUR } from '../../../model/time.ts';
import {
  type Buckets,
  bucketStart,
  endOfBuckets,
  sharedBuckets,
  type TimeSpan,
} from '../../../model/timeline.ts';
import {
  type Dsl,
  type Histogram,
  hexOf,
  MIX_SUMS,
  type Mixes,
  mixSum,
  type Searcher,
} from '../cluster/search.ts';
import { BOUNDS, type Bounds, type Searched } from './row-counts.ts';

/** The answer of `timelineAggs`. */
export interface TimesFound extends Partial<Bounds> {
  readonly days?: CountsFound;
}

/** By the first second of each bucket. */
type CountsFound = Histogram<{ readonly sum?: { readonly value: number } } & Partial<Mixes>>;

/** The aggregations of a search. Hours may be too many to ask for before the span of the matches is known. */
export function timelineAggs(request: TimelineRequest): Readonly<Record<string, Dsl>> {
  if (request.step !== 'hour') return { days: countsBy(DAY, request.measure) };
  return BOUNDS;
}

interface TimelineParts {
  readonly request: TimelineRequest;
  readonly conditions: Conditions;
  /** null: nothing can match. */
  readonly matches: TimedSearch | null;
  readonly of: TimedSearch | null | undefined;
}

interface TimedSearch extends Searched {
  readonly result: { readonly aggregations: TimesFound | undefined };
}

/** In the order given, over shared buckets (`sharedBuckets`). Throws an EngineLimit. */
export async function timelinesFrom(
  parts: readonly TimelineParts[],
  searcher: Searcher,
): Promise<Timeline[]> {
  if (parts.length === 0) return [];
  const buckets = sharedBuckets(
    parts.map(({ conditions: { from, to }, matches }) => ({ from, to, matches: spanOf(matches) })),
    parts.map(({ request }) => request),
  );
  return await Promise.all(
    parts.map(async ({ request, matches, of }) => {
      const counted = folded(await countsIn(searcher, matches, buckets, request), buckets, request.measure);
      if (of === undefined) return { step: buckets.step, buckets: counted };
      const ofCounts = folded(await countsIn(searcher, of, buckets, {}), buckets);
      return {
        step: buckets.step,
        buckets: counted.map(({ start, count, ...sums }, i) => {
          return { start, count, of: ofCounts[i]!.count, ...sums };
        }),
      };
    }),
  );
}

/** To the day if days were counted: no bucket of such a timeline begins or ends inside a day. */
function spanOf(matches: TimedSearch | null): TimeSpan | null {
  const { days, first, last } = matches?.result.aggregations ?? {};
  const [from, to] = days
    ? [days.buckets[0]?.key ?? null, days.buckets.at(-1)?.key ?? null]
    : [first?.value ?? null, last?.value ?? null];
  return from === null || to === null ? null : { first: from, last: to };
}

/** Days if they were counted, otherwise hours. */
async function countsIn(
  searcher: Searcher,
  found: TimedSearch | null,
  buckets: Buckets,
  { measure }: Pick<TimelineRequest, 'measure'>,
): Promise<CountsFound> {
  if (found === null || buckets.starts.length === 0) return { buckets: [] };
  const { days } = found.result.aggregations!;
  if (days !== undefined) return days;
  // Most hours of an `of` may be outside the buckets.
  const within = { range: { created: { gte: buckets.starts[0]!, lt: endOfBuckets(buckets) } } };
  const query = { bool: { filter: [found.query, within] } };
  const aggs = { hours: countsBy(HOUR, measure) };
  return (await searcher.aggregate<{ readonly hours: CountsFound }>(found.pit, query, aggs)).hours;
}

function countsBy(seconds: number, measure: TimelineMeasure | undefined): Dsl {
  return {
    histogram: { field: 'created', interval: seconds, min_doc_count: 1 },
    ...(measure && { aggs: measure === 'fingerprint' ? MIX_SUMS : { sum: { sum: { field: measure } } } }),
  };
}

/** `counts` are of times inside one bucket each; others are dropped. */
function folded(
  { buckets: counts }: CountsFound,
  { step, starts }: Buckets,
  measure?: TimelineMeasure,
): Timeline['buckets'] {
  const isSummed = measure !== undefined && measure !== 'fingerprint';
  const buckets = starts.map((start) => ({ start, count: 0, ...(isSummed && { sum: 0 }), mixes: 0n }));
  const byStart = new Map(buckets.map((bucket) => [bucket.start, bucket]));
  for (const { key, doc_count, sum, ...mixes } of counts) {
    const bucket = byStart.get(bucketStart(step, key));
    if (bucket === undefined) continue;
    bucket.count += doc_count;
    if (bucket.sum !== undefined) bucket.sum += sum!.value;
    if (measure === 'fingerprint') bucket.mixes += mixSum(mixes as Mixes);
  }
  return buckets.map(({ mixes, ...bucket }) => {
    return { ...bucket, ...(measure === 'fingerprint' && { fingerprint: hexOf(mixes) }) };
  });
}
