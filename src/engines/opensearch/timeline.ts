// Timelines: matches counted by the day, or by the hour, and put together into buckets here: weeks, months and years
// of UTC are ours.

import type { Conditions } from '../../model/conditions.ts';
import type { Timeline, TimelineRequest } from '../../model/engine.ts';
import { MAX_TIME } from '../../model/record.ts';
import { DAY, HOUR, type TimelineStep } from '../../model/time.ts';
import { bucketStart, timelineBuckets } from '../../model/timeline.ts';
import type { Dsl, Searcher } from './search.ts';

/** Of `timelineAggs`, as they are answered. */
export interface TimesFound {
  readonly days?: CountsFound;
  /** null: nothing matches. */
  readonly first?: { readonly value: number | null };
  readonly last?: { readonly value: number | null };
}

interface CountsFound {
  /** Up; `key` is the first second of each. */
  readonly buckets: readonly {
    readonly key: number;
    readonly doc_count: number;
    readonly sum?: { readonly value: number };
  }[];
}

/** What a search must find out. Hours may be too many to ask for before it is known when the matches are. */
export function timelineAggs(request: TimelineRequest): Readonly<Record<string, Dsl>> {
  if (request.step !== 'hour') return { days: countsBy(DAY, request) };
  return { first: { min: { field: 'created' } }, last: { max: { field: 'created' } } };
}

export interface TimelineParts {
  readonly found: TimesFound;
  /** Of the query that was asked. */
  readonly conditions: Conditions;
  readonly searcher: Searcher;
  readonly pit: string;
  readonly query: Dsl;
}

/** Throws an EngineLimit where the step asked for needs too many buckets. */
export async function timelineFrom(parts: TimelineParts, request: TimelineRequest): Promise<Timeline> {
  const { found, conditions } = parts;
  const matches = spanOf(found);
  if (matches === null) return noTimeline(request);
  const { from, to } = conditions;
  const bounds = { first: from > 0 ? from : matches.first, last: to <= MAX_TIME ? to - 1 : matches.last };
  const { step, starts } = timelineBuckets(bounds, matches, request.step);
  const counts = found.days ?? (await hoursOf(parts, request));
  return { step, buckets: folded(counts, step, starts, request) };
}

export function noTimeline({ step }: TimelineRequest): Timeline {
  return { step: step ?? 'day', buckets: [] };
}

/** To the day, where days were counted: no bucket of such a timeline begins or ends within one. */
function spanOf({ days, first, last }: TimesFound): { first: number; last: number } | null {
  const [from, to] = days
    ? [days.buckets[0]?.key ?? null, days.buckets.at(-1)?.key ?? null]
    : [first!.value, last!.value];
  return from === null || to === null ? null : { first: from, last: to };
}

async function hoursOf(
  { searcher, pit, query }: TimelineParts,
  request: TimelineRequest,
): Promise<CountsFound> {
  const aggs = { hours: countsBy(HOUR, request) };
  const body = { query, size: 0, track_total_hits: false as const, aggs };
  return (await searcher.search<{ readonly hours: CountsFound }>(pit, body)).aggregations.hours;
}

function countsBy(seconds: number, { measure }: TimelineRequest): Dsl {
  return {
    histogram: { field: 'created', interval: seconds, min_doc_count: 1 },
    ...(measure && { aggs: { sum: { sum: { field: measure } } } }),
  };
}

/** `counts` are of whole parts of buckets of this step. */
function folded(
  { buckets: counts }: CountsFound,
  step: TimelineStep,
  starts: readonly number[],
  { measure }: TimelineRequest,
): Timeline['buckets'] {
  const buckets = starts.map((start) => ({ start, count: 0, ...(measure && { sum: 0 }) }));
  const byStart = new Map(buckets.map((bucket) => [bucket.start, bucket]));
  for (const { key, doc_count, sum } of counts) {
    const bucket = byStart.get(bucketStart(step, key))!;
    bucket.count += doc_count;
    if (bucket.sum !== undefined) bucket.sum += sum!.value;
  }
  return buckets;
}
