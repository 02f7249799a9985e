// The engine whose index is in an OpenSearch cluster: what each call of SearchEngine leads to.

import type { ArrivalTime } from '../../model/arrival-time.ts';
import type { IndexDamage } from '../../model/damage.ts';
import type {
  Answer,
  Checkpoint,
  IndexReport,
  KindStats,
  PurgeReport,
  Question,
  SearchEngine,
} from '../../model/engine.ts';
import type { EngineOptions } from '../../model/engine-module.ts';
import type { ExportRequest, ExportRun } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/index-fingerprint.ts';
import type { Order } from '../../model/order.ts';
import type { Query } from '../../model/query.ts';
import type { Kind, StoredRecord } from '../../model/record.ts';
import type { RecordBatch } from '../../model/record-batch.ts';
import type { Hidden } from '../../model/removals.ts';
import type { OpenSearchSettings } from './settings.ts';
import { type Store, storeOf } from './store.ts';
import { indexBatch } from './writer.ts';

/** Makes nothing in the cluster before the first record. */
export async function openOpenSearchEngine(
  settings: OpenSearchSettings,
  options: EngineOptions,
): Promise<SearchEngine> {
  return new OpenSearchEngine(storeOf(settings, options));
}

class OpenSearchEngine implements SearchEngine {
  readonly #store: Store;
  /** What changes the index, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  index(
    kind: Kind,
    batch: RecordBatch,
    checkpoint?: Checkpoint,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport> {
    return this.#inTurn(() => indexBatch(this.#store, kind, { records: batch, arrived }, checkpoint));
  }

  hide(_removal: number, _kind: Kind, _what: Hidden): Promise<number> {
    return missing('hide');
  }

  restore(_removal: number, _kinds?: readonly Kind[]): Promise<number> {
    return missing('restore');
  }

  buried(_kind: Kind): AsyncIterable<readonly StoredRecord[]> {
    throw new Error('buried: is to come');
  }

  present(_kind: Kind, _ids: readonly string[]): Promise<number> {
    return missing('present');
  }

  hiddenCount(_kinds?: readonly Kind[]): Promise<number> {
    return missing('hiddenCount');
  }

  purge(_kinds?: readonly Kind[]): Promise<PurgeReport> {
    return missing('purge');
  }

  maintain(): Promise<void> {
    return missing('maintain');
  }

  refresh(): Promise<void> {
    return missing('refresh');
  }

  ask(_question: Question, _signal?: AbortSignal): Promise<Answer> {
    return missing('ask');
  }

  scan(
    _kind: Kind,
    _query: Query,
    _order: Order,
    _signal?: AbortSignal,
  ): AsyncIterable<readonly StoredRecord[]> {
    throw new Error('scan: is to come');
  }

  export(_request: ExportRequest, _signal?: AbortSignal): Promise<ExportRun> {
    return missing('export');
  }

  async checkpoint(kind: Kind, source: string): Promise<string | null> {
    return (await this.checkpoints(kind)).get(source) ?? null;
  }

  isEmpty(): Promise<boolean> {
    return missing('isEmpty');
  }

  async checkpoints(kind: Kind): Promise<ReadonlyMap<string, string>> {
    const { checkpoints } = await this.#store.manifests[kind].read();
    return new Map(Object.entries(checkpoints));
  }

  stats(): Promise<Record<Kind, KindStats | IndexDamage>> {
    return missing('stats');
  }

  fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>> {
    return missing('fingerprints');
  }

  /** A part of the cluster that cannot be read is no damage of a kind: the engine is out of reach then. */
  async damages(): Promise<Record<Kind, null>> {
    return { post: null, comment: null };
  }

  warm(): Promise<void> {
    return missing('warm');
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#inTurn(() => this.#store.client[Symbol.asyncDispose]());
    return this.#closed;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

/** Of the branch alone, until the part that does it has come. */
async function missing(what: string): Promise<never> {
  throw new Error(`${what}: is to come`);
}
