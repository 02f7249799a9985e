// A batch on its way into the index: prepared by the threads that write, and committed unless what it was prepared
// with has changed meanwhile.

import type { Checkpoint, IndexReport } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import type { RecordBatch } from '../../model/record-batch.ts';
import type { RemovalList } from '../../model/removals.ts';
import { packRecords, recordsOf as unpackRecords } from '../../packing/packed-records.ts';
import { type Lane, ONLY_LANE } from './building/batch-records.ts';
import type { KindStore } from './index/kind-store.ts';
import type { ThreadPool } from './threads/thread-pool.ts';
import type { PreparedBatch } from './writing/writer.ts';

/** Batches from this many records on are prepared by two threads, a lane each. */
const MIN_SPLIT = 8_192;
const HELPERS_LANE: Lane = { which: 0, of: 2 };
const WRITERS_LANE: Lane = { which: 1, of: 2 };

export interface BatchIndexerParts {
  readonly stores: Readonly<Record<Kind, KindStore>>;
  readonly threads: ThreadPool;
  readonly removals: RemovalList;
  /** Of the view that is shown. */
  version(kind: Kind): number;
  refresh(kind: Kind): void;
  /** Names damage that the work meets in what it reads. */
  reading<T>(kind: Kind, work: () => Promise<T>): Promise<T>;
}

/** For the holder of the writer's lock. */
export class BatchIndexer {
  readonly #parts: BatchIndexerParts;

  constructor(parts: BatchIndexerParts) {
    this.#parts = parts;
  }

  /** null: what the batch was prepared with has come to life again, or a record of it was removed: once more. */
  async tryToIndex(
    kind: Kind,
    batch: RecordBatch,
    checkpoint: Checkpoint | null,
  ): Promise<IndexReport | null> {
    const writer = this.#parts.threads.writer();
    // The version first: who hides puts the removal on the list before, and raises the version after.
    this.#parts.refresh(kind);
    let version = this.#parts.version(kind);
    let listed = this.#parts.removals.version();
    const kept = this.#withoutRemoved(kind, batch);
    this.#parts.stores[kind].manifest.make();
    const parts = await this.#parts.reading(kind, () => this.#prepare(kind, kept));
    for (;;) {
      if (this.#parts.removals.version() !== listed) {
        listed = this.#parts.removals.version();
        if (this.#withoutRemoved(kind, kept) !== kept) {
          await writer.call('discardBatch', kind, parts);
          return null;
        }
      }
      const counts = await writer.call('commitBatch', kind, parts, checkpoint, version);
      if (counts === 'stale') return null;
      if (counts !== 'conflict') return { ...counts, removed: batch.count - kept.count };
      this.#parts.refresh(kind);
      version = this.#parts.version(kind);
    }
  }

  /** Returns `batch` itself where nothing of it is removed. */
  #withoutRemoved(kind: Kind, batch: RecordBatch): RecordBatch {
    // The records need not be read while there is no removal.
    if (this.#parts.removals.version() === 0) return batch;
    const records = unpackRecords(kind, batch);
    const refused = this.#parts.removals.refused(records);
    return refused.includes(true) ? packRecords(records.filter((_, i) => !refused[i])) : batch;
  }

  /** Large batches in two parts, side by side: a lane each. */
  async #prepare(kind: Kind, batch: RecordBatch): Promise<readonly PreparedBatch[]> {
    const writer = this.#parts.threads.writer();
    const helper = batch.count < MIN_SPLIT ? null : this.#parts.threads.helper();
    const lanes =
      helper === null
        ? [writer.call('prepareBatch', kind, batch.parts, ONLY_LANE)]
        : [
            helper.call('prepareBatch', kind, batch.parts, HELPERS_LANE),
            writer.call('prepareBatch', kind, batch.parts, WRITERS_LANE),
          ];
    const parts: PreparedBatch[] = [];
    const errors: unknown[] = [];
    for (const result of await Promise.allSettled(lanes)) {
      if (result.status === 'fulfilled') parts.push(result.value);
      else errors.push(result.reason);
    }
    const found = parts.reduce((sum, { records }) => sum + records, 0);
    if (errors.length === 0 && found !== batch.count) {
      errors.push(new Error(`expected ${batch.count} packed records, found ${found}`));
    }
    if (errors.length === 0) return parts;
    await writer.call('discardBatch', kind, parts);
    throw errors[0];
  }
}
