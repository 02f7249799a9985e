// Stores the sums of segments that the manifest lacks: of those that lost more records at once than a commit sums
// up. Each is made beside batches and merges and stored before the next one is begun. They are
// optimistic commits, as removals are: the writer's lock is not needed.

import { log } from '../../log.ts';
import { IndexDamage } from '../../model/damage.ts';
import type { Kind } from '../../model/record.ts';
import { SegmentDamage } from './format/segment-file.ts';
import type { KindStore } from './index/kind-store.ts';
import type { View, ViewSegment } from './index/view.ts';
import type { KindSums } from './kind-sums.ts';
import type { ThreadPool } from './threads/thread-pool.ts';

export interface SumParts {
  readonly store: KindStore;
  readonly threads: ThreadPool;
  readonly sums: KindSums;
  /** The current view. */
  view(): View;
  /** Sees what is committed. */
  refresh(): void;
  /** Runs `work`, which reads segments; damage that it comes upon is logged once, and an IndexDamage. */
  reading<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` while no batch is under way. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

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
