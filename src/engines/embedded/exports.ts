// An export under way: it has its thread and its views, and looks for removals before each block.

import type { IndexDamage } from '../../model/engine-errors.ts';
import type { ExportBlock, ExportHead, ExportRequest } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import { type Kind, otherKind } from '../../model/record.ts';
import type { ExportSteps } from '../threads/exports.ts';
import type { Pin, ViewData } from './index/view.ts';
import type { KindIndex } from './kind-index.ts';
import { AbortFlag } from './matching/deadline.ts';
import type { ExportThread } from './threads/export-threads.ts';
import type { LaterView } from './threads/export-work.ts';
import type { ThreadPool } from './threads/thread-pool.ts';

/** What the exports of an index have in common. */
export interface Exported {
  readonly folder: string;
  readonly isReadOnly: boolean;
  readonly kinds: Readonly<Record<Kind, KindIndex>>;
  readonly threads: ThreadPool;
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
  constructor({ folder, isReadOnly, kinds, threads }: Exported, request: ExportRequest, signal: AbortSignal) {
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
    this.#thread = threads.startExport({ folder, isReadOnly, request, view, other, gone: gone! });
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
