// An export under way: it has its thread and its views, and looks for removals before each block. Its thread is a
// worker, or that of the caller.

import type { IndexDamage } from '../../model/engine-errors.ts';
import type { ExportBlock, ExportHead, ExportRequest } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import { type Kind, otherKind } from '../../model/record.ts';
import { type ExportSteps, ExportWorker, ExportWorkers, type WorkOfExport } from '../shared/exports.ts';
import { Turns } from '../shared/question-queue.ts';
import type { Pin, ViewData } from './index/view.ts';
import type { KindIndex } from './kind-index.ts';
import { AbortFlag } from './matching/deadline.ts';
import type { ExportStart, LaterView } from './threads/export-work.ts';
import { unpackError } from './threads/thread.ts';
import type { ThreadPool } from './threads/thread-pool.ts';

/** What the exports of an index have in common. */
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
  /** What was told of the manifest last: its version, and how many purges it had done. */
  #version: number;
  readonly #purgesDone: number;
  /** Latched: a removal since the view was taken may have left no trace but what is lacking. */
  #mayLack: boolean;
  /** The later view that the thread looks for removals in. */
  #later: Pin | null = null;
  /** The one before it, until the thread has taken the later one. */
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

  /** Removals are looked for before each batch, when the block before it was taken. */
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

  /** null: it is the last one, or still the first. */
  #laterView(): LaterView | null {
    this.#index.refresh();
    const { store } = this.#index;
    if (store.current.version === this.#version) return null;
    // A removal says until its text is erased that this is due.
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

/** One call at a time; `open` is the first. */
interface ExportThread extends AsyncDisposable {
  open(): Promise<ExportHead>;
  /** See openExport. */
  next(later: LaterView | null): Promise<ExportBlock>;
}

class LocalExport implements ExportThread {
  readonly #start: ExportStart;
  #work: WorkOfExport<[later: LaterView | null]> | null = null;
  /** The call under way. */
  readonly #turns = new Turns();

  constructor(start: ExportStart) {
    this.#start = start;
  }

  open(): Promise<ExportHead> {
    return this.#turns.take(async () => {
      const { openExport } = await import('./threads/export-work.ts');
      this.#work = await openExport(this.#start);
      return this.#work.head;
    });
  }

  next(later: LaterView | null): Promise<ExportBlock> {
    return this.#turns.take(() => this.#work!.next(later));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.take(async () => this.#work?.close());
  }
}

/** One that a worker makes, which has no other meanwhile. */
class WorkerExport implements ExportThread {
  readonly #start: ExportStart;
  readonly #workers: Workers;
  readonly #worker: ReturnType<Workers['take']>;
  /** Whether its work was opened, and nothing has gone wrong since. */
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

  /** The next export finds a worker ready when this one has given its first block. */
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
/** Workers without an export that are kept: as many as most servers use at once. Each takes some 15 MB. */
const MAX_RESTING = 2;

/** They are kept once the engine is warm. */
export function exportWorkers(): Workers {
  return new ExportWorkers(() => new ExportWorker(ENTRY, unpackError), MAX_RESTING, false);
}
