// The embedded engine: records and lists in files of its own, answered by worker threads (docs/embedded-engine.md).

import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../../log.ts';
import type { Coverage, CoverageRequest } from '../../model/coverage.ts';
import { MoveCount } from '../../model/day-table.ts';
import type {
  Answer,
  Answers,
  AskOptions,
  Checkpoint,
  IndexReport,
  KindStats,
  LastArrival,
  MaintainOptions,
  MemoryUse,
  OneOfMany,
  PurgeReport,
  Question,
  SearchEngine,
} from '../../model/engine.ts';
import { eachOf, IndexDamage } from '../../model/engine-errors.ts';
import { kindOfAll } from '../../model/engine-module.ts';
import type { ExportRequest, ExportRun } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import type { Order } from '../../model/pages.ts';
import type { Query } from '../../model/query.ts';
import { KINDS, type Kind, type RecordBatch, type StoredRecord } from '../../model/record.ts';
import type { NamedRecords, NamedRequest } from '../../model/record-link.ts';
import { type Hidden, type MovedRecords, NO_REMOVALS } from '../../model/removals.ts';
import type { ArrivalTime } from '../../model/time.ts';
import { BatchIndexer } from './batch-indexer.ts';
import { ColumnOwner } from './columns/column-memory.ts';
import { forgetCache } from './columns/paged-column.ts';
import { Damages } from './damages.ts';
import { Exports } from './exports.ts';
import { Figures } from './figures.ts';
import { KindStore } from './index/kind-store.ts';
import {
  docsOf,
  emptyView,
  lastArrival,
  liveCount,
  openView,
  type View,
  type ViewData,
} from './index/view.ts';
import { type EmbeddedOptions, SMALL_DOCS } from './options.ts';
import { type PooledViews, ThreadPool } from './threads/thread-pool.ts';
import { Upkeep } from './upkeep.ts';
import { Walks } from './walks.ts';
import type { FoundDocs } from './writing/removing.ts';
import { WriterLock } from './writing/writer-lock.ts';

/** How often the writing process looks for purges that others ask for; those look as often for the end. */
const PURGE_LOOK_MS = 500;

/**
 * Opens the index in this folder; nothing is written before the first record. Calls that concern a kind that is damaged
 * or newer throw an IndexDamage, and so does this where a newer version wrote one kind and the other is not there.
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
  readonly #stores: Record<Kind, KindStore>;
  readonly #views: Record<Kind, View> = { post: emptyView('post'), comment: emptyView('comment') };
  readonly #damages = new Damages();
  readonly #figures: Figures;
  readonly #threads: ThreadPool;
  readonly #lock: WriterLock;
  /** Writes, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #batches: BatchIndexer;
  readonly #exports: Exports;
  readonly #walks: Walks;
  readonly #upkeep: Record<Kind, Upkeep>;
  /** A batch was written: the lock stays until the end. */
  #isWriter = false;
  /** How many calls hold the lock for upkeep at the moment. */
  #keepers = 0;
  #purgeLook: NodeJS.Timeout | undefined;
  /** What may be made before anybody asks was begun. */
  #isWarm = false;
  #isClosing = false;

  constructor(folder: string, options: EmbeddedOptions) {
    const { rules, removals = NO_REMOVALS, isReadOnly = false, shareFromMs, kernels } = options;
    const { workers = availableParallelism(), spareWorkers = 0, memoryBytes, wholeDocs, printer } = options;
    const answering = Math.max(1, workers + spareWorkers);
    this.#owner = memoryBytes === undefined ? null : new ColumnOwner(memoryBytes, answering, wholeDocs);
    const store = (kind: Kind) => new KindStore(folder, kind, isReadOnly, this.#owner);
    this.#stores = { post: store('post'), comment: store('comment') };
    const pooled: PooledViews = {
      pin: (kind) => this.#stores[kind].pin(),
      canRead: (kind) => this.#damages.of(kind) === null,
      expectWhole: (kind) => this.#expectWhole(kind),
      fingerprint: async (view, isStopped) =>
        await this.#figures.sumOf(openView(view, this.#views[view.kind]), isStopped),
    };
    const { memory } = this.#owner ?? {};
    const threads = { folder, rules, isReadOnly, shareFromMs, kernels, memory, printer };
    this.#threads = new ThreadPool(threads, workers, pooled, spareWorkers);
    this.#figures = new Figures({
      stores: this.#stores,
      damages: this.#damages,
      view: (kind) => this.#views[kind],
      thread: () => this.#threads.reader(),
      isClosing: () => this.#isClosing,
    });
    this.#lock = new WriterLock(folder);
    this.#upkeep = { post: this.#upkeepOf('post'), comment: this.#upkeepOf('comment') };
    this.#exports = new Exports({
      folder,
      isReadOnly,
      stores: this.#stores,
      start: (start) => this.#threads.startExport(start),
      canRead: (kind) => this.#damages.of(kind) === null,
      expectWhole: (kind) => this.#expectWhole(kind),
      refresh: (kind) => this.#refreshKind(kind),
      fingerprint: (kind, view) => this.#figures.fingerprint(kind, openView(view, this.#views[kind])),
      reading: (kind, work) => this.#damages.namingRead(kind, work),
    });
    this.#walks = new Walks({
      stores: this.#stores,
      damages: this.#damages,
      thread: () => this.#threads.reader(),
    });
    this.#batches = new BatchIndexer({
      stores: this.#stores,
      threads: this.#threads,
      removals,
      view: (kind) => this.#views[kind],
      refresh: (kind) => this.#refreshKind(kind),
      reading: (kind, work) => this.#damages.namingRead(kind, work),
      builders: options.builders,
    });
  }

  runInCallerUpTo(smallDocs: number): void {
    const docs = KINDS.reduce((sum, kind) => sum + docsOf(this.#views[kind]), 0);
    if (docs <= smallDocs) this.#threads.runInCaller();
  }

  async index(
    kind: Kind,
    batch: RecordBatch,
    checkpoint?: Checkpoint,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport> {
    // uncovered: merges that fall far behind an import, on a slow disk
    if (this.#upkeep[kind].isBehind()) await this.#upkeep[kind].settled();
    return await this.#write(kind, async () => {
      for (;;) {
        const report = await this.#batches.tryToIndex(kind, batch, checkpoint ?? null, arrived);
        if (report === null) continue;
        this.#upkeep[kind].noteWritten(report.added + report.replaced);
        return report;
      }
    });
  }

  async hide(removal: number, kind: Kind, what: Hidden): Promise<MovedRecords> {
    /** Segments never change: what was found in one stays true, however often others come and go. */
    const found = new Map<string, Uint32Array>();
    for (;;) {
      this.#refreshKind(kind);
      using pin = this.#stores[kind].pin();
      // uncovered: a merge has taken the segments away in between
      if (!(await this.#findDocs(pin.data, what, found))) continue;
      const thread = this.#threads.reader();
      const hid = await thread.call('hideDocs', kind, removal, found, pin.data.version);
      if (hid === null) continue;
      this.#showCommitted(kind);
      return hid;
    }
  }

  async restore(removal: number, kinds: readonly Kind[] = KINDS): Promise<MovedRecords> {
    const restored = new MoveCount();
    await eachOf(kinds, async (kind) => {
      let back: MovedRecords | null = null;
      while (back === null) {
        this.#refreshKind(kind);
        using _pin = this.#stores[kind].pin();
        back = await this.#damages.namingRead(kind, () =>
          this.#threads.reader().call('restoreDocs', kind, removal),
        );
      }
      this.#showCommitted(kind);
      restored.addAll(back);
    });
    return restored.value();
  }

  async present(kind: Kind, ids: readonly string[]): Promise<number> {
    this.#expectWhole(kind);
    using _pin = this.#stores[kind].pin();
    return await this.#damages.naming(kind, () => this.#threads.reader().call('present', kind, ids));
  }

  async hiddenCount(kinds: readonly Kind[] = KINDS): Promise<number> {
    for (const kind of kinds) this.#refreshKind(kind);
    const segments = kinds.flatMap((kind) => this.#views[kind].segments);
    return segments.reduce((sum, { hidden }) => sum + hidden, 0);
  }

  async lastRemoval(kind: Kind): Promise<number> {
    this.#refreshKind(kind);
    return this.#stores[kind].manifest.lastRemoval();
  }

  async purge(kinds: readonly Kind[] = KINDS): Promise<PurgeReport> {
    await eachOf(kinds, (kind) => this.#purgeKind(kind));
    await this.refresh();
    return { erased: 'now' };
  }

  async #purgeKind(kind: Kind): Promise<void> {
    this.#refreshKind(kind);
    const { manifest } = this.#stores[kind];
    const number = await manifest.patiently(() => manifest.askPurge());
    while (manifest.state().purgesDone < number) {
      if (!(await this.#keep(kind))) await sleep(PURGE_LOOK_MS);
      // uncovered: closed in the midst of a purge
      if (this.#isClosing) throw new Error('the index was closed before the purge was done');
      this.#refreshKind(kind);
    }
  }

  async maintain(options?: MaintainOptions): Promise<void> {
    await this.refresh();
    // Where nothing was ever written there is nothing to lock.
    const kinds = KINDS.filter((kind) => this.#damages.of(kind) === null && this.#views[kind].version > 0);
    await eachOf(kinds, async (kind) => {
      try {
        await this.#keep(kind, options);
      } catch (error) {
        // Told already: upkeep is where damage may be met first. uncovered: a fault of ours: damage is told otherwise
        if (!(error instanceof IndexDamage)) throw error;
      }
    });
  }

  async refresh(): Promise<void> {
    for (const kind of KINDS) this.#tryToRefresh(kind);
  }

  async ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted();
    this.#expectWhole(question.kind);
    return await this.#damages.naming(question.kind, () => this.#threads.ask(question, signal));
  }

  async records(request: NamedRequest, signal?: AbortSignal): Promise<NamedRecords> {
    signal?.throwIfAborted();
    this.#expectWhole(request.kind);
    return await this.#damages.naming(request.kind, () => this.#threads.records(request, signal));
  }

  async askAll(
    questions: readonly OneOfMany[],
    options: AskOptions = {},
    signal?: AbortSignal,
  ): Promise<Answers> {
    signal?.throwIfAborted();
    const kind = kindOfAll(questions);
    this.#expectWhole(kind);
    return await this.#damages.naming(kind, () => this.#threads.askAll(questions, options, signal));
  }

  scan(kind: Kind, query: Query, order: Order, signal?: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    return this.#walks.matches(kind, query, order, signal);
  }

  export(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    return this.#exports.open(request, signal);
  }

  buried(kind: Kind): AsyncIterable<readonly StoredRecord[]> {
    return this.#walks.buried(kind);
  }

  async checkpoint(kind: Kind, source: string): Promise<string | null> {
    this.#expectWhole(kind);
    return await this.#damages.naming(kind, async () => this.#stores[kind].manifest.checkpoint(source));
  }

  async isEmpty(): Promise<boolean> {
    return KINDS.every((kind) => this.#damages.of(kind) === null && liveCount(this.#views[kind]) === 0);
  }

  async checkpoints(kind: Kind): Promise<ReadonlyMap<string, string>> {
    this.#expectWhole(kind);
    return await this.#damages.naming(kind, async () => this.#stores[kind].manifest.checkpoints());
  }

  stats(): Promise<Record<Kind, KindStats | IndexDamage>> {
    return this.#figures.stats();
  }

  async fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>> {
    const [post, comment] = await Promise.all(KINDS.map((kind) => this.#figures.fingerprint(kind)));
    return { post: post!, comment: comment! };
  }

  async lastArrivals(): Promise<Record<Kind, LastArrival | IndexDamage>> {
    const of = (kind: Kind) => this.#damages.of(kind) ?? lastArrival(this.#views[kind]);
    return { post: of('post'), comment: of('comment') };
  }

  async coverage(request: CoverageRequest, signal?: AbortSignal): Promise<Coverage> {
    signal?.throwIfAborted();
    this.#expectWhole(request.kind);
    return await this.#figures.coverage(request, signal);
  }

  async damages(): Promise<Record<Kind, IndexDamage | null>> {
    return { post: this.#damages.of('post'), comment: this.#damages.of('comment') };
  }

  memoryUse(): MemoryUse | null {
    return this.#owner?.use ?? null;
  }

  /** Throws where a newer version wrote one kind, and the other one has nothing to serve either. */
  expectReadable(): void {
    const newer = KINDS.map((kind) => this.#damages.of(kind)).find((damage) => damage?.isNewer === true);
    if (newer != null && KINDS.every((kind) => this.#views[kind].version === 0)) throw newer;
  }

  expectBatches(): void {
    this.#threads.runInThreads();
    this.#threads.writer();
  }

  async warm(): Promise<void> {
    await this.#threads.warm();
    if (this.#isWarm) return;
    this.#isWarm = true;
    this.#figures.warm();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#purgeLook);
    await this.#exports[Symbol.asyncDispose]();
    await Promise.all([this.#turn, ...Object.values(this.#upkeep).map((upkeep) => upkeep.close())]);
    await this.#turn;
    await this.#figures.settled();
    await this.#threads[Symbol.asyncDispose]();
    try {
      for (const store of Object.values(this.#stores)) store.close();
      if (this.#owner !== null) forgetCache(this.#owner.memory);
    } finally {
      this.#lock.release();
    }
  }

  /** Notes and logs damage instead of throwing it. */
  #tryToRefresh(kind: Kind): void {
    if (this.#damages.isFresh(kind)) return;
    try {
      this.#refreshKind(kind);
    } catch (error) {
      // uncovered: a fault of ours: damage is noted
      if (!(error instanceof IndexDamage)) throw error;
    }
  }

  #expectWhole(kind: Kind): void {
    const damage = this.#damages.of(kind);
    if (damage !== null) throw damage;
  }

  #refreshKind(kind: Kind): void {
    const store = this.#stores[kind];
    try {
      store.refresh();
      // Compared with the view in use: the last one read may never have been opened.
      if (store.current.version !== this.#views[kind].version) {
        this.#threads.show(store.current);
        this.#views[kind] = openView(store.current, this.#views[kind]);
      }
      this.#damages.clear(kind);
    } catch (error) {
      throw this.#damages.note(kind, error);
    }
  }

  /** Takes the lock at the first write and keeps it. */
  #write<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      if (!this.#isWriter) await this.#becomeWriter();
      this.#refreshKind(kind);
      using _pin = this.#stores[kind].pin();
      const result = await work();
      this.#showCommitted(kind);
      this.#upkeep[kind].start();
      return result;
    });
  }

  /** What is committed stays committed. Damage found later is recorded and thrown by the next call. */
  #showCommitted(kind: Kind): void {
    try {
      this.#refreshKind(kind);
    } catch (error) {
      // uncovered: a fault of ours: damage is noted
      if (!(error instanceof IndexDamage)) log.error({ err: error, kind }, 'a commit could not be shown');
    }
  }

  async #becomeWriter(): Promise<void> {
    const isFresh = !this.#lock.isHeld;
    await this.#lock.take();
    if (isFresh) this.#deleteOrphans();
    this.#isWriter = true;
    this.#purgeLook = setInterval(() => this.#lookForPurge(), PURGE_LOOK_MS).unref();
  }

  /** Another process may have asked for a purge, or one may be due, while no batch comes in. */
  #lookForPurge(): void {
    for (const kind of KINDS) {
      try {
        this.#upkeep[kind].startErasing();
      } catch (error) {
        // uncovered: a disk that fails while nobody writes
        log.error({ err: error, kind }, 'looking for a purge failed');
      }
    }
  }

  /** Leftover files of an unreadable kind cannot be identified. */
  #deleteOrphans(): void {
    for (const kind of KINDS) {
      try {
        this.#stores[kind].deleteOrphans();
      } catch (error) {
        this.#damages.note(kind, error);
      }
    }
  }

  /** Does what is due for this kind, then releases the lock unless this process writes. False: another one holds it. */
  async #keep(kind: Kind, options?: MaintainOptions): Promise<boolean> {
    const isOurs = await this.#inTurn(async () => {
      const isFresh = !this.#lock.isHeld;
      if (isFresh && !this.#lock.tryToTake('upkeep')) return false;
      if (isFresh) this.#deleteOrphans();
      this.#keepers++;
      return true;
    });
    if (!isOurs) return false;
    try {
      await this.#upkeep[kind].finish(options);
    } finally {
      await this.#inTurn(async () => {
        this.#keepers--;
        if (this.#keepers === 0 && !this.#isWriter) this.#lock.release();
      });
    }
    return true;
  }

  #upkeepOf(kind: Kind): Upkeep {
    return new Upkeep(kind, {
      store: this.#stores[kind],
      threads: this.#threads,
      sums: this.#figures.sums[kind],
      view: () => this.#views[kind],
      refresh: () => this.#refreshKind(kind),
      reading: (work) => this.#damages.namingRead(kind, work),
      inTurn: (work) => this.#inTurn(work),
    });
  }

  /** Adds the named records in segments of `view` that are not in `found`. False if a segment has disappeared. */
  async #findDocs(view: ViewData, what: Hidden, found: Map<string, Uint32Array>): Promise<boolean> {
    const names = view.segments.map(({ data }) => data.name).filter((name) => !found.has(name));
    const more: FoundDocs = await this.#damages.naming(view.kind, () =>
      this.#threads.reader().call('findDocs', view.kind, names, what),
    );
    for (const [name, docs] of more) found.set(name, docs);
    return more.size === names.length;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
