// The far side: an engine that others ask by messages. It knows no list of removals; it remembers what it did
// under each call, so that a call that comes again is not done again, and it keeps views for scans until they
// are lost.

import { MoveCount } from '../../src/model/day-table.ts';
import type { Checkpoint, IndexReport, PurgeReport, SearchEngine } from '../../src/model/engine.ts';
import type { ExportBlock, ExportHead, ExportRequest, ExportRun } from '../../src/model/export.ts';
import type { Order } from '../../src/model/pages.ts';
import type { Query } from '../../src/model/query.ts';
import type { Kind, RecordBatch, StoredRecord } from '../../src/model/record.ts';
import type { Hidden, MovedRecords } from '../../src/model/removals.ts';
import type { ArrivalTime } from '../../src/model/time.ts';
import { packRecords, recordsOf } from '../../src/packing/packed-records.ts';
import { ConnectionLost, type Faults } from './faults.ts';
import { readRequest, refusalOf, replyOf } from './messages.ts';

/** A list was looked at before something was hidden: it must be looked at again. */
export const STALE = 'stale';

/** The view is not there: ask for one again. */
export const LOST = 'lost';

/** Of a view: what a scan is told when it is pinned. */
export interface Pinned {
  readonly view: number;
  /** Goes up with every change of the index: two views of one version are the same. */
  readonly version: number;
}

/** Of an export: its number, and what is known before its first block. */
export interface Exported {
  readonly run: number;
  readonly head: ExportHead;
}

/** Records of a view that one answer gives. */
const BATCH = 7;

/** Calls whose outcome is remembered. */
const MAX_REMEMBERED = 1_000;

/** How far a call is. */
interface Progress<T> {
  /** Parts of the work that are done. */
  done: number;
  readonly outcomes: T[];
  /** While it is worked on, and when it is through. */
  outcome: Promise<unknown> | null;
}

interface ExportUnderWay {
  readonly opened: ExportRun;
  readonly blocks: AsyncIterator<ExportBlock>;
  /** Of the last block. */
  number: number;
  last: Promise<IteratorResult<ExportBlock>> | null;
}

interface View {
  readonly version: number;
  readonly records: readonly StoredRecord[];
}

export class RemoteService implements AsyncDisposable {
  readonly #engine: SearchEngine;
  readonly #faults: Faults;
  /** Goes up with what is hidden: a batch that was held against a list before is stale. */
  #hidings = 0;
  #version = 0;
  /** Copies whose bytes are still to be erased. */
  readonly #scheduled: Record<Kind, number> = { post: 0, comment: 0 };
  #isStopped = false;
  #views = new Map<number, View>();
  readonly #exports = new Map<number, ExportUnderWay>();
  #pinned = 0;
  readonly #calls = new Map<string, Progress<unknown>>();
  /** Changes, and views that are pinned, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(engine: SearchEngine, faults: Faults) {
    this.#engine = engine;
    this.#faults = faults;
  }

  /** Answers a request. Rejects with a ConnectionLost where it breaks off. */
  async handle(bytes: Uint8Array): Promise<Uint8Array> {
    if (this.#isStopped) throw new ConnectionLost('request lost');
    const { call, method, args } = readRequest(bytes);
    try {
      return replyOf(await this.#do(call, method, args));
    } catch (error) {
      if (error instanceof ConnectionLost) throw error;
      return refusalOf(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#turn;
    await this.#engine[Symbol.asyncDispose]();
  }

  /** From the wire, so nothing is known of the arguments but what the client promises. */
  async #do(call: string, method: string, args: readonly unknown[]): Promise<unknown> {
    switch (method) {
      case 'index':
        return this.#once(call, (progress) =>
          this.#index(
            progress,
            ...(args as [Kind, RecordBatch, readonly ArrivalTime[] | null, Checkpoint | null, number]),
          ),
        );
      case 'hide':
        return this.#once(call, (progress) => this.#hide(progress, ...(args as [number, Kind, Hidden])));
      case 'restore':
        return this.#once(call, () =>
          this.#changed(() => this.#engine.restore(...(args as [number, Kind[]]))),
        );
      case 'purge':
        return this.#once(call, () => this.#changed(() => this.#purge(...(args as [Kind[]]))));
      case 'hiddenCount':
        return this.#hiddenCount(...(args as [Kind[]]));
      case 'maintain':
        return this.#once(call, () => this.#changed(() => this.#engine.maintain()));
      case 'hidings':
        return this.#hidings;
      case 'scan':
        return this.#pin(() => this.#engine.scan(...(args as [Kind, Query, Order])));
      case 'buried':
        return this.#pin(() => this.#engine.buried(...(args as [Kind])));
      case 'export':
        return this.#once(call, () => this.#export(...(args as [ExportRequest])));
      case 'exportNext':
        return this.#exportNext(...(args as [number, number]));
      case 'exportFingerprints':
        return this.#exports.get(...(args as [number]))?.opened.fingerprints() ?? LOST;
      case 'exportEnd':
        return this.#exportEnd(...(args as [number]));
      case 'next':
        return this.#next(...(args as [number, number]));
      case 'unpin':
        return this.#views.delete(...(args as [number]));
      default: {
        const reading = this.#engine[method as 'ask'] as (...given: unknown[]) => Promise<unknown>;
        return reading.apply(this.#engine, [...args]);
      }
    }
  }

  /** A call that comes again gets the same outcome; one that broke off goes on where it was. */
  #once(call: string, work: (progress: Progress<never>) => Promise<unknown>): Promise<unknown> {
    const progress = this.#calls.get(call) ?? { done: 0, outcomes: [], outcome: null };
    this.#calls.set(call, progress);
    for (const old of this.#calls.keys()) {
      if (this.#calls.size <= MAX_REMEMBERED) break;
      this.#calls.delete(old);
    }
    progress.outcome ??= this.#inTurn(() => work(progress as Progress<never>)).then(
      (value) => {
        if (value === STALE) progress.outcome = null;
        return value;
      },
      (error: unknown) => {
        progress.outcome = null;
        throw error;
      },
    );
    return progress.outcome;
  }

  /** In two halves, each with every copy of its ids; the checkpoint comes with the second. */
  async #index(
    progress: Progress<IndexReport>,
    kind: Kind,
    batch: RecordBatch,
    arrived: readonly ArrivalTime[] | null,
    checkpoint: Checkpoint | null,
    hidings: number,
  ): Promise<IndexReport | typeof STALE> {
    if (hidings !== this.#hidings) return STALE;
    const records = recordsOf(kind, batch);
    const isOfHalf = (half: number) => (_: unknown, i: number) =>
      records[i]!.id.charCodeAt(records[i]!.id.length - 1) % 2 === half;
    const halves = [0, 1].map((half) => ({
      batch: packRecords(records.filter(isOfHalf(half))),
      arrived: arrived?.filter(isOfHalf(half)),
    }));
    await this.#inParts(progress, halves, (half, isLast) => {
      const ending = isLast ? (checkpoint ?? undefined) : undefined;
      return this.#changed(() => this.#engine.index(kind, half.batch, ending, half.arrived));
    });
    const sum = (count: (report: IndexReport) => number) =>
      progress.outcomes.reduce((total, report) => total + count(report), 0);
    return {
      added: sum(({ added }) => added),
      replaced: sum(({ replaced }) => replaced),
      unchanged: sum(({ unchanged }) => unchanged),
      removed: 0,
    };
  }

  async #hide(
    progress: Progress<MovedRecords>,
    removal: number,
    kind: Kind,
    what: Hidden,
  ): Promise<MovedRecords> {
    await this.#inParts(progress, halvesOf(what), (part) => {
      this.#hidings++;
      return this.#changed(() => this.#engine.hide(removal, kind, part));
    });
    const moved = new MoveCount();
    for (const part of progress.outcomes) moved.addAll(part);
    return moved.value();
  }

  /** What is hidden is gone for good at once; its bytes go a while later, when nobody waits. */
  async #purge(kinds: readonly Kind[]): Promise<PurgeReport> {
    const counts = await Promise.all(kinds.map((kind) => this.#engine.hiddenCount([kind]).catch(() => 0)));
    await this.#engine.purge(kinds);
    for (const [i, kind] of kinds.entries()) this.#scheduled[kind] += counts[i]!;
    void this.#faults.delay().then(() => {
      for (const kind of kinds) this.#scheduled[kind] = 0;
    });
    return { erased: 'scheduled' };
  }

  async #hiddenCount(kinds: readonly Kind[]): Promise<number> {
    const scheduled = kinds.reduce((sum, kind) => sum + this.#scheduled[kind], 0);
    return scheduled + (await this.#engine.hiddenCount(kinds));
  }

  /** Breaks off between two of them as the faults want it; those that are done are not done again. */
  async #inParts<Part, T>(
    progress: Progress<T>,
    parts: readonly Part[],
    work: (part: Part, isLast: boolean) => Promise<T>,
  ): Promise<void> {
    for (const [i, part] of parts.entries()) {
      if (i < progress.done) continue;
      if (i > 0 && this.#faults.befalls('half done')) throw new ConnectionLost('half done');
      progress.outcomes.push(await work(part, i === parts.length - 1));
      progress.done++;
    }
  }

  async #changed<T>(change: () => Promise<T>): Promise<T> {
    this.#version++;
    return await change();
  }

  /** In turn: while something changes, nobody can say which version a view is of. */
  #pin(scan: () => AsyncIterable<readonly StoredRecord[]>): Promise<Pinned> {
    return this.#inTurn(async () => {
      const version = this.#version;
      const records: StoredRecord[] = [];
      for await (const batch of scan()) records.push(...batch);
      const view = ++this.#pinned;
      this.#views.set(view, { version, records });
      return { view, version };
    });
  }

  /**
   * From the record at this place on; none behind the last one. A view is lost by chance only while it can be
   * had again.
   */
  #next(number: number, from: number): readonly StoredRecord[] | typeof LOST {
    const view = this.#views.get(number);
    if (view?.version === this.#version && this.#faults.befalls('view lost')) this.#views.delete(number);
    return this.#views.get(number)?.records.slice(from, from + BATCH) ?? LOST;
  }

  async #export(request: ExportRequest): Promise<Exported> {
    const opened = await this.#engine.export(request);
    const run = ++this.#pinned;
    this.#exports.set(run, { opened, blocks: opened.blocks[Symbol.asyncIterator](), number: 0, last: null });
    return { run, head: opened.head };
  }

  /** The block with this number, from 1: the last one, which may be asked for again, or the next. */
  async #exportNext(run: number, number: number): Promise<ExportBlock | typeof LOST> {
    const known = this.#exports.get(run);
    if (known === undefined) return LOST;
    if (number === known.number + 1) {
      known.number = number;
      known.last = known.blocks.next();
    }
    if (number !== known.number || known.last === null) return LOST;
    const { value } = await known.last;
    return value as ExportBlock;
  }

  async #exportEnd(run: number): Promise<void> {
    const known = this.#exports.get(run);
    this.#exports.delete(run);
    await known?.opened[Symbol.asyncDispose]();
  }

  /** As when the service is started anew. */
  loseViews(): void {
    this.#views.clear();
    this.#exports.clear();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function halvesOf(what: Hidden): readonly Hidden[] {
  const halves = (names: readonly string[]) => {
    const middle = names.length >> 1;
    return [names.slice(0, middle), names.slice(middle)];
  };
  if ('ids' in what) return halves([...new Set(what.ids)]).map((ids) => ({ ids }));
  if ('threads' in what) return halves([...new Set(what.threads)]).map((threads) => ({ threads }));
  return [what];
}
