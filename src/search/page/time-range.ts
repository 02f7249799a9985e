// From when to when the index has records: what "the last year" means in an archive that may have ended long ago.

import { setTimeout as delay } from 'node:timers/promises';
import type { SearchEngine } from '../../model/engine.ts';
import { MAX_SHOWN_BYTES, pageRequest } from '../../model/pages.ts';
import { conditionsOf, type Query } from '../../model/query.ts';
import { KINDS } from '../../model/record.ts';
import { DAY } from '../../model/time.ts';
import { type Buckets, timelineBuckets } from '../../model/timeline.ts';

/** Unix seconds of the first and last record of either kind. */
export interface TimeRange {
  readonly first: number;
  readonly last: number;
}

/** Milliseconds that a range is taken for: what came in since then changes a day at the most. */
const KEPT_MS = 60_000;
const EVERYTHING: Query = { items: [] };
/** Milliseconds that a page waits for a range. */
const PATIENCE_MS = 1_000;

export class TimeRanges {
  readonly #ask: SearchEngine['ask'];
  readonly #now: () => number;
  #known: Promise<TimeRange | null> = Promise.resolve(null);
  /** null until one is known. */
  #last: TimeRange | null = null;
  #until = -Infinity;

  /** `now` in milliseconds. */
  constructor(ask: SearchEngine['ask'], now: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  /**
   * null where there are no records, or none can be read, or not in time: pages are complete without it. Asked of the
   * engine once a minute.
   */
  async current(): Promise<TimeRange | null> {
    if (this.#now() >= this.#until) {
      this.#until = this.#now() + KEPT_MS;
      this.#known = rangeOf(this.#ask, PATIENCE_MS);
      this.#last = null;
      // Empty a moment ago, or out of reach: asked again by the next page.
      void this.#known.then((known) => {
        this.#last = known;
        if (known === null) this.#until = -Infinity;
      });
    }
    // Most pages: without a timer of their own.
    if (this.#last !== null) return this.#last;
    const cut = new AbortController();
    const late = delay(PATIENCE_MS, null, { signal: cut.signal }).catch(() => null);
    const known = await Promise.race([this.#known, late]);
    cut.abort();
    return known;
  }
}

/** Of the kinds that can be asked. */
async function rangeOf(ask: SearchEngine['ask'], timeoutMs: number): Promise<TimeRange | null> {
  const ends = (['oldest', 'newest'] as const).flatMap((order) =>
    KINDS.map(async (kind) => {
      const page = pageRequest(order, null, { limit: 1, maxBytes: MAX_SHOWN_BYTES });
      const answer = await ask({ kind, query: EVERYTHING, page, timeoutMs });
      return answer.page!.records[0]?.created ?? [];
    }),
  );
  const found = await Promise.allSettled(ends);
  const times = found.flatMap((end) => (end.status === 'fulfilled' ? end.value : []));
  return times.length === 0 ? null : { first: Math.min(...times), last: Math.max(...times) };
}

/** Buckets of a drawing as small as a word, at the most. */
const FEW_BUCKETS = 30;

/** About how long a bucket is: days. */
const STEPS = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['quarter', 90],
] as const;

/** Buckets of which few hold whatever a query can find; none where it can find nothing. */
export function fewBuckets(query: Query, { first, last }: TimeRange): Buckets {
  const { from, to } = conditionsOf(query);
  const range = { first: Math.max(first, from), last: Math.min(last, to - 1) };
  const days = (range.last - range.first) / DAY;
  const step = STEPS.find(([, length]) => days / length < FEW_BUCKETS - 1)?.[0] ?? 'year';
  return timelineBuckets(range, range, step);
}

/** The midnight (UTC) with which the last `years` years of a range begin; null where it has no more than these. */
export function startOfLast(years: number, { first, last }: TimeRange): number | null {
  const end = new Date((Math.floor(last / DAY) + 1) * DAY * 1000);
  const start = Date.UTC(end.getUTCFullYear() - years, end.getUTCMonth(), end.getUTCDate()) / 1000;
  return start > first ? start : null;
}
