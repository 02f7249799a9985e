// A batch on its way into the index: prepared by the threads that write, and committed unless what it was prepared
// with has changed meanwhile.

import { availableParallelism } from 'node:os';
import type { Checkpoint, IndexReport } from '../../model/engine.ts';
import type { Kind, RecordBatch } from '../../model/record.ts';
import type { RemovalList } from '../../model/removals.ts';
import type { ArrivalTime } from '../../model/time.ts';
import { packRecords, recordsOf as unpackRecords } from '../../packing/packed-records.ts';
import { givenArrivals, type Lane, ONLY_LANE } from './building/batch-records.ts';
import type { ThreadPool } from './threads/thread-pool.ts';
import type { KeptKind } from './upkeep.ts';
import type { PreparedBatch } from './writing/writer.ts';

/** Batches from this many records on are prepared by two threads, a lane each, where there are so many builders. */
const MIN_SPLIT = 8_192;
/**
 * Two builders cost a sixth more processor time than one. On two processors, the maker of the next batch has the other
 * one.
 */
const BUILDERS = availableParallelism() > 2 ? 2 : 1;
const HELPERS_LANE: Lane = { which: 0, of: 2 };
const WRITERS_LANE: Lane = { which: 1, of: 2 };

interface Batch {
  readonly records: RecordBatch;
  /** When each of them came in; null: with this batch. */
  readonly arrived: readonly ArrivalTime[] | null;
}

/** For the holder of the writer's lock. */
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

  /** null: what the batch was prepared with has come to life again, or a record of it was removed: once more. */
  async tryToIndex(
    index: KeptKind,
    batch: RecordBatch,
    checkpoint: Checkpoint | null,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport | null> {
    const { kind } = index;
    const writer = this.#threads.writer();
    // The version first: who hides puts the removal on the list before, and raises the version after.
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

  /** Returns `batch` itself where nothing of it is removed. */
  #withoutRemoved(kind: Kind, batch: Batch): Batch {
    // The records need not be read while there is no removal.
    if (this.#removals.version() === 0) return batch;
    const records = unpackRecords(kind, batch.records);
    const refused = this.#removals.refused(records);
    if (!refused.includes(true)) return batch;
    return {
      records: packRecords(records.filter((_, i) => !refused[i])),
      arrived: batch.arrived?.filter((_, i) => !refused[i]) ?? null,
    };
  }

  /** By two builders, large batches in two parts, side by side: a lane each. */
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
