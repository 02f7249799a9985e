// From when to when the index has records: what "the last year" means in an archive that may have ended long ago.

import { conditionsOf } from '../../model/conditions.ts';
import { IndexDamage } from '../../model/damage.ts';
import type { KindStats, SearchEngine } from '../../model/engine.ts';
import type { Query } from '../../model/query.ts';
import { DAY } from '../../model/time.ts';
import { type Buckets, timelineBuckets } from '../../model/timeline.ts';

/** Unix seconds of the first and last record of either kind. */
export interface TimeRange {
  readonly first: number;
  readonly last: number;
}

/** Milliseconds that a range is taken for: what came in since then changes a day at the most. */
const KEPT_MS = 60_000;

export class TimeRanges {
  readonly #engine: Pick<SearchEngine, 'stats'>;
  readonly #now: () => number;
  #known: Promise<TimeRange | null> = Promise.resolve(null);
  #until = -Infinity;

  /** `now` in milliseconds. */
  constructor(engine: Pick<SearchEngine, 'stats'>, now: () => number = () => performance.now()) {
    this.#engine = engine;
    this.#now = now;
  }

  /** null where there are no records, or none can be read. Asked of the engine once a minute. */
  async current(): Promise<TimeRange | null> {
    if (this.#now() >= this.#until) {
      this.#until = this.#now() + KEPT_MS;
      this.#known = rangeOf(this.#engine).catch((error: unknown) => {
        this.#until = -Infinity;
        throw error;
      });
    }
    const known = await this.#known;
    // Empty a moment ago: records may be coming in.
    if (known === null) this.#until = -Infinity;
    return known;
  }
}

async function rangeOf(engine: Pick<SearchEngine, 'stats'>): Promise<TimeRange | null> {
  const found = Object.values(await engine.stats());
  const kinds = found.filter((stats): stats is KindStats => !(stats instanceof IndexDamage));
  const firsts = kinds.flatMap(({ first }) => first ?? []);
  const lasts = kinds.flatMap(({ last }) => last ?? []);
  if (firsts.length === 0 || lasts.length === 0) return null;
  return { first: Math.min(...firsts), last: Math.max(...lasts) };
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
