// Exports under way: each has its thread and its views, and looks for removals before each block.

import type { IndexDamage } from '../../model/engine-errors.ts';
import type { ExportBlock, ExportHead, ExportRequest, ExportRun } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import { KINDS, type Kind, otherKind } from '../../model/record.ts';
import { ExportRuns, type ExportSteps } from '../threads/exports.ts';
import type { KindStore, Pin } from './index/kind-store.ts';
import type { ViewData } from './index/view.ts';
import type { ExportThread } from './threads/export-threads.ts';
import type { ExportStart, LaterView } from './threads/export-work.ts';
import { AbortFlag } from './threads/thread-handle.ts';

interface ExportsParts {
  readonly folder: string;
  readonly isReadOnly: boolean;
  readonly stores: Readonly<Record<Kind, KindStore>>;
  readonly start: (start: ExportStart) => ExportThread;
  readonly canRead: (kind: Kind) => boolean;
  /** Throws the IndexDamage of a kind that cannot be read. */
  readonly expectWhole: (kind: Kind) => void;
  readonly refresh: (kind: Kind) => void;
  /** Of a view whose files are kept; otherwise why the kind cannot be read. */
  readonly fingerprint: (kind: Kind, view: ViewData) => Promise<IndexFingerprint | IndexDamage>;
  /** Names damage that the work meets in what it reads. */
  readonly reading: <T>(kind: Kind, work: () => Promise<T>) => Promise<T>;
}

export class Exports implements AsyncDisposable {
  readonly #parts: ExportsParts;
  readonly #runs = new ExportRuns();

  constructor(parts: ExportsParts) {
    this.#parts = parts;
  }

  open(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    return this.#runs.open(request, signal, (ending) => {
      this.#parts.expectWhole(request.kind);
      if (request.under !== undefined) this.#parts.expectWhole(otherKind(request.kind));
      return new Steps(this.#parts, request, ending);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runs[Symbol.asyncDispose]();
  }
}

class Steps implements ExportSteps {
  readonly #parts: ExportsParts;
  readonly #kind: Kind;
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
  readonly #views: Readonly<Record<Kind, ViewData>>;

  constructor(parts: ExportsParts, request: ExportRequest, signal: AbortSignal) {
    this.#parts = parts;
    this.#kind = request.kind;
    const store = parts.stores[request.kind];
    const other = otherKind(request.kind);
    const state = store.manifest.state();
    using held = new DisposableStack();
    const view = held.use(store.pin()).data;
    const otherView = parts.canRead(other) ? held.use(parts.stores[other].pin()).data : null;
    const { gone } = held.use(new AbortFlag(signal));
    const ofOther = otherView ?? parts.stores[other].current;
    this.#views = view.kind === 'post' ? { post: view, comment: ofOther } : { post: ofOther, comment: view };
    this.#version = view.version;
    this.#purgesDone = state.purgesDone;
    this.#mayLack = state.version !== view.version;
    const { folder, isReadOnly } = parts;
    this.#thread = parts.start({ folder, isReadOnly, request, view, other: otherView, gone: gone! });
    this.#held = held.move();
  }

  async fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>> {
    const [post, comment] = await Promise.all(
      KINDS.map((kind) => this.#parts.fingerprint(kind, this.#views[kind])),
    );
    return { post: post!, comment: comment! };
  }

  open(): Promise<ExportHead> {
    return this.#parts.reading(this.#kind, () => this.#thread.open());
  }

  /** Removals are looked for before each batch, when the block before it was taken. */
  async next(): Promise<ExportBlock> {
    const later = this.#laterView();
    const block = await this.#parts.reading(this.#kind, () => this.#thread.next(later));
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
    this.#parts.refresh(this.#kind);
    const store = this.#parts.stores[this.#kind];
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
