// Everything about one kind of records: its store, the view that is shown, its damage, its figures and its upkeep.

import { StorageError, UsageError } from '../../errors.ts';
import { log } from '../../log.ts';
import type { Coverage, CoverageRequest } from '../../model/coverage.ts';
import type { KindStats } from '../../model/engine.ts';
import { EngineUnavailable, IndexDamage } from '../../model/engine-errors.ts';
import { type Hash64, hex64, type IndexFingerprint, Sum64 } from '../../model/hash.ts';
import type { Kind } from '../../model/record.ts';
import type { Hidden, MovedRecords } from '../../model/removals.ts';
import type { Remote } from '../shared/worker-calls.ts';
import { KindCoverage } from './coverages.ts';
import { SegmentDamage } from './format/segment-file.ts';
import {
  emptyView,
  type KindStore,
  liveCount,
  openView,
  type Pin,
  timeRange,
  type View,
  type ViewData,
  type ViewSegment,
} from './index/view.ts';
import { type IsStopped, type OfDocs, segmentSums } from './per-segment.ts';
import type { Answering } from './threads/answering-calls.ts';
import type { PooledKind, ThreadPool } from './threads/thread-pool.ts';
import { type KeptKind, Upkeep } from './upkeep.ts';
import type { FoundDocs } from './writing/removing.ts';

/** A damaged kind is looked at again after this time, since somebody may have restored a file. */
const LOOK_AGAIN_MS = 1_000;

/** What both kinds of an index share. */
export interface SharedByKinds {
  readonly threads: ThreadPool;
  isClosing(): boolean;
  /** Runs `work` while no batch is under way. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** The damage of each kind that was logged last. */
  readonly logged: Map<Kind, string>;
}

export class KindIndex implements KeptKind, PooledKind {
  readonly kind: Kind;
  readonly store: KindStore;
  readonly #sums = segmentSums();
  readonly upkeep: Upkeep;
  readonly #shared: SharedByKinds;
  readonly #coverage: KindCoverage;
  #view: View;
  /** The damage, and how long looking again is useless; null: the kind can be read. */
  #damaged: { readonly damage: IndexDamage; readonly until: number } | null = null;

  constructor(store: KindStore, shared: SharedByKinds) {
    this.kind = store.manifest.kind;
    this.store = store;
    this.#shared = shared;
    this.#view = emptyView(this.kind);
    this.#coverage = new KindCoverage(this);
    this.upkeep = new Upkeep(this, shared);
  }

  /** The view that answers use. */
  get view(): View {
    return this.#view;
  }

  get damage(): IndexDamage | null {
    return this.#damaged?.damage ?? null;
  }

  get isClosing(): boolean {
    return this.#shared.isClosing();
  }

  /** The thread for the next call. */
  reader(): Remote<Answering> {
    return this.#shared.threads.reader();
  }

  /** Keeps the files of the current view. */
  pin(): Pin {
    return this.store.pin();
  }

  expectWhole(): void {
    if (this.damage !== null) throw this.damage;
  }

  /** Makes what other processes committed visible. Throws an IndexDamage where the kind cannot be read. */
  refresh(): void {
    const { store } = this;
    try {
      store.refresh();
      // Compares with the view in use, since the view that was read last may never have been opened.
      if (store.current.version !== this.#view.version) {
        this.#shared.threads.show(store.current);
        this.#view = openView(store.current, this.#view);
      }
      if (this.#damaged !== null) this.#shared.logged.delete(this.kind);
      this.#damaged = null;
    } catch (error) {
      throw this.#note(error);
    }
  }

  /** Notes and logs damage instead of throwing it. */
  tryToRefresh(): void {
    if (this.#damaged !== null && performance.now() < this.#damaged.until) return;
    try {
      this.refresh();
    } catch (error) {
      // uncovered: a fault of ours: damage is noted
      if (!(error instanceof IndexDamage)) throw error;
    }
  }

  /** A commit stays even if showing it fails: damage is recorded, and the next call throws it. */
  showCommitted(): void {
    try {
      this.refresh();
    } catch (error) {
      // uncovered: a fault of ours: damage is noted
      if (!(error instanceof IndexDamage))
        log.error({ err: error, kind: this.kind }, 'a commit could not be shown');
    }
  }

  /** Leftover files of an unreadable kind cannot be identified. */
  deleteOrphans(): void {
    try {
      this.store.deleteOrphans();
    } catch (error) {
      this.#note(error);
    }
  }

  /** Names the kind in damage that reading finds, so that the other kind may still answer. */
  async naming<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#damageLogged(error);
    }
  }

  async reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // A failed write is no damage.
      throw error instanceof SegmentDamage ? this.#damageLogged(error) : error;
    }
  }

  async hide(removal: number, what: Hidden): Promise<MovedRecords> {
    /** Segments never change, so docs found in one stay true when others come and go. */
    const found = new Map<string, Uint32Array>();
    for (;;) {
      this.refresh();
      using pin = this.pin();
      // uncovered: a merge has taken the segments away in between
      if (!(await this.#findDocs(pin.data, what, found))) continue;
      const hid = await this.reader().hideDocs(this.kind, removal, found, pin.data.version);
      if (hid === null) continue;
      this.showCommitted();
      return hid;
    }
  }

  async restore(removal: number): Promise<MovedRecords> {
    let back: MovedRecords | null = null;
    while (back === null) {
      this.refresh();
      using _pin = this.pin();
      back = await this.reading(() => this.reader().restoreDocs(this.kind, removal));
    }
    this.showCommitted();
    return back;
  }

  /** If the kind cannot be read, the reason stands in place of the figures. */
  stats(): Promise<KindStats | IndexDamage> {
    return this.#ofWhole(async (view) => {
      const records = liveCount(view);
      return {
        records,
        communities: records === 0 ? 0 : await this.reader().communityCount(this.kind),
        ...timeRange(view),
        segments: view.segments.length,
        bytes: view.version === 0 ? 0 : this.store.size(),
        lacking: await this.reader().lackingFacts(this.kind),
      };
    });
  }

  /**
   * The fingerprint of a view whose files are kept; absent: of the current view. If the kind cannot be read, the
   * reason.
   */
  fingerprint(data?: ViewData): Promise<IndexFingerprint | IndexDamage> {
    return this.#ofWhole(async (view) => (await this.#sumOf(data ? openView(data, view) : view))!);
  }

  async fingerprintOf(data: ViewData, isStopped: IsStopped): Promise<IndexFingerprint | null> {
    return await this.#sumOf(openView(data, this.#view), isStopped);
  }

  /** Of the current view. */
  coverage(request: CoverageRequest, signal?: AbortSignal): Promise<Coverage> {
    return this.naming(async () => {
      const view = this.#view;
      using _pin = this.pin();
      const [covered, index] = await Promise.all([
        this.#coverage.of(view, request, signal),
        this.#sumOf(view),
      ]);
      return { index: index!, ...covered };
    });
  }

  /** Begins what takes longest of a coverage by month; who asks for one later finds it made, or under way. */
  warm(): void {
    if (this.damage !== null) return;
    // What fails is told to those who ask.
    this.naming(() => this.#coverage.warm(this.#view)).catch(() => undefined);
  }

  /** Resolves when nothing is under way that nobody waits for. */
  settled(): Promise<void> {
    return this.#coverage.settled();
  }

  async sumOf(source: ViewSegment, isStopped: IsStopped): Promise<Hash64 | null> {
    const ofDocs: OfDocs<Hash64> = (...values) => this.reader().sumOfDocs(this.kind, ...values);
    return source.sum ?? (await this.#sums.of(source, ofDocs, isStopped));
  }

  /** Of a view whose files are kept; null where `isStopped` became true meanwhile. */
  async #sumOf(view: View, isStopped: IsStopped = () => false): Promise<IndexFingerprint | null> {
    const isOver = () => this.isClosing || isStopped();
    if (view.segments.some(({ sum }) => sum === null)) this.#sums.forgetAllBut(view);
    const total = new Sum64();
    for (const source of view.segments) {
      const sum = await this.sumOf(source, isOver);
      if (sum !== null) total.add(sum);
      else if (this.isClosing)
        throw new EngineUnavailable('the index was closed before its records were summed up');
      else return null;
    }
    return { fingerprint: hex64(total.value()), records: liveCount(view) };
  }

  /** In one view; in its place, why the kind cannot be read. */
  async #ofWhole<T>(make: (view: View) => Promise<T>): Promise<T | IndexDamage> {
    if (this.damage !== null) return this.damage;
    using _pin = this.pin();
    try {
      return await this.naming(() => make(this.#view));
    } catch (error) {
      if (error instanceof IndexDamage) return error;
      // uncovered: a thread dies meanwhile
      throw error;
    }
  }

  /** Adds the named records in segments of `view` that are not in `found`. False if a segment has disappeared. */
  async #findDocs(view: ViewData, what: Hidden, found: Map<string, Uint32Array>): Promise<boolean> {
    const names = view.segments.map(({ data }) => data.name).filter((name) => !found.has(name));
    const more: FoundDocs = await this.naming(() => this.reader().findDocs(view.kind, names, what));
    for (const [name, docs] of more) found.set(name, docs);
    return more.size === names.length;
  }

  /** Notes that the kind cannot be read; throws whatever is no damage. */
  #note(error: unknown): IndexDamage {
    const damage = this.#damageLogged(error);
    this.#damaged = { damage, until: performance.now() + LOOK_AGAIN_MS };
    return damage;
  }

  /** The damage that the error is, logged where it is news. Throws the error where it is none. */
  #damageLogged(error: unknown): IndexDamage {
    const damage = damageOf(this.kind, error);
    if (damage === null) throw error;
    const { kind, message } = damage;
    if (message !== this.#shared.logged.get(kind))
      log.error({ err: error, kind }, 'the index cannot be read');
    this.#shared.logged.set(kind, message);
    return damage;
  }
}

/** null: the error says nothing of the files of this kind. */
function damageOf(kind: Kind, error: unknown): IndexDamage | null {
  // uncovered: damage that is told already passes through unchanged
  if (error instanceof IndexDamage) return error;
  // What opens a file throws a UsageError for one of a newer format alone.
  const isNewer = error instanceof UsageError;
  if (!isNewer && !(error instanceof StorageError)) return null;
  const of = (error instanceof SegmentDamage ? error.kind : null) ?? kind;
  return new IndexDamage(of, error.message, { isNewer, cause: error });
}
