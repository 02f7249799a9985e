// The embedded engine: records and lists in files of its own, answered by worker threads (docs/embedded-engine.md).

import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../../log.ts';
import type { Coverage, CoverageRequest } from '../../model/coverage.ts';
import {
  type Answer,
  type Answers,
  type AskOptions,
  type Checkpoint,
  type IndexReport,
  type KindStats,
  kindOfAll,
  type LastArrival,
  type MaintainOptions,
  type MemoryUse,
  type NamedRecords,
  type NamedRequest,
  type OneOfMany,
  type PurgeReport,
  type Question,
  type SearchEngine,
} from '../../model/engine.ts';
import { eachOf, IndexDamage } from '../../model/engine-errors.ts';
import type { EngineOptions } from '../../model/engine-module.ts';
import type { ExportRequest, ExportRun } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import type { Order } from '../../model/pages.ts';
import type { Query } from '../../model/query.ts';
import { KINDS, type Kind, type RecordBatch, type StoredRecord } from '../../model/record.ts';
import { type Hidden, type MovedRecords, NO_REMOVALS } from '../../model/removals.ts';
import type { ArrivalTime } from '../../model/time.ts';
import { Places } from '../../model/waiting.ts';
import { MoveCount } from '../shared/day-table.ts';
import { ExportRuns } from '../shared/exports.ts';
import { BatchIndexer } from './batch-indexer.ts';
import { ColumnOwner } from './columns/column-memory.ts';
import { forgetCache } from './columns/paged-column.ts';
import { type Exported, ExportSession, exportWorkers } from './exports.ts';
import { docsOf, KindStore, lastArrival, liveCount } from './index/view.ts';
import { KindIndex, type SharedByKinds } from './kind-index.ts';
import type { KernelChoice } from './sets/kernels.ts';
import { ThreadPool } from './threads/thread-pool.ts';
import { walk } from './walks.ts';
import { WriterLock } from './writing/writer-lock.ts';

/** How often the writing process looks for purges that others ask for, and they for the end of a purge. */
const PURGE_LOOK_MS = 500;

/**
 * Opens the index in this folder; nothing is written before the first record. Calls for a damaged or newer kind throw
 * an IndexDamage. Opening throws it too if a newer version wrote one kind and the other does not exist.
 */
export async function openEmbeddedEngine(folder: string, options: EmbeddedOptions): Promise<SearchEngine> {
  await using opened = new AsyncDisposableStack();
  const engine = opened.use(new EmbeddedEngine(folder, options));
  await engine.refresh();
  engine.expectReadable();
  if (options.isBrief === true) engine.runInCallerUpTo(options.smallDocs ?? SMALL_DOCS);
  opened.move();
  return engine;
}

class EmbeddedEngine implements SearchEngine {
  readonly #owner: ColumnOwner | null;
  readonly #threads: ThreadPool;
  readonly #kinds: Readonly<Record<Kind, KindIndex>>;
  readonly #batches: BatchIndexer;
  readonly #exports = new ExportRuns();
  readonly #exported: Exported;
  readonly #lock: WriterLock;
  /** Writes, one after the other. */
  readonly #turns = new Places(1);
  /** A batch was written: the lock stays until the end. */
  #isWriter = false;
  /** How many upkeep calls hold the lock. */
  #keepers = 0;
  #purgeLook: NodeJS.Timeout | undefined;
  #isWarm = false;
  #isClosing = false;

  constructor(folder: string, options: EmbeddedOptions) {
    const { rules, removals = NO_REMOVALS, isReadOnly = false, shareFromMs, kernels } = options;
    const { workers = availableParallelism(), spareWorkers = 0, memoryBytes, wholeDocs, printer } = options;
    const answering = Math.max(1, workers + spareWorkers);
    this.#owner = memoryBytes === undefined ? null : new ColumnOwner(memoryBytes, answering, wholeDocs);
    const { memory } = this.#owner ?? {};
    const threads = { folder, rules, isReadOnly, shareFromMs, kernels, memory, printer };
    this.#threads = new ThreadPool(threads, workers, (kind) => this.#kinds[kind], spareWorkers);
    const shared: SharedByKinds = {
      threads: this.#threads,
      isClosing: () => this.#isClosing,
      inTurn: (work) => this.#turns.run(work),
      logged: new Map(),
    };
    const index = (kind: Kind) => new KindIndex(new KindStore(folder, kind, isReadOnly, this.#owner), shared);
    this.#kinds = { post: index('post'), comment: index('comment') };
    this.#batches = new BatchIndexer(this.#threads, removals, options.builders);
    this.#exported = {
      ...{ folder, isReadOnly, kinds: this.#kinds, threads: this.#threads, workers: exportWorkers() },
    };
    this.#lock = new WriterLock(folder);
  }

  runInCallerUpTo(smallDocs: number): void {
    const docs = this.#all.reduce((sum, { view }) => sum + docsOf(view), 0);
    if (docs <= smallDocs) this.#threads.runInCaller();
  }

  async index(
    kind: Kind,
    batch: RecordBatch,
    checkpoint?: Checkpoint,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport> {
    const index = this.#kinds[kind];
    // uncovered: merges that fall far behind an import, on a slow disk
    if (index.upkeep.isBehind()) await index.upkeep.settled();
    return await this.#write(index, async () => {
      for (;;) {
        const report = await this.#batches.tryToIndex(index, batch, checkpoint ?? null, arrived);
        if (report === null) continue;
        index.upkeep.noteWritten(report.added + report.replaced);
        return report;
      }
    });
  }

  hide(removal: number, kind: Kind, what: Hidden): Promise<MovedRecords> {
    return this.#kinds[kind].hide(removal, what);
  }

  async restore(removal: number, kinds: readonly Kind[] = KINDS): Promise<MovedRecords> {
    const restored = new MoveCount();
    await eachOf(kinds, async (kind) => restored.addAll(await this.#kinds[kind].restore(removal)));
    return restored.value();
  }

  async hiddenCount(kinds: readonly Kind[] = KINDS): Promise<number> {
    for (const kind of kinds) this.#kinds[kind].refresh();
    const segments = kinds.flatMap((kind) => this.#kinds[kind].view.segments);
    return segments.reduce((sum, { hidden }) => sum + hidden, 0);
  }

  async lastRemoval(kind: Kind): Promise<number> {
    const { store } = this.#kinds[kind];
    this.#kinds[kind].refresh();
    return store.manifest.lastRemoval();
  }

  async purge(kinds: readonly Kind[] = KINDS): Promise<PurgeReport> {
    await eachOf(kinds, (kind) => this.#purge(this.#kinds[kind]));
    await this.refresh();
    return { erased: 'now' };
  }

  async #purge(index: KindIndex): Promise<void> {
    index.refresh();
    const { manifest } = index.store;
    const number = await manifest.patiently(() => manifest.askPurge());
    while (manifest.state().purgesDone < number) {
      if (!(await this.#keep(index))) await sleep(PURGE_LOOK_MS);
      // uncovered: closed in the midst of a purge
      if (this.#isClosing) throw new Error('the index was closed before the purge was done');
      index.refresh();
    }
  }

  async maintain(options?: MaintainOptions): Promise<void> {
    await this.refresh();
    // A kind that was never written needs no lock.
    const kept = this.#all.filter(({ damage, view }) => damage === null && view.version > 0);
    await eachOf(
      kept.map(({ kind }) => kind),
      async (kind) => {
        try {
          await this.#keep(this.#kinds[kind], options);
        } catch (error) {
          // Upkeep may find damage first; it has been logged by then. uncovered: a fault of ours: damage is told
          // otherwise
          if (!(error instanceof IndexDamage)) throw error;
        }
      },
    );
  }

  async refresh(): Promise<void> {
    for (const index of this.#all) index.tryToRefresh();
  }

  async ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted();
    return await this.#whole(question.kind).naming(() => this.#threads.ask(question, signal));
  }

  async records(request: NamedRequest, signal?: AbortSignal): Promise<NamedRecords> {
    signal?.throwIfAborted();
    return await this.#whole(request.kind).naming(() => this.#threads.records(request, signal));
  }

  async askAll(
    questions: readonly OneOfMany[],
    options: AskOptions = {},
    signal?: AbortSignal,
  ): Promise<Answers> {
    signal?.throwIfAborted();
    const index = this.#whole(kindOfAll(questions));
    return await index.naming(() => this.#threads.askAll(questions, options, signal));
  }

  scan(kind: Kind, query: Query, order: Order, signal?: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    const index = this.#kinds[kind];
    return walk(index, (thread, scan, gone) => thread.openScan(scan, kind, query, order, gone), signal);
  }

  buried(kind: Kind): AsyncIterable<readonly StoredRecord[]> {
    return walk(this.#kinds[kind], (thread, scan) => thread.openBuried(scan, kind));
  }

  export(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    return this.#exports.open(
      request,
      signal,
      (ending) => new ExportSession(this.#exported, request, ending),
    );
  }

  async checkpoints(kind: Kind): Promise<ReadonlyMap<string, string>> {
    const index = this.#whole(kind);
    return await index.naming(async () => index.store.manifest.checkpoints());
  }

  async isEmpty(): Promise<boolean> {
    return this.#all.every(({ damage, view }) => damage === null && liveCount(view) === 0);
  }

  stats(): Promise<Record<Kind, KindStats | IndexDamage>> {
    return this.#ofEach((index) => index.stats());
  }

  fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>> {
    return this.#ofEach((index) => index.fingerprint());
  }

  lastArrivals(): Promise<Record<Kind, LastArrival | IndexDamage>> {
    return this.#ofEach(async ({ damage, view }) => damage ?? lastArrival(view));
  }

  async coverage(request: CoverageRequest, signal?: AbortSignal): Promise<Coverage> {
    signal?.throwIfAborted();
    return await this.#whole(request.kind).coverage(request, signal);
  }

  damages(): Promise<Record<Kind, IndexDamage | null>> {
    return this.#ofEach(async ({ damage }) => damage);
  }

  memoryUse(): MemoryUse | null {
    return this.#owner?.use ?? null;
  }

  /** Throws if a newer version wrote one kind and the other has nothing to serve either. */
  expectReadable(): void {
    const newer = this.#all.find(({ damage }) => damage?.isNewer === true);
    if (newer !== undefined && this.#all.every(({ view }) => view.version === 0)) newer.expectWhole();
  }

  expectBatches(): void {
    this.#threads.runInThreads();
    this.#threads.writer();
  }

  async warm(): Promise<void> {
    await this.#threads.warm();
    if (this.#isClosing) return;
    this.#exported.workers.isKeeping = !this.#threads.isLocal;
    this.#exported.workers.makeReady();
    if (this.#isWarm) return;
    this.#isWarm = true;
    for (const index of this.#all) index.warm();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#purgeLook);
    await this.#exports[Symbol.asyncDispose]();
    const settled = () => this.#turns.run(async () => undefined);
    await Promise.all([settled(), ...this.#all.map(({ upkeep }) => upkeep.close())]);
    await settled();
    await Promise.all(this.#all.map((index) => index.settled()));
    await Promise.all([this.#threads, this.#exported.workers].map((one) => one[Symbol.asyncDispose]()));
    try {
      for (const { store } of this.#all) store.close();
      if (this.#owner !== null) forgetCache(this.#owner.memory);
    } finally {
      this.#lock.release();
    }
  }

  get #all(): readonly KindIndex[] {
    return KINDS.map((kind) => this.#kinds[kind]);
  }

  async #ofEach<T>(make: (index: KindIndex) => Promise<T>): Promise<Record<Kind, T>> {
    const [post, comment] = await Promise.all(this.#all.map(make));
    return { post: post!, comment: comment! };
  }

  /** Throws the IndexDamage of a kind that cannot be read. */
  #whole(kind: Kind): KindIndex {
    this.#kinds[kind].expectWhole();
    return this.#kinds[kind];
  }

  /** Takes the lock at the first write and keeps it. */
  #write<T>(index: KindIndex, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      if (!this.#isWriter) await this.#becomeWriter();
      index.refresh();
      using _pin = index.pin();
      const result = await work();
      index.showCommitted();
      index.upkeep.start();
      return result;
    });
  }

  async #becomeWriter(): Promise<void> {
    const isFresh = !this.#lock.isHeld;
    await this.#lock.take();
    if (isFresh) this.#deleteOrphans();
    this.#isWriter = true;
    this.#purgeLook = setInterval(() => this.#lookForPurge(), PURGE_LOOK_MS).unref();
  }

  /** A purge may be asked for or due while no batch comes in. */
  #lookForPurge(): void {
    for (const { kind, upkeep } of this.#all) {
      try {
        upkeep.startErasing();
      } catch (error) {
        // uncovered: a disk that fails while nobody writes
        log.error({ err: error, kind }, 'looking for a purge failed');
      }
    }
  }

  #deleteOrphans(): void {
    for (const index of this.#all) index.deleteOrphans();
  }

  /**
   * Does the upkeep that is due for this kind, then releases the lock unless this process writes. False: another
   * process holds it.
   */
  async #keep({ upkeep }: KindIndex, options?: MaintainOptions): Promise<boolean> {
    const isOurs = await this.#turns.run(async () => {
      const isFresh = !this.#lock.isHeld;
      if (isFresh && !this.#lock.tryToTake('upkeep')) return false;
      if (isFresh) this.#deleteOrphans();
      this.#keepers++;
      return true;
    });
    if (!isOurs) return false;
    try {
      await upkeep.finish(options);
    } finally {
      await this.#turns.run(async () => {
        this.#keepers--;
        if (this.#keepers === 0 && !this.#isWriter) this.#lock.release();
      });
    }
    return true;
  }
}

/**
 * Most questions about an index of this size take some milliseconds in one thread. Two more threads take 350 ms to
 * start, and as much processor time as the whole command: `search` of 890,000 records takes 0.72 s without them, 1.0 to
 * 1.1 with them (2 threads of one core, AMD EPYC). In a larger index, long work such as an export would block the one
 * thread.
 */
export const SMALL_DOCS = 2 ** 20;

export interface EmbeddedOptions extends EngineOptions {
  /** Questions estimated to take this many milliseconds are shared with idle threads. Default: SHARE_FROM_MS. */
  readonly shareFromMs?: number;
  /** `typescript`: no WebAssembly, for tests; it is slower, and the answers are the same. */
  readonly kernels?: KernelChoice;
  /** See ColumnOwner. */
  readonly wholeDocs?: number;
  /** An index of up to this many records is small (see isBrief). Default: SMALL_DOCS. */
  readonly smallDocs?: number;
  /** See BatchIndexer. */
  readonly builders?: 1 | 2;
}
