// What an index covers. The counts by day are made once for each segment, by a thread, and corrected where records
// die or come back; the number of communities in each bucket is made once for each view.

import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { Coverage, CoverageBucket, CoverageRequest, CoverageStep, Gap } from '../../model/coverage.ts';
import { addDays, bucketsOf, type DayTable, gapsIn } from '../../model/day-table.ts';
import { EngineUnavailable, untilAborted } from '../../model/engine-errors.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import type { Kind } from '../../model/record.ts';
import { type DeadDocs, timeRange, type View, type ViewSegment } from './index/view.ts';
import type { Answering } from './threads/answering-calls.ts';
import type { ThreadHandle } from './threads/thread-handle.ts';

/** Docs that a thread counts in one call: a chunk of each column, between which it answers questions. */
const AT_ONCE = 65_536;
/** Docs of which it compares in one call whether they are dead. */
const COMPARED_AT_ONCE = 1 << 20;

interface KnownDays {
  readonly dead: DeadDocs;
  readonly deadVersion: number;
  readonly days: Promise<DayTable>;
}

/** What is the same for every request of a step, while the view is the same. */
interface Whole {
  readonly buckets: readonly CoverageBucket[];
  readonly gaps: readonly Gap[];
}

interface CoverageParts {
  readonly fingerprint: (view: View) => Promise<IndexFingerprint>;
  readonly pin: (kind: Kind) => Disposable;
  readonly thread: () => ThreadHandle<Answering>;
  readonly isClosing: () => boolean;
}

export class Coverages {
  readonly #parts: CoverageParts;
  readonly #kinds: Readonly<Record<Kind, KindCoverage>>;

  constructor(parts: CoverageParts) {
    this.#parts = parts;
    this.#kinds = { post: new KindCoverage('post', parts), comment: new KindCoverage('comment', parts) };
  }

  async of(view: View, request: CoverageRequest, signal?: AbortSignal): Promise<Coverage> {
    const { fingerprint, pin } = this.#parts;
    using _pin = pin(view.kind);
    const [covered, index] = await Promise.all([
      this.#kinds[view.kind].of(view, request, signal),
      fingerprint(view),
    ]);
    return { index, ...covered };
  }

  /** Makes what the months of the current view are told from. */
  warm(view: View): Promise<void> {
    return this.#kinds[view.kind].warm(view);
  }

  async settled(): Promise<void> {
    await Promise.all(Object.values(this.#kinds).map((kind) => kind.settled()));
  }
}

class KindCoverage {
  readonly #kind: Kind;
  readonly #parts: CoverageParts;
  /** By name of the segment. */
  readonly #known = new Map<string, KnownDays>();
  #view: View | null = null;
  /** Of this view. */
  readonly #wholes = new Map<CoverageStep, Promise<Whole>>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(kind: Kind, parts: CoverageParts) {
    this.#kind = kind;
    this.#parts = parts;
  }

  /** For the current view. Work that exceeds the time budget goes on: a later request finds it. */
  async of(view: View, request: CoverageRequest, signal?: AbortSignal): Promise<Omit<Coverage, 'index'>> {
    const { step, communities, timeoutMs = Infinity } = request;
    const whole = this.#wholeOf(view, step);
    const { thread } = this.#parts;
    const named =
      communities.length === 0
        ? []
        : thread().call('communityTimes', this.#kind, communities, step, timeoutMs);
    const both = untilAborted(signal, () => within(timeoutMs, Promise.all([whole, named])));
    const [{ buckets, gaps }, times] = await both;
    return { ...timeRange(view), buckets, gaps, communities: times };
  }

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
      const names = new Set(view.segments.map(({ segment }) => segment.name));
      for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
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
    const { thread, pin } = this.#parts;
    using _pin = pin(this.#kind);
    // Before anything else, so that the thread takes this view.
    const counting = thread().call('communitiesPer', this.#kind, step);
    counting.catch(() => undefined);
    let days: DayTable = new Int32Array(0);
    for (const source of view.segments) days = addDays(days, await this.#daysOf(source));
    const communities = await counting;
    const buckets = bucketsOf(days, step, (start) => communities.get(start)!);
    return { buckets, gaps: gapsIn(days) };
  }

  #daysOf(source: ViewSegment): Promise<DayTable> {
    const { name } = source.segment;
    const known = this.#known.get(name);
    if (known?.deadVersion === source.deadVersion) return known.days;
    const days = this.#count(source, known);
    const { dead, deadVersion } = source;
    this.#known.set(name, { dead, deadVersion, days });
    days.catch(() => {
      if (this.#known.get(name)?.days === days) this.#known.delete(name);
    });
    return days;
  }

  /** From what is known of the same segment with other dead docs: only those in which they differ are read. */
  async #count({ segment, dead }: ViewSegment, known: KnownDays | undefined): Promise<DayTable> {
    const { thread, isClosing } = this.#parts;
    const start = (await known?.days.catch(() => null)) ?? null;
    const before = start === null ? null : known!.dead;
    const step = before === null ? AT_ONCE : COMPARED_AT_ONCE;
    let days: DayTable = start ?? new Int32Array(0);
    for (let from = 0; from < segment.docs; from += step) {
      if (isClosing()) throw new EngineUnavailable('the index was closed before its records were counted');
      const range = { from, to: Math.min(from + step, segment.docs) };
      days = addDays(days, await thread().call('dayChange', segment.data, before, dead, range));
      // A thread that is the caller's own would let nothing else run.
      await setImmediate();
    }
    return days;
  }
}

/** Rejects with `query_timeout` where the result is not there in time; the work goes on. */
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
