// Exports under way: each has its thread and its views, and looks for removals before each block.

import { untilAborted } from '../../model/aborted.ts';
import type { IndexDamage } from '../../model/damage.ts';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { ExportBlock, ExportHead, ExportRequest, ExportRun } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/index-fingerprint.ts';
import { pageRequest } from '../../model/order.ts';
import { KINDS, type Kind, otherKind } from '../../model/record.ts';
import type { KindStore, Pin } from './index/kind-store.ts';
import type { ViewData } from './index/view.ts';
import { AbortFlag } from './threads/abort-flag.ts';
import type { ExportThread } from './threads/export-thread.ts';
import type { ExportStart } from './threads/export-work.ts';
import type { LaterView } from './threads/removed-since.ts';

export interface ExportsParts {
  /** Of the index. */
  readonly folder: string;
  readonly stores: Readonly<Record<Kind, KindStore>>;
  readonly start: (start: ExportStart) => ExportThread;
  readonly canRead: (kind: Kind) => boolean;
  /** Throws the IndexDamage of a kind that cannot be read. */
  readonly expectWhole: (kind: Kind) => void;
  /** Makes what other processes committed visible. Throws an IndexDamage. */
  readonly refresh: (kind: Kind) => void;
  /** Of a view whose files are kept; otherwise why the kind cannot be read. */
  readonly fingerprint: (kind: Kind, view: ViewData) => Promise<IndexFingerprint | IndexDamage>;
  /** Names damage that the work meets in what it reads. */
  readonly reading: <T>(kind: Kind, work: () => Promise<T>) => Promise<T>;
}

export class Exports implements AsyncDisposable {
  readonly #parts: ExportsParts;
  readonly #running = new Set<Running>();

  constructor(parts: ExportsParts) {
    this.#parts = parts;
  }

  /** See SearchEngine.export. */
  async open(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    signal?.throwIfAborted();
    pageRequest(request.order, request.after, { limit: 1 });
    this.#parts.expectWhole(request.kind);
    if (request.under !== undefined) this.#parts.expectWhole(otherKind(request.kind));
    const run = new Running(this.#parts, request, signal, () => this.#running.delete(run));
    this.#running.add(run);
    try {
      await run.open();
      return run;
    } catch (error) {
      await run[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Ends all. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new EngineUnavailable('the index was closed before the export had ended');
    await Promise.all([...this.#running].map((run) => run.end(closed)));
  }
}

class Running implements ExportRun {
  readonly blocks: AsyncIterable<ExportBlock>;
  readonly #parts: ExportsParts;
  readonly #kind: Kind;
  readonly #thread: ExportThread;
  readonly #ending = new AbortController();
  /** Aborted where the caller has gone or the export was ended. */
  readonly #signal: AbortSignal;
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
  readonly #onEnd: () => void;
  #ended: Promise<void> | undefined;
  #head: ExportHead | null = null;

  constructor(
    parts: ExportsParts,
    request: ExportRequest,
    signal: AbortSignal | undefined,
    onEnd: () => void,
  ) {
    this.#parts = parts;
    this.#kind = request.kind;
    this.#onEnd = onEnd;
    const store = parts.stores[request.kind];
    const other = otherKind(request.kind);
    this.#signal =
      signal === undefined ? this.#ending.signal : AbortSignal.any([signal, this.#ending.signal]);
    const state = store.manifest.state();
    using held = new DisposableStack();
    const view = held.use(store.pin()).data;
    const otherView = parts.canRead(other) ? held.use(parts.stores[other].pin()).data : null;
    const { gone } = held.use(new AbortFlag(this.#signal));
    const ofOther = otherView ?? parts.stores[other].current;
    this.#views = view.kind === 'post' ? { post: view, comment: ofOther } : { post: ofOther, comment: view };
    this.#version = view.version;
    this.#purgesDone = state.purgesDone;
    this.#mayLack = state.version !== view.version;
    this.#thread = parts.start({ folder: parts.folder, request, view, other: otherView, gone: gone! });
    this.#held = held.move();
    this.blocks = this.#iterate();
    this.#signal.addEventListener('abort', () => void this[Symbol.asyncDispose](), { once: true });
  }

  get head(): ExportHead {
    return this.#head!;
  }

  async fingerprints(): Promise<Record<Kind, IndexFingerprint | IndexDamage>> {
    this.#signal.throwIfAborted();
    const [post, comment] = await untilAborted(this.#signal, () =>
      Promise.all(KINDS.map((kind) => this.#parts.fingerprint(kind, this.#views[kind]))),
    );
    return { post: post!, comment: comment! };
  }

  async open(): Promise<void> {
    this.#head = await this.#asking(() => this.#thread.open());
  }

  end(reason: unknown): Promise<void> {
    this.#ending.abort(reason);
    return this[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.#close();
    return this.#ended;
  }

  async #close(): Promise<void> {
    // Behind a pause, since the signal disposes again: it must find this close under way.
    await Promise.resolve();
    this.#ending.abort(new EngineUnavailable('the export was ended'));
    await this.#thread[Symbol.asyncDispose]();
    this.#letGoOfEarlier();
    this.#later?.[Symbol.dispose]();
    this.#held.dispose();
    this.#onEnd();
  }

  async *#iterate(): AsyncGenerator<ExportBlock> {
    try {
      for (let isLast = false; !isLast; ) {
        const block = await this.#next();
        isLast = block.report !== undefined;
        yield block;
      }
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  /** Removals are looked for before each batch, when the block before it was taken. */
  async #next(): Promise<ExportBlock> {
    for (;;) {
      this.#signal.throwIfAborted();
      const later = this.#laterView();
      const block = await this.#asking(() => this.#thread.next(later));
      this.#letGoOfEarlier();
      if (block.bytes.length > 0 || 'state' in block || block.report !== undefined) return block;
    }
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

  #asking<T>(work: () => Promise<T>): Promise<T> {
    return untilAborted(this.#signal, () => this.#parts.reading(this.#kind, work));
  }
}
