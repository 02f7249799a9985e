// An engine that is far away, as its client sees it: every call is a message that may be lost, answered late
// or answered never. It tries again as often as helps, and says EngineUnavailable where it does not.

import { setImmediate as macrotask } from 'node:timers/promises';
import type { Coverage, CoverageRequest } from '../../src/model/coverage.ts';
import type {
  Answer,
  Answers,
  AskOptions,
  Checkpoint,
  IndexReport,
  KindStats,
  LastArrival,
  OneOfMany,
  PurgeReport,
  Question,
  SearchEngine,
} from '../../src/model/engine.ts';
import { EngineUnavailable, type IndexDamage } from '../../src/model/engine-errors.ts';
import type { ExportBlock, ExportRequest, ExportRun } from '../../src/model/export.ts';
import type { IndexFingerprint } from '../../src/model/hash.ts';
import { type Order, pageRequest } from '../../src/model/pages.ts';
import type { Query } from '../../src/model/query.ts';
import { KINDS, type Kind, type RecordBatch, type StoredRecord } from '../../src/model/record.ts';
import type { NamedRecords, NamedRequest } from '../../src/model/record-link.ts';
import { type Hidden, type MovedRecords, NO_REMOVALS, type RemovalList } from '../../src/model/removals.ts';
import type { ArrivalTime } from '../../src/model/time.ts';
import { packRecords, recordsOf } from '../../src/packing/packed-records.ts';
import { ConnectionLost } from './faults.ts';
import { bytesOf, readReply } from './messages.ts';
import { type Exported, LOST, type Pinned, STALE } from './service.ts';

/** How often a call is sent before the client gives up. */
const MAX_TRIES = 12;

/** Brings the bytes of a request there and those of the reply back. Rejects with a ConnectionLost. */
export type Send = (request: Uint8Array) => Promise<Uint8Array>;

/** What of a batch is sent, and when it came in. */
interface Kept {
  readonly batch: RecordBatch;
  readonly arrived: readonly ArrivalTime[] | null;
}

export class RemoteEngine implements SearchEngine {
  readonly #send: Send;
  /** Tells its calls from those of other clients. */
  readonly #name: string;
  readonly #removals: RemovalList;
  readonly #close: () => Promise<void>;
  #calls = 0;
  /** Views that are asked for and not pinned yet: a change of ours waits for them. */
  readonly #pinning = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(send: Send, name: string, close: () => Promise<void>, removals: RemovalList = NO_REMOVALS) {
    this.#send = send;
    this.#name = name;
    this.#close = close;
    this.#removals = removals;
  }

  /** The list is held against the batch here, and again where something was hidden before the batch was in. */
  async index(
    kind: Kind,
    batch: RecordBatch,
    checkpoint?: Checkpoint,
    arrived?: readonly ArrivalTime[],
  ): Promise<IndexReport> {
    await this.#pinned();
    const call = this.#newCall();
    for (;;) {
      const hidings = await this.#ask<number>('hidings');
      const kept = this.#withoutRemoved(kind, batch, arrived ?? null);
      const report = await this.#try<IndexReport | typeof STALE>(call, 'index', [
        ...[kind, kept.batch, kept.arrived, checkpoint ?? null, hidings],
      ]);
      if (report === STALE) continue;
      const { added, replaced, unchanged } = report;
      return { ...report, removed: batch.count - added - replaced - unchanged };
    }
  }

  async hide(removal: number, kind: Kind, what: Hidden): Promise<MovedRecords> {
    await this.#pinned();
    return await this.#ask<MovedRecords>('hide', removal, kind, what);
  }

  async restore(removal: number, kinds: readonly Kind[] = KINDS): Promise<MovedRecords> {
    await this.#pinned();
    return await this.#ask<MovedRecords>('restore', removal, kinds);
  }

  present(kind: Kind, ids: readonly string[]): Promise<number> {
    return this.#ask('present', kind, ids);
  }

  hiddenCount(kinds: readonly Kind[] = KINDS): Promise<number> {
    return this.#ask('hiddenCount', kinds);
  }

  async purge(kinds: readonly Kind[] = KINDS): Promise<PurgeReport> {
    await this.#pinned();
    return await this.#ask<PurgeReport>('purge', kinds);
  }

  async maintain(): Promise<void> {
    await this.#pinned();
    return await this.#ask('maintain');
  }

  refresh(): Promise<void> {
    return this.#ask('refresh');
  }

  ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    return this.#try(this.#newCall(), 'ask', [question], signal);
  }

  records(request: NamedRequest, signal?: AbortSignal): Promise<NamedRecords> {
    return this.#try(this.#newCall(), 'records', [request], signal);
  }

  askAll(questions: readonly OneOfMany[], options: AskOptions = {}, signal?: AbortSignal): Promise<Answers> {
    return this.#try(this.#newCall(), 'askAll', [questions, options], signal);
  }

  scan(kind: Kind, query: Query, order: Order, signal?: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    return this.#recordsOf('scan', [kind, query, order], signal);
  }

  /** In the process of the far engine: the bytes come over the wire. What is lost there cannot go on. */
  async export(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    pageRequest(request.order, request.after, { limit: 1 });
    const { run, head } = await this.#try<Exported>(this.#newCall(), 'export', [request], signal);
    const next = async (number: number) => {
      if (this.#closed !== undefined) throw unavailable('the index was closed');
      return await this.#try<ExportBlock | typeof LOST>(this.#newCall(), 'exportNext', [run, number], signal);
    };
    let isOver = false;
    const end = async () => {
      if (!isOver) await this.#ask('exportEnd', run);
      isOver = true;
    };
    const blocks = async function* (): AsyncGenerator<ExportBlock> {
      try {
        for (let number = 1; ; number++) {
          const block = await next(number);
          if (block === LOST) throw unavailable('the view of an export was lost');
          yield block;
          if (block.report !== undefined) return;
        }
      } finally {
        await end();
      }
    };
    const fingerprints = async () => {
      const prints = await this.#ask<ReturnType<SearchEngine['fingerprints']> | typeof LOST>(
        'exportFingerprints',
        run,
      );
      if (prints === LOST) throw unavailable('the view of an export was lost');
      return prints;
    };
    return { head, fingerprints, blocks: blocks(), [Symbol.asyncDispose]: end };
  }

  buried(kind: Kind): AsyncIterable<readonly StoredRecord[]> {
    return this.#recordsOf('buried', [kind]);
  }

  isEmpty(): Promise<boolean> {
    return this.#ask('isEmpty');
  }

  checkpoint(kind: Kind, source: string): Promise<string | null> {
    return this.#ask('checkpoint', kind, source);
  }

  checkpoints(kind: Kind): Promise<ReadonlyMap<string, string>> {
    return this.#ask('checkpoints', kind);
  }

  stats(): Promise<Record<Kind, KindStats | IndexDamage>> {
    return this.#ask('stats');
  }

  fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>> {
    return this.#ask('fingerprints');
  }

  lastArrivals(): Promise<Record<Kind, LastArrival | IndexDamage>> {
    return this.#ask('lastArrivals');
  }

  coverage(request: CoverageRequest): Promise<Coverage> {
    return this.#ask('coverage', request);
  }

  damages(): Promise<Record<Kind, IndexDamage | null>> {
    return this.#ask('damages');
  }

  warm(): Promise<void> {
    return this.#ask('warm');
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#pinned().then(() => this.#close());
    return this.#closed;
  }

  /**
   * The view is asked for at the call. One that is lost is pinned again: while the index has not changed it
   * is the same, and the scan goes on at the next record; else nobody has the view at the call any more.
   */
  #recordsOf(
    method: 'scan' | 'buried',
    args: readonly unknown[],
    signal?: AbortSignal,
  ): AsyncIterable<readonly StoredRecord[]> {
    const pin = () => this.#try<Pinned>(this.#newCall(), method, args, signal);
    const first = pin();
    const pinning = first.catch(() => undefined).finally(() => this.#pinning.delete(pinning));
    this.#pinning.add(pinning);
    const next = (view: number, from: number) =>
      this.#try<readonly StoredRecord[] | typeof LOST>(this.#newCall(), 'next', [view, from], signal);
    const unpin = (view: number) => this.#ask('unpin', view);
    return (async function* () {
      let { view, version } = await first;
      let given = 0;
      try {
        for (;;) {
          const batch = await next(view, given);
          if (batch === LOST) {
            ({ view, version } = sameView(version, await pin()));
            continue;
          }
          if (batch.length === 0) return;
          given += batch.length;
          yield batch;
        }
      } finally {
        await unpin(view);
      }
    })();
  }

  async #pinned(): Promise<void> {
    await Promise.all(this.#pinning);
  }

  #withoutRemoved(kind: Kind, batch: RecordBatch, arrived: readonly ArrivalTime[] | null): Kept {
    if (this.#removals.version() === 0) return { batch, arrived };
    const records = recordsOf(kind, batch);
    const refused = this.#removals.refused(records);
    return {
      batch: packRecords(records.filter((_, i) => !refused[i])),
      arrived: arrived?.filter((_, i) => !refused[i]) ?? null,
    };
  }

  #newCall(): string {
    return `${this.#name}:${this.#calls++}`;
  }

  #ask<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    return this.#try<T>(this.#newCall(), method, args);
  }

  /** What the service throws is thrown; where it cannot be reached, an EngineUnavailable. A signal stays here. */
  async #try<T>(call: string, method: string, args: readonly unknown[], signal?: AbortSignal): Promise<T> {
    const request = bytesOf({ call, method, args });
    for (let tries = 1; ; tries++) {
      try {
        return readReply(await unlessAborted(() => this.#send(request), signal)) as T;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        if (tries < MAX_TRIES) await macrotask();
        else throw unavailable(error);
      }
    }
  }
}

/** Rejects with the reason of the signal as soon as it is aborted, whatever becomes of the work. */
async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work();
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function sameView(version: number, again: Pinned): Pinned {
  if (again.version === version) return again;
  throw unavailable('the view of a scan was lost, and the index has changed since');
}

function unavailable(cause: unknown): EngineUnavailable {
  return new EngineUnavailable('expected the search engine to answer, found it out of reach', { cause });
}
