// A batch on its way into the index: prepared by the threads that write, and committed unless what it was prepared
// with has changed meanwhile.

import { availableParallelism } from 'node:os';
import type { Checkpoint, IndexReport } from '../../model/engine.ts';
import type { Kind, RecordBatch } from '../../model/record.ts';
import type { RemovalList } from '../../model/removals.ts';
import type { ArrivalTime } from '../../model/time.ts';
import { packRecords, recordsOf as unpackRecords } from '../packing/packed-records.ts';
import { givenArrivals, type Lane, ONLY_LANE } from './building/batch-records.ts';
import type { ThreadPool } from './threads/thread-pool.ts';
import type { KeptKind } from './upkeep.ts';
import type { PreparedBatch } from './writing/writer.ts';

/** Larger batches are prepared by two threads, each with one lane, if there are two builders. */
const MIN_SPLIT = 8_192;
/** Two builders cost a sixth more processor time than one. With two processors, the other one makes the next batch. */
const BUILDERS = availableParallelism() > 2 ? 2 : 1;
const HELPERS_LANE: Lane = { which: 0, of: 2 };
const WRITERS_LANE: Lane = { which: 1, of: 2 };

interface Batch {
  readonly records: RecordBatch;
  /** The arrival of each record; null: now. */
  readonly arrived: readonly ArrivalTime[] | null;
}

/** Only the holder of the writer's lock may use it. */
export class BatchIndexer {
  readonly #threads: ThreadPool;
  readonly #removals: RemovalList;
  readonly #builders: 1 | 2;

  /** `builders`: how many threads prepare a large batch. */
  constructor(threads: ThreadPool, removals: RemovalList, builders: 1 | 2 = BUILDERS) {
    this.#threads = threads;
    this.#removals = removals;
    this.#builders = builders;
  }

  /** null: the batch must be prepared again, because records came back or were removed meanwhile. */
  async tryToIndex(
    index: KeptKind,
    batch: RecordBatch,
    checkpoint: Checkpoint | null,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport | null> {
    const { kind } = index;
    const writer = this.#threads.writer();
    // The version is read first: a removal is listed before it raises the version.
    index.refresh();
    let { version } = index.view;
    let listed = this.#removals.version();
    const whole: Batch = { records: batch, arrived: arrived ?? null };
    const kept = this.#withoutRemoved(kind, whole);
    const given = kept.arrived && givenArrivals(kept.arrived, index.view.arrivals);
    index.store.manifest.make();
    const parts = await index.reading(() => this.#prepare(kind, kept.records, given?.numbers ?? null));
    for (;;) {
      if (this.#removals.version() !== listed) {
        listed = this.#removals.version();
        if (this.#withoutRemoved(kind, kept) !== kept) {
          await writer.discardBatch(kind, parts);
          return null;
        }
      }
      const arrivals = given && { times: given.times, behind: given.behind };
      const counts = await writer.commitBatch(kind, parts, checkpoint, version, arrivals);
      if (counts === 'stale') return null;
      if (counts !== 'conflict') return { ...counts, removed: batch.count - kept.records.count };
      index.refresh();
      version = index.view.version;
    }
  }

  /** Returns `batch` itself if no record of it is removed. */
  #withoutRemoved(kind: Kind, batch: Batch): Batch {
    // Without removals, the records need not be read.
    if (this.#removals.version() === 0) return batch;
    const records = unpackRecords(kind, batch.records);
    const refused = this.#removals.refused(records);
    if (!refused.includes(true)) return batch;
    return {
      records: packRecords(records.filter((_, i) => !refused[i])),
      arrived: batch.arrived?.filter((_, i) => !refused[i]) ?? null,
    };
  }

  /** Large batches are prepared as two lanes, side by side, by two builders. */
  async #prepare(
    kind: Kind,
    batch: RecordBatch,
    arrivals: Uint32Array | null,
  ): Promise<readonly PreparedBatch[]> {
    const writer = this.#threads.writer();
    const helper = this.#builders === 1 || batch.count < MIN_SPLIT ? null : this.#threads.helper();
    const lanes =
      helper === null
        ? [writer.prepareBatch(kind, batch.parts, ONLY_LANE, arrivals)]
        : [
            helper.prepareBatch(kind, batch.parts, HELPERS_LANE, arrivals),
            writer.prepareBatch(kind, batch.parts, WRITERS_LANE, arrivals),
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
    await writer.discardBatch(kind, parts);
    throw errors[0];
  }
}
