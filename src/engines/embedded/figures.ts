// Figures of a kind as a whole: what is in it, its fingerprint, and what it covers; and the sums of segments that the
// fingerprint is made of, stored where the manifest lacks them.

import { log } from '../../log.ts';
import type { Coverage, CoverageRequest } from '../../model/coverage.ts';
import type { KindStats } from '../../model/engine.ts';
import { EngineUnavailable, IndexDamage } from '../../model/engine-errors.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { Coverages } from './coverages.ts';
import type { Damages } from './damages.ts';
import { SegmentDamage } from './format/segment-file.ts';
import type { KindStore } from './index/kind-store.ts';
import { liveCount, timeRange, type View, type ViewSegment } from './index/view.ts';
import { KindSums } from './kind-sums.ts';
import type { Answering } from './threads/answering-calls.ts';
import type { ThreadHandle } from './threads/thread-handle.ts';
import type { ThreadPool } from './threads/thread-pool.ts';

interface FigureParts {
  readonly stores: Readonly<Record<Kind, KindStore>>;
  readonly damages: Damages;
  readonly view: (kind: Kind) => View;
  readonly thread: () => ThreadHandle<Answering>;
  readonly isClosing: () => boolean;
}

export class Figures {
  readonly sums: Readonly<Record<Kind, KindSums>> = {
    post: new KindSums('post'),
    comment: new KindSums('comment'),
  };
  readonly #parts: FigureParts;
  readonly #coverages: Coverages;

  constructor(parts: FigureParts) {
    this.#parts = parts;
    const { stores, thread, isClosing } = parts;
    this.#coverages = new Coverages({
      pin: (kind) => stores[kind].pin(),
      fingerprint: async (view) => (await this.sumOf(view, () => false))!,
      ...{ thread, isClosing },
    });
  }

  /** Of each kind; in their place, why it cannot be read. */
  async stats(): Promise<Record<Kind, KindStats | IndexDamage>> {
    const [post, comment] = await Promise.all(KINDS.map((kind) => this.#stats(kind)));
    return { post: post!, comment: comment! };
  }

  #stats(kind: Kind): Promise<KindStats | IndexDamage> {
    const { stores, thread } = this.#parts;
    return this.#ofWhole(kind, async (view) => {
      const records = liveCount(view);
      return {
        records,
        communities: records === 0 ? 0 : await thread().call('communityCount', kind),
        ...timeRange(view),
        segments: view.segments.length,
        bytes: view.version === 0 ? 0 : stores[kind].size(),
        lacking: await thread().call('lackingFacts', kind),
      };
    });
  }

  /** Of a view whose files are kept; absent: of the current one. In its place, why the kind cannot be read. */
  fingerprint(kind: Kind, view = this.#parts.view(kind)): Promise<IndexFingerprint | IndexDamage> {
    return this.#ofWhole(kind, async () => (await this.sumOf(view, () => false))!);
  }

  /** Of a view whose files are kept; null where `isStopped` became true meanwhile. */
  async sumOf(view: View, isStopped: () => boolean): Promise<IndexFingerprint | null> {
    const { thread, isClosing } = this.#parts;
    const isOver = () => isClosing() || isStopped();
    const found = await this.sums[view.kind].fingerprint(view, thread, isOver);
    if (found !== null || !isClosing()) return found;
    throw new EngineUnavailable('the index was closed before its records were summed up');
  }

  /** Of a kind that can be read. */
  coverage(request: CoverageRequest, signal?: AbortSignal): Promise<Coverage> {
    const { damages, view } = this.#parts;
    const { kind } = request;
    return damages.naming(kind, () => this.#coverages.of(view(kind), request, signal));
  }

  /** Begins what takes longest of a coverage by month; who asks for one later finds it made, or under way. */
  warm(): void {
    const { damages, view } = this.#parts;
    for (const kind of KINDS) {
      if (damages.of(kind) !== null) continue;
      // What fails is told to those who ask.
      damages.naming(kind, () => this.#coverages.warm(view(kind))).catch(() => undefined);
    }
  }

  settled(): Promise<void> {
    return this.#coverages.settled();
  }

  /** In one view; in its place, why the kind cannot be read. */
  async #ofWhole<T>(kind: Kind, make: (view: View) => Promise<T>): Promise<T | IndexDamage> {
    const { damages, stores, view } = this.#parts;
    const damage = damages.of(kind);
    if (damage !== null) return damage;
    using _pin = stores[kind].pin();
    try {
      return await damages.naming(kind, () => make(view(kind)));
    } catch (error) {
      if (error instanceof IndexDamage) return error;
      // uncovered: a thread dies meanwhile
      throw error;
    }
  }
}

export interface SumParts {
  readonly store: KindStore;
  readonly threads: ThreadPool;
  readonly sums: KindSums;
  view(): View;
  refresh(): void;
  /** Runs `work`, which reads segments; damage that it comes upon is logged once, and an IndexDamage. */
  reading<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` while no batch is under way. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Stores the sums that the manifest lacks, because a commit killed too many records. Each is an optimistic commit,
 * beside batches and merges.
 */
export class MissingSums {
  readonly #kind: Kind;
  readonly #parts: SumParts;
  /** By name of the segment: the deadVersion at which it could not be summed up. */
  readonly #damaged = new Map<string, number>();
  #running: Promise<void> | null = null;
  #isClosing = false;

  constructor(kind: Kind, parts: SumParts) {
    this.#kind = kind;
    this.#parts = parts;
  }

  /** Begins where a sum is missing and nothing is under way yet; what fails is logged and left to the next time. */
  start(): void {
    if (this.#running !== null || this.#isClosing || this.#next() === undefined) return;
    this.#running = this.#work()
      .catch((error: unknown) => {
        // Damage was told where it was found.
        if (!(error instanceof IndexDamage))
          log.error({ err: error, kind: this.#kind }, 'storing sums failed');
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** What is under way ends after its present step, some 100 ms; what was stored stays. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#running;
  }

  async #work(): Promise<void> {
    for (let source = this.#next(); source !== undefined; source = this.#next()) {
      if (this.#isClosing) return;
      const { name } = source.segment;
      try {
        if (await this.#make(source)) await this.#parts.inTurn(() => this.#store(name));
      } catch (error) {
        if (!(error instanceof SegmentDamage) && !(error instanceof IndexDamage)) throw error;
        this.#damaged.set(name, this.#find(name)?.deadVersion ?? source.deadVersion);
      }
    }
  }

  /** Those that are damaged are tried again when other records of them are alive. */
  #next(): ViewSegment | undefined {
    const isTried = ({ segment, deadVersion }: ViewSegment) =>
      this.#damaged.get(segment.name) === deadVersion;
    return this.#parts.view().segments.find((one) => one.sum === null && !isTried(one));
  }

  #find(name: string): ViewSegment | undefined {
    return this.#parts.view().segments.find(({ segment }) => segment.name === name);
  }

  /** False: it was given up, because of the end or because the segment is merged into another. */
  async #make(source: ViewSegment): Promise<boolean> {
    const { store, threads, sums, reading } = this.#parts;
    using _pin = store.pin();
    const isStopped = () => this.#isClosing || this.#find(source.segment.name) === undefined;
    return (await reading(() => sums.sumOf(source, () => threads.merger(), isStopped))) !== null;
  }

  /** In a turn: what a batch has changed since the sum was made is made here, from few records. */
  async #store(name: string): Promise<void> {
    const { store, threads, sums, view, reading, refresh } = this.#parts;
    for (let isStored = false; !isStored; ) {
      refresh();
      using _pin = store.pin();
      const source = this.#find(name);
      if (source === undefined || source.sum !== null) return;
      const { version } = view();
      const isStopped = () => this.#isClosing;
      const sum = await reading(() => sums.sumOf(source, () => threads.merger(), isStopped));
      if (sum === null) return;
      const made = new Map([[name, sum]]);
      isStored = await threads.writer().call('storeSums', this.#kind, made, version);
    }
    refresh();
  }
}
