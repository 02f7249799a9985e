// The coverage of a kind. Counts by day are made once for each segment, the number of communities in a bucket once for
// each view.

import { ServiceError } from '../../errors.ts';
import type { Coverage, CoverageBucket, CoverageRequest, CoverageStep, Gap } from '../../model/coverage.ts';
import { EngineUnavailable, untilAborted } from '../../model/engine-errors.ts';
import type { Kind } from '../../model/record.ts';
import { addDays, bucketsOf, type DayTable, gapsIn } from '../shared/day-table.ts';
import type { Remote } from '../shared/worker-calls.ts';
import { timeRange, type View, type ViewSegment } from './index/view.ts';
import { PerSegment } from './per-segment.ts';
import type { Answering } from './threads/answering-calls.ts';

/** Docs that a thread counts in one call: a chunk of each column. */
const AT_ONCE = 65_536;

/** What all requests of one step share while the view stays. */
interface Whole {
  readonly buckets: readonly CoverageBucket[];
  readonly gaps: readonly Gap[];
}

/** The kind that is covered. */
interface CoveredKind {
  readonly kind: Kind;
  /** Keeps the files of the current view. */
  pin(): Disposable;
  /** The thread for the next call. */
  reader(): Remote<Answering>;
  readonly isClosing: boolean;
}

export class KindCoverage {
  readonly #covered: CoveredKind;
  readonly #days = new PerSegment<DayTable>(new Int32Array(0), addDays, AT_ONCE);
  #view: View | null = null;
  readonly #wholes = new Map<CoverageStep, Promise<Whole>>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(covered: CoveredKind) {
    this.#covered = covered;
  }

  /**
   * The coverage of the current view, which the threads are shown. If the time budget ends, counting continues for a
   * later request.
   */
  async of(view: View, request: CoverageRequest, signal?: AbortSignal): Promise<Omit<Coverage, 'index'>> {
    const { step, communities, timeoutMs = Infinity } = request;
    const whole = this.#wholeOf(view, step);
    const named =
      communities.length === 0
        ? []
        : this.#covered.reader().communityTimes(this.#covered.kind, communities, step, timeoutMs);
    const both = untilAborted(signal, () => within(timeoutMs, Promise.all([whole, named])));
    const [{ buckets, gaps }, times] = await both;
    return { ...timeRange(view), buckets, gaps, communities: times };
  }

  /** Prepares the counts by month of the current view. */
  async warm(view: View): Promise<void> {
    await this.#wholeOf(view, 'month');
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  #wholeOf(view: View, step: CoverageStep): Promise<Whole> {
    if (this.#view !== view) {
      this.#view = view;
      this.#wholes.clear();
      this.#days.forgetAllBut(view);
    }
    let whole = this.#wholes.get(step);
    if (whole === undefined) {
      whole = this.#make(view, step);
      this.#wholes.set(step, whole);
      this.#running.add(whole);
      const ended = whole.catch(() => this.#view === view && this.#wholes.delete(step));
      ended.finally(() => this.#running.delete(whole!));
    }
    return whole;
  }

  async #make(view: View, step: CoverageStep): Promise<Whole> {
    using _pin = this.#covered.pin();
    // Called first, so that the thread takes this view.
    const counting = this.#covered.reader().communitiesPer(this.#covered.kind, step);
    counting.catch(() => undefined);
    let days: DayTable = new Int32Array(0);
    for (const source of view.segments) days = addDays(days, await this.#daysOf(source));
    const communities = await counting;
    const buckets = bucketsOf(days, step, (start) => communities.get(start)!);
    return { buckets, gaps: gapsIn(days) };
  }

  async #daysOf(source: ViewSegment): Promise<DayTable> {
    const days = await this.#days.of(
      source,
      (...values) => this.#covered.reader().daysOfDocs(...values),
      () => this.#covered.isClosing,
    );
    if (days === null) throw new EngineUnavailable('the index was closed before its records were counted');
    return days;
  }
}

/** Rejects with `query_timeout` if the result takes too long; the work continues. */
async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  if (timeoutMs === Infinity) return await work;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const clock = setTimeout(() => {
    const message = `counting what the index covers took longer than ${timeoutMs} ms`;
    reject(new ServiceError('query_timeout', message, { retryAfter: 1 }));
  }, timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(clock);
  }
}
