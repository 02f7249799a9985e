// An open export. It has a thread (a worker, or the caller's) and its views, and looks for removals before each block.

import type { IndexDamage } from '../../model/engine-errors.ts';
import type { ExportBlock, ExportHead, ExportRequest } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import { type Kind, otherKind } from '../../model/record.ts';
import { ExportWorker, ExportWorkers } from '../shared/export-worker.ts';
import { type ExportSteps, type ExportThread, localExport, type WorkOfExport } from '../shared/exports.ts';
import type { Pin, ViewData } from './index/view.ts';
import type { KindIndex } from './kind-index.ts';
import { AbortFlag } from './matching/deadline.ts';
import type { ExportStart, LaterView } from './threads/export-work.ts';
import { unpackError } from './threads/thread.ts';
import type { ThreadPool } from './threads/thread-pool.ts';

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
  readonly #start: ExportStart;
  /** null: the export is made in the caller's thread. */
  readonly #workers: Workers | null;
  readonly #thread: ExportThread<ExportStart, Later>;
  /** True while the export is open and nothing has failed: the worker may make another. */
  #isSound = false;
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
    this.#otherView = other ?? this.#other.store.current;
    this.#version = view.version;
    this.#purgesDone = state.purgesDone;
    this.#mayLack = state.version !== view.version;
    this.#start = { folder, isReadOnly, request, view, other, gone: gone! };
    this.#workers = threads.isLocal ? null : workers;
    this.#thread = this.#workers?.take() ?? localExport(openHere);
    this.#held = held.move();
  }

  async fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>> {
    const [own, other] = await Promise.all([
      this.#index.fingerprint(this.#start.view),
      this.#other.fingerprint(this.#otherView),
    ]);
    return this.#index.kind === 'post' ? { post: own, comment: other } : { post: other, comment: own };
  }

  async open(): Promise<ExportHead> {
    const head = await this.#index.reading(() => this.#thread.calls.open(this.#start));
    this.#isSound = true;
    return head;
  }

  /** Looks for removals before each batch, after the block before it was taken. */
  async next(): Promise<ExportBlock> {
    const later = this.#laterView();
    try {
      const block = await this.#index.reading(() => this.#thread.calls.next(later));
      this.#letGoOfEarlier();
      // After the first block, so that the next export finds a worker ready.
      this.#workers?.makeReady();
      return block;
    } catch (error) {
      this.#isSound = false;
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#workers !== null && this.#isSound) await this.#workers.giveBack(this.#thread);
    else await this.#thread[Symbol.asyncDispose]();
    this.#workers?.makeReady();
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

type Later = [later: LaterView | null];
type Workers = ExportWorkers<ExportStart, Later>;

async function openHere(start: ExportStart): Promise<WorkOfExport<Later>> {
  return await (await import('./threads/export-work.ts')).openExport(start);
}

const ENTRY = new URL('./threads/export-worker.ts', import.meta.url);
/** Idle workers that are kept, as many as most servers use at once. Each takes some 15 MB. */
const MAX_RESTING = 2;

/** Idle workers are kept once the engine is warm. */
export function exportWorkers(): Workers {
  return new ExportWorkers(() => new ExportWorker(ENTRY, unpackError), MAX_RESTING, false);
}
