// The embedded engine: records, posting lists and columns in files of its own, questions answered by worker threads.
// docs/embedded-engine.md draws the formats and tells how a question is answered.

import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { log } from '../../log.ts';
import type { CopyRules } from '../../model/copies.ts';
import type {
  Answer,
  Checkpoint,
  CommunityEvidence,
  IndexReport,
  KindStats,
  Question,
  SearchEngine,
} from '../../model/engine.ts';
import type { Order } from '../../model/order.ts';
import { isPacked, packRecords, type RecordBatch } from '../../model/packed-records.ts';
import type { Query } from '../../model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../model/record.ts';
import { sharedNow } from './deadline.ts';
import { communityCount, evidenceOf } from './evidence.ts';
import { KindStore } from './kind-store.ts';
import { pickMerge } from './merge-policy.ts';
import { ThreadPool } from './thread-pool.ts';
import { emptyView, liveCount, openView, timeRange, type View } from './view.ts';
import type { PreparedBatch } from './writer.ts';
import { WriterLock } from './writer-lock.ts';

export interface EmbeddedOptions {
  readonly rules: CopyRules;
  /** Threads that answer questions; 0: none, everything in the caller's thread. Default: one a processor. */
  readonly workers?: number;
}

/** With more segments than this, a batch waits for a merge. */
const MAX_SEGMENTS = 64;

/** Batches from this many records on are prepared by two threads, a lane each (packed-records.ts). */
const MIN_SPLIT = 8_192;

/** Opens the index in this folder; nothing is written before the first record. */
export async function openEmbeddedEngine(folder: string, options: EmbeddedOptions): Promise<SearchEngine> {
  const engine = new EmbeddedEngine(folder, options);
  await engine.refresh();
  return engine;
}

class EmbeddedEngine implements SearchEngine {
  readonly #stores: Record<Kind, KindStore>;
  readonly #views: Record<Kind, View> = { post: emptyView('post'), comment: emptyView('comment') };
  readonly #threads: ThreadPool;
  readonly #lock: WriterLock;
  /** Writes, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #merging: Record<Kind, Promise<void> | null> = { post: null, comment: null };
  #scans = 0;
  #isClosing = false;

  constructor(folder: string, { rules, workers = availableParallelism() }: EmbeddedOptions) {
    mkdirSync(folder, { recursive: true });
    this.#stores = { post: new KindStore(folder, 'post'), comment: new KindStore(folder, 'comment') };
    this.#threads = new ThreadPool({ folder, rules }, workers);
    this.#lock = new WriterLock(folder);
  }

  async index(kind: Kind, batch: RecordBatch, checkpoint?: Checkpoint): Promise<IndexReport> {
    if (this.#views[kind].segments.length > MAX_SEGMENTS) await this.#merging[kind];
    return this.#write(kind, async () => {
      const writer = this.#threads.writer();
      const parts = await this.#prepare(kind, batch);
      return await writer.call('commitBatch', kind, parts, checkpoint ?? null);
    });
  }

  remove(kind: Kind, ids: readonly string[]): Promise<number> {
    return this.#write(kind, () => this.#threads.writer().call('remove', kind, ids));
  }

  async refresh(): Promise<void> {
    for (const kind of KINDS) this.#refreshKind(kind);
  }

  async ask(question: Question): Promise<Answer> {
    const budgetMs = question.timeoutMs ?? Infinity;
    using _pin = this.#stores[question.kind].pin();
    return await this.#threads.reader().call('ask', question, { end: sharedNow() + budgetMs, budgetMs });
  }

  async *scan(kind: Kind, query: Query, order: Order): AsyncIterable<readonly StoredRecord[]> {
    using _pin = this.#stores[kind].pin();
    const thread = this.#threads.reader();
    const scan = this.#scans++;
    await thread.call('openScan', scan, kind, query, order);
    try {
      for (;;) {
        const batch = await thread.call('nextBatch', scan);
        if (batch === null) return;
        yield batch;
      }
    } finally {
      await thread.call('closeScan', scan);
    }
  }

  async communities(names: readonly string[]): Promise<ReadonlyMap<string, CommunityEvidence>> {
    return evidenceOf(Object.values(this.#views), names);
  }

  async checkpoint(kind: Kind, source: string): Promise<string | null> {
    return this.#stores[kind].manifest.checkpoint(source);
  }

  async stats(): Promise<Record<Kind, KindStats>> {
    return { post: this.#kindStats('post'), comment: this.#kindStats('comment') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await Promise.all([this.#turn, ...Object.values(this.#merging)]);
    await this.#threads[Symbol.asyncDispose]();
    for (const store of Object.values(this.#stores)) store.close();
    this.#lock.release();
  }

  #kindStats(kind: Kind): KindStats {
    const view = this.#views[kind];
    return {
      records: liveCount(view),
      communities: communityCount(view),
      ...timeRange(view),
      segments: view.segments.length,
      bytes: view.version === 0 ? 0 : this.#stores[kind].size(),
    };
  }

  #refreshKind(kind: Kind): void {
    const store = this.#stores[kind];
    if (!store.refresh()) return;
    this.#views[kind] = openView(store.current, this.#views[kind]);
    this.#threads.show(store.current);
  }

  /** Takes the lock at the first write and keeps it. */
  #write<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const isFirst = !this.#lock.isHeld;
      this.#lock.take();
      if (isFirst) for (const store of Object.values(this.#stores)) store.deleteOrphans();
      this.#refreshKind(kind);
      using _pin = this.#stores[kind].pin();
      const result = await work();
      this.#refreshKind(kind);
      this.#startMerging(kind);
      return result;
    });
  }

  /** Large batches in two parts, side by side: a lane each. */
  async #prepare(kind: Kind, batch: RecordBatch): Promise<readonly PreparedBatch[]> {
    const { count, lanes } = isPacked(batch) ? batch : packRecords(batch);
    const writer = this.#threads.writer();
    const helper = count < MIN_SPLIT ? null : this.#threads.helper();
    if (helper === null) return [await writer.call('prepareBatch', kind, lanes.flat())];
    const halves = lanes.map((packs, i) => (i === 0 ? helper : writer).call('prepareBatch', kind, packs));
    const parts: PreparedBatch[] = [];
    const errors: unknown[] = [];
    for (const result of await Promise.allSettled(halves)) {
      if (result.status === 'fulfilled') parts.push(result.value);
      else errors.push(result.reason);
    }
    if (errors.length === 0) return parts;
    await this.#threads.writer().call('discardBatch', kind, parts);
    throw errors[0];
  }

  /** Merges as long as there is something to merge, beside questions and batches. */
  #startMerging(kind: Kind): void {
    if (this.#merging[kind] !== null || this.#plannedMerge(kind) === null) return;
    this.#merging[kind] = this.#mergeAll(kind)
      // The index stays as it is, with more segments; the next write tries again.
      .catch((error: unknown) => log.error({ err: error, kind }, 'merging segments failed'))
      .finally(() => {
        this.#merging[kind] = null;
      });
  }

  async #mergeAll(kind: Kind): Promise<void> {
    for (
      let names = this.#plannedMerge(kind);
      names !== null && !this.#isClosing;
      names = this.#plannedMerge(kind)
    ) {
      using _pin = this.#stores[kind].pin();
      const result = await this.#threads.merger().call('prepareMerge', kind, names);
      await this.#inTurn(async () => {
        await this.#threads.writer().call('commitMerge', kind, result);
        this.#refreshKind(kind);
      });
    }
  }

  #plannedMerge(kind: Kind): readonly string[] | null {
    return pickMerge(
      this.#views[kind].segments.map(({ segment, deadCount }) => ({
        name: segment.name,
        docs: segment.docs,
        deadDocs: deadCount,
        bytes: segment.data.size,
        lastCreated: segment.data.footer.lastCreated,
      })),
    );
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
