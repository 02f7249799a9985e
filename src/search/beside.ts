// Optional parts of a page, which is complete without them if they fail. And the time range of the index's records.

import { setTimeout as delay } from 'node:timers/promises';
import { type ProblemCode, ServiceError } from '../errors.ts';
import type { SearchEngine } from '../model/engine.ts';
import { EngineLimit, IndexDamage } from '../model/engine-errors.ts';
import { MAX_SHOWN_BYTES, pageRequest } from '../model/pages.ts';
import { conditionsOf, type Query } from '../model/query.ts';
import { KINDS } from '../model/record.ts';
import { DAY } from '../model/time.ts';
import { type Buckets, timelineBuckets } from '../model/timeline.ts';

const LIMITS: readonly ProblemCode[] = ['query_timeout', 'busy'];

/** null if this request alone fails: it reached a limit, or its kind is damaged. */
export async function orGiveUp<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    const isTime = error instanceof ServiceError && LIMITS.includes(error.code);
    if (isTime || error instanceof EngineLimit || error instanceof IndexDamage) return null;
    throw error;
  }
}

/** The damage instead of the result if the kind cannot be read. Rejects for all other errors. */
export async function orDamage<T>(answer: Promise<T>): Promise<T | IndexDamage> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof IndexDamage) return error;
    throw error;
  }
}

/** Unix seconds of the first and last record of either kind. */
export interface TimeRange {
  readonly first: number;
  readonly last: number;
}

const EVERYTHING: Query = { items: [] };

/** Milliseconds that a page waits for a range, and a range for the engine. */
const PATIENCE_MS = 1_000;

export class TimeRanges {
  readonly #engine: SearchEngine;
  #known: Promise<TimeRange | null> = Promise.resolve(null);
  /** State of the index to which the range belongs. */
  #state: string | null = null;

  constructor(engine: SearchEngine) {
    this.#engine = engine;
  }

  /** null if there are no records, none can be read, or not in time: pages are complete without it. */
  async current(): Promise<TimeRange | null> {
    const cut = new AbortController();
    const late = delay(PATIENCE_MS, null, { signal: cut.signal }).catch(() => null);
    const known = await Promise.race([this.#now().catch(() => null), late]);
    cut.abort();
    return known;
  }

  async #now(): Promise<TimeRange | null> {
    const state = await stateOf(this.#engine);
    if (state !== this.#state) {
      const known = rangeOf(this.#engine, PATIENCE_MS);
      [this.#state, this.#known] = [state, known];
      // Empty or unreachable a moment ago: the next page asks again.
      void known.then((range) => {
        if (range === null && this.#known === known) this.#state = null;
      });
    }
    return await this.#known;
  }
}

/** Of the kinds that can be read. */
async function rangeOf(engine: SearchEngine, timeoutMs: number): Promise<TimeRange | null> {
  const ends = (['oldest', 'newest'] as const).flatMap((order) =>
    KINDS.map(async (kind) => {
      const page = pageRequest(order, null, { limit: 1, maxBytes: MAX_SHOWN_BYTES });
      const answer = await engine.ask({ kind, query: EVERYTHING, page, timeoutMs });
      return answer.page!.records[0]?.created ?? [];
    }),
  );
  const found = await Promise.allSettled(ends);
  const times = found.flatMap((end) => (end.status === 'fulfilled' ? end.value : []));
  return times.length === 0 ? null : { first: Math.min(...times), last: Math.max(...times) };
}

/** Most buckets of a word-sized drawing. */
const FEW_BUCKETS = 30;

/** Approximate length of a bucket, in days. */
const STEPS = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['quarter', 90],
] as const;

/** A few buckets over the range that a query can match; none if it can match nothing. */
export function fewBuckets(query: Query, { first, last }: TimeRange): Buckets {
  const { from, to } = conditionsOf(query);
  const range = { first: Math.max(first, from), last: Math.min(last, to - 1) };
  const days = (range.last - range.first) / DAY;
  const step = STEPS.find(([, length]) => days / length < FEW_BUCKETS - 1)?.[0] ?? 'year';
  return timelineBuckets(range, range, step);
}

/** The midnight (UTC) at which the last `years` years of a range begin; null if the range is no longer. */
export function startOfLast(years: number, { first, last }: TimeRange): number | null {
  const end = new Date((Math.floor(last / DAY) + 1) * DAY * 1000);
  const start = Date.UTC(end.getUTCFullYear() - years, end.getUTCMonth(), end.getUTCDate()) / 1000;
  return start > first ? start : null;
}

/** State of the index at the last `refresh`: it changes whenever other records can be found. */
export async function stateOf(engine: SearchEngine): Promise<string> {
  const { post, comment } = await engine.fingerprints();
  return [post, comment].map((one) => (one instanceof IndexDamage ? '-' : one.fingerprint)).join(' ');
}
