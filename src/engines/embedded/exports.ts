// An open export. It has a thread (a worker, or the caller's) and its views, and looks for removals before each block.

import type { IndexDamage } from '../../model/engine-errors.ts';
import type { ExportBlock, ExportHead, ExportRequest } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import { type Kind, otherKind } from '../../model/record.ts';
import { Places } from '../../model/waiting.ts';
import { ExportWorker, ExportWorkers, type WorkOfExport } from '../shared/export-worker.ts';
import type { ExportSteps } from '../shared/exports.ts';
import type { Pin, ViewData } from './index/view.ts';
import type { KindIndex } from './kind-index.ts';
import { AbortFlag } from './matching/deadline.ts';
import type { ExportStart, LaterView } from './threads/export-work.ts';
import { unpackError } from './threads/thread.ts';
import type { ThreadPool } from './threads/thread-pool.ts';

/** What all exports of an index share. */
export interface Exported {
  readonly folder: string;
  readonly isReadOnly: boolean;
  readonly kinds: Readonly<Record<Kind, KindIndex>>;
  readonly threads: ThreadPool;
  readonly workers: Workers;
}

export class ExportSession implements ExportSteps {
  readonly #index: KindIndex;
  readonly #other: KindIndex;
  readonly #thread: ExportThread;
  readonly #held: DisposableStack;
  /** The manifest's version and number of purges at the last look. */
  #version: number;
  readonly #purgesDone: number;
  /** Stays true: a removal since the view was taken may have left no trace but missing records. */
  #mayLack: boolean;
  /** The later view in which the thread looks for removals. */
  #later: Pin | null = null;
  /** The view before it, kept until the thread has the later one. */
  #earlier: Pin | null = null;
  readonly #view: ViewData;
  readonly #otherView: ViewData;

  /** Throws the IndexDamage of a kind that cannot be read. */
  constructor(
    { folder, isReadOnly, kinds, threads, workers }: Exported,
    request: ExportRequest,
    signal: AbortSignal,
  ) {
    this.#index = kinds[request.kind];
    this.#other = kinds[otherKind(request.kind)];
    this.#index.expectWhole();
    if (request.under !== undefined) this.#other.expectWhole();
    const state = this.#index.store.manifest.state();
    using held = new DisposableStack();
    const view = held.use(this.#index.pin()).data;
    const other = this.#other.damage === null ? held.use(this.#other.pin()).data : null;
    const { gone } = held.use(new AbortFlag(signal));
    this.#view = view;
    this.#otherView = other ?? this.#other.store.current;
    this.#version = view.version;
    this.#purgesDone = state.purgesDone;
    this.#mayLack = state.version !== view.version;
    const start: ExportStart = { folder, isReadOnly, request, view, other, gone: gone! };
    this.#thread = threads.isLocal ? new LocalExport(start) : new WorkerExport(workers, start);
    this.#held = held.move();
  }

  async fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>> {
    const [own, other] = await Promise.all([
      this.#index.fingerprint(this.#view),
      this.#other.fingerprint(this.#otherView),
    ]);
    return this.#index.kind === 'post' ? { post: own, comment: other } : { post: other, comment: own };
  }

  open(): Promise<ExportHead> {
    return this.#index.reading(() => this.#thread.open());
  }

  /** Looks for removals before each batch, after the block before it was taken. */
  async next(): Promise<ExportBlock> {
    const later = this.#laterView();
    const block = await this.#index.reading(() => this.#thread.next(later));
    this.#letGoOfEarlier();
    return block;
  }

  async close(): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
    this.#letGoOfEarlier();
    this.#later?.[Symbol.dispose]();
    this.#held.dispose();
  }

  /** null: no commit since the last look. */
  #laterView(): LaterView | null {
    this.#index.refresh();
    const { store } = this.#index;
    if (store.current.version === this.#version) return null;
    // A removal marks its text as due for erasing until it is erased.
    const { scrubDue, purgesDone } = store.manifest.state();
    this.#mayLack ||= scrubDue !== null || purgesDone !== this.#purgesDone;
    this.#earlier = this.#later;
    this.#later = store.pin();
    this.#version = this.#later.data.version;
    return { view: this.#later.data, mayLack: this.#mayLack };
  }

  #letGoOfEarlier(): void {
    this.#earlier?.[Symbol.dispose]();
    this.#earlier = null;
  }
}

/** Takes one call at a time; `open` comes first. */
interface ExportThread extends AsyncDisposable {
  open(): Promise<ExportHead>;
  /** See openExport. */
  next(later: LaterView | null): Promise<ExportBlock>;
}

class LocalExport implements ExportThread {
  readonly #start: ExportStart;
  #work: WorkOfExport<[later: LaterView | null]> | null = null;
  /** The call under way. */
  readonly #turns = new Places(1);

  constructor(start: ExportStart) {
    this.#start = start;
  }

  open(): Promise<ExportHead> {
    return this.#turns.run(async () => {
      const { openExport } = await import('./threads/export-work.ts');
      this.#work = await openExport(this.#start);
      return this.#work.head;
    });
  }

  next(later: LaterView | null): Promise<ExportBlock> {
    return this.#turns.run(() => this.#work!.next(later));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.run(async () => this.#work?.close());
  }
}

/** A worker thread that serves one export at a time. */
class WorkerExport implements ExportThread {
  readonly #start: ExportStart;
  readonly #workers: Workers;
  readonly #worker: ReturnType<Workers['take']>;
  /** True while its export is open and nothing has failed. */
  #isSound = false;

  constructor(workers: Workers, start: ExportStart) {
    this.#start = start;
    this.#workers = workers;
    this.#worker = workers.take();
  }

  async open(): Promise<ExportHead> {
    const head = await this.#worker.calls.open(this.#start);
    this.#isSound = true;
    return head;
  }

  /** Starts a spare worker after the first block, so that the next export finds one ready. */
  async next(later: LaterView | null): Promise<ExportBlock> {
    try {
      const block = await this.#worker.calls.next(later);
      this.#workers.makeReady();
      return block;
    } catch (error) {
      this.#isSound = false;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isSound) await this.#workers.giveBack(this.#worker);
    else await this.#worker[Symbol.asyncDispose]();
    this.#workers.makeReady();
  }
}

type Workers = ExportWorkers<ExportStart, [later: LaterView | null]>;

const ENTRY = new URL('./threads/export-worker.ts', import.meta.url);
/** Idle workers that are kept, as many as most servers use at once. Each takes some 15 MB. */
const MAX_RESTING = 2;

/** Idle workers are kept once the engine is warm. */
export function exportWorkers(): Workers {
  return new ExportWorkers(() => new ExportWorker(ENTRY, unpackError), MAX_RESTING, false);
}
