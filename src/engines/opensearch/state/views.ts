// What this process sees of each kind: a point in time (PIT) of the newest generation, and the removals that are not
// folded in yet. Shards are refreshed one after the other, so a PIT may mix two generations. The manifest, read before
// and after, tells (state/manifest.ts has the protocol).

import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../../../log.ts';
import { EngineUnavailable, type IndexDamage } from '../../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../../model/record.ts';
import { OpenSearchRefusal } from '../cluster/client.ts';
import { Deadline } from '../cluster/deadline.ts';
import { closePit, openPit } from '../cluster/documents-walk.ts';
import { KEEP_ALIVE, type KeptSum, Searcher } from '../cluster/search.ts';
import { lookAt } from './index-check.ts';
import { DEAD_AFTER_MS, type Manifest, readManifests, Watch } from './manifest.ts';
import { type Overlay, readOverlays } from './overlays.ts';
import type { Store } from './store.ts';

export interface View {
  readonly kind: Kind;
  readonly generation: number;
  /** null: there is no record. */
  readonly pit: string | null;
  /** true: it shows all acknowledged records and a part of a batch that broke off. A new view may show more of it. */
  readonly isTorn?: boolean;
  /** Of the manifest that it was made by. */
  readonly hides: number;
  /** Removals that are not folded in: no search shows what they hide. */
  readonly overlays: readonly Overlay[];
  /** The sum of its records from the manifest; null: the view is torn, and no manifest has its sum. */
  readonly sum: KeptSum | null;
  /** Why there is nothing in it, of a kind that cannot be read. */
  readonly damage?: IndexDamage;
}

/** A view that somebody uses; its PIT stays open until it is disposed of. */
export interface HeldView extends Disposable {
  readonly view: View;
}

export type ViewSources = Pick<Store, 'client' | 'settings' | 'names'>;

/** How long a refresh waits for shards that another process refreshes, in milliseconds; then it fails. */
export interface Patience {
  /** Afterwards it keeps its older view. */
  readonly waitMs: number;
  /** If records were hidden meanwhile: the older view must not be shown. */
  readonly waitForHidingMs: number;
  /** If there is no view yet: long enough to notice a dead writer. */
  readonly waitForFirstMs: number;
  /** How long, over several refreshes, the older view may be kept. */
  readonly oldForMs: number;
  /** A writer whose beat stands still for so long has died. */
  readonly deadAfterMs: number;
}

const PATIENCE: Patience = {
  ...{ waitMs: 1_000, waitForHidingMs: 5_000, waitForFirstMs: DEAD_AFTER_MS + 5_000, oldForMs: 15_000 },
  deadAfterMs: DEAD_AFTER_MS,
};
const POLL_MS = 50;
/** How often the indices are checked while no view is opened. */
const LOOK_MS = 1_000;
/** How long a cluster that does not answer is asked again, in milliseconds: a question's own time begins later. */
const PATIENCE_MS = 2_000;
/** How often views that are held are asked, so that the cluster keeps them. */
const PROLONG_MS = 4 * 60_000;

class Pit {
  readonly id: string;
  isCurrent = true;
  holders = 0;

  constructor(id: string) {
    this.id = id;
  }
}

interface Current {
  readonly view: View;
  readonly pit: Pit | null;
}

const NO_RECORDS = { pit: null, isTorn: false, overlays: [], sum: null };

/** The manifest has moved on: to be read again. */
class MovedOn extends Error {}

export class Views implements AsyncDisposable {
  readonly #sources: ViewSources;
  readonly #patience: Patience;
  readonly #current: Record<Kind, Current | null> = { post: null, comment: null };
  readonly #damages: Record<Kind, IndexDamage | null> = { post: null, comment: null };
  #looked = -Infinity;
  /** When the wait for an unseen generation began. */
  readonly #waiting: Record<Kind, { readonly generation: number; readonly since: number } | null> = {
    ...{ post: null, comment: null },
  };
  /** A generation with shards that restarted, and so show documents of the next one. */
  readonly #early: Record<Kind, number | null> = { post: null, comment: null };
  readonly #watches: Readonly<Record<Kind, Watch>>;
  readonly #held = new Set<Pit>();
  readonly #prolonging: NodeJS.Timeout;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(sources: ViewSources, patience = PATIENCE) {
    this.#sources = sources;
    this.#patience = patience;
    const { deadAfterMs } = patience;
    this.#watches = { post: new Watch(deadAfterMs), comment: new Watch(deadAfterMs) };
    this.#prolonging = setInterval(() => void this.#prolong(), PROLONG_MS).unref();
  }

  /** Takes what was published when it was called, or later. */
  refresh(): Promise<void> {
    if (this.#running === null) {
      this.#running = this.#renewAll().finally(() => {
        this.#running = null;
      });
      return this.#running;
    }
    // That one may have read the manifests before.
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.refresh();
      });
    return this.#next;
  }

  /** Why a kind cannot be read, as the last refresh found it. */
  get damages(): Readonly<Record<Kind, IndexDamage | null>> {
    return { ...this.#damages };
  }

  /**
   * The view of the last refresh; the first call waits for one. Throws the IndexDamage of an unreadable kind, or if
   * only `wanted` gives an empty view.
   */
  async hold(kind: Kind, need: 'needed' | 'wanted' = 'needed'): Promise<HeldView> {
    if (this.#current[kind] === null) await this.refresh();
    const damage = this.#damages[kind];
    if (damage !== null && need === 'needed') throw damage;
    if (damage !== null) return this.#holding({ kind, generation: 0, hides: 0, ...NO_RECORDS, damage }, null);
    const { view, pit } = this.#current[kind]!;
    return this.#holding(view, pit);
  }

  /** A new view in place of a lost one, perhaps of another generation. */
  async holdAnew({ view: lost }: HeldView, need: 'needed' | 'wanted' = 'needed'): Promise<HeldView> {
    const { kind } = lost;
    if (this.#current[kind]?.view.pit === lost.pit) {
      this.#let(kind, null);
      await this.refresh();
    }
    return await this.hold(kind, need);
  }

  /** The same view, opened anew. Throws an EngineUnavailable where that cannot be had any more. */
  async holdSame(held: HeldView): Promise<HeldView> {
    const { view: lost } = held;
    const anew = await this.holdAnew(held);
    const { generation, isTorn, pit } = anew.view;
    if (generation === lost.generation && !isTorn && pit !== null) {
      return { view: { ...lost, pit }, [Symbol.dispose]: () => anew[Symbol.dispose]() };
    }
    anew[Symbol.dispose]();
    throw new EngineUnavailable(
      'OpenSearch: the view was lost, and the index has changed since it was taken; begin again',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#prolonging);
    await this.#running?.catch(() => undefined);
    const pits = new Set([...this.#held, ...KINDS.flatMap((kind) => this.#current[kind]?.pit ?? [])]);
    await Promise.all([...pits].map((pit) => closePit(this.#sources.client, pit.id)));
  }

  async #renewAll(): Promise<void> {
    const manifests =
      (performance.now() - this.#looked < LOOK_MS && (await this.#same())) || (await this.#look());
    await Promise.all(KINDS.map((kind) => this.#renew(kind, manifests[kind])));
  }

  /** The manifests; null where the indices have to be looked at: the records of a kind are gone, or it was damaged. */
  async #same(): Promise<Readonly<Record<Kind, Manifest>> | null> {
    const { client, names } = this.#sources;
    try {
      const manifests = await readManifests(client, names.control, { patienceMs: PATIENCE_MS });
      const isGone = (kind: Kind) => manifests[kind].generation < (this.#current[kind]?.view.generation ?? 0);
      return KINDS.some(isGone) ? null : manifests;
    } catch (error) {
      if (error instanceof OpenSearchRefusal) return null;
      throw error;
    }
  }

  /** The manifests, and whether the indices are as they say. */
  async #look(): Promise<Readonly<Record<Kind, Manifest>>> {
    const { client, settings } = this.#sources;
    const { manifests, damages } = await lookAt(client, settings, { patienceMs: PATIENCE_MS });
    this.#looked = performance.now();
    for (const kind of KINDS) {
      const damage = damages[kind];
      if (damage !== null && damage.message !== this.#damages[kind]?.message)
        log.error({ kind }, damage.message);
      this.#damages[kind] = damage;
      if (damage !== null) this.#let(kind, null);
    }
    return manifests;
  }

  async #renew(kind: Kind, first: Manifest): Promise<void> {
    const endBy = performance.now() + this.#patience.waitForHidingMs;
    let manifest = first;
    for (let tries = 1; ; tries++) {
      try {
        if (this.#damages[kind] !== null) return;
        const current = this.#current[kind];
        if (current?.view.generation === manifest.generation) return await this.#lay(kind, current, manifest);
        if (manifest.generation === 0) return this.#take(kind, manifest, NO_RECORDS);
        return await this.#open(kind, manifest);
      } catch (error) {
        if (error instanceof OpenSearchRefusal) await this.#look();
        if (this.#damages[kind] !== null) return;
        if (!(error instanceof MovedOn)) throw error;
        if (performance.now() >= endBy) {
          // It may have records that were hidden since.
          this.#let(kind, null);
          throw new EngineUnavailable(`OpenSearch: there is no view of the ${kind}s: ${error.message}`);
        }
        if (tries > 1) await sleep(POLL_MS);
        manifest = await this.#read(kind);
      }
    }
  }

  /** The same records with the removals of this manifest. */
  async #lay(kind: Kind, current: Current, manifest: Manifest): Promise<void> {
    const { view, pit } = current;
    const sum = view.sum && manifest.sum;
    const isSame =
      view.hides === manifest.hides &&
      view.sum?.short === sum?.short &&
      view.sum?.fingerprint === sum?.fingerprint &&
      `${view.overlays.map(({ number }) => number)}` === `${manifest.overlays}`;
    if (isSame) return;
    const overlays = await this.#overlaysOf(kind, manifest);
    if (this.#current[kind] !== current) throw new MovedOn('it was lost meanwhile');
    this.#current[kind] = { view: { ...view, hides: manifest.hides, overlays, sum }, pit };
  }

  /**
   * Opens a view of the newest generation, or keeps the older one for a while. Throws an EngineUnavailable without
   * either: a view opened between two shards may lack records.
   */
  async #open(kind: Kind, first: Manifest): Promise<void> {
    const began = performance.now();
    for (let manifest = first; ; ) {
      if (!this.#isMoving(kind, manifest)) {
        const after = await this.#openIn(kind, manifest);
        if (after === null) return;
        manifest = after;
      }
      const waited = performance.now() - began;
      const current = this.#current[kind];
      const isHiding = current !== null && current.view.hides !== manifest.hides;
      if (current !== null && !isHiding && this.#keepsOld(kind, manifest, waited)) return;
      const { waitMs, waitForHidingMs, waitForFirstMs } = this.#patience;
      if (waited >= (current === null ? waitForFirstMs : isHiding ? waitForHidingMs : waitMs)) {
        // It has records that were hidden since.
        if (isHiding) this.#let(kind, null);
        throw new EngineUnavailable(
          `OpenSearch: another process has been showing a batch of ${kind}s for ${Math.round(waited / 1_000)} s`,
        );
      }
      await sleep(POLL_MS);
      manifest = await this.#read(kind);
    }
  }

  /** Whether a living writer is refreshing shards one after the other. */
  #isMoving(kind: Kind, { generation, phase, writer }: Manifest): boolean {
    const isShown = phase === 'refreshing' || this.#early[kind] === generation;
    return isShown && !this.#watches[kind].isDead(writer);
  }

  /** Whether to keep the older view: nothing was hidden since, and the wait for the newer one is young. */
  #keepsOld(kind: Kind, { generation }: Manifest, waitedMs: number): boolean {
    if (waitedMs < this.#patience.waitMs && this.#waiting[kind]?.generation !== generation) return false;
    if (this.#waiting[kind]?.generation !== generation) {
      this.#waiting[kind] = { generation, since: performance.now() };
    }
    return performance.now() - this.#waiting[kind]!.since < this.#patience.oldForMs;
  }

  /** Opens a PIT and keeps it. If the manifest has changed meanwhile, returns that instead. */
  async #openIn(kind: Kind, { generation, phase }: Manifest): Promise<Manifest | null> {
    const { client, names } = this.#sources;
    const id = await openPit(client, names[kind], { timeoutMs: PATIENCE_MS });
    try {
      const after = await this.#read(kind);
      const isSame = after.generation === generation;
      const isWritten = isSame && (phase !== 'open' || after.phase !== 'open');
      // It shows a part of a batch: the rest is missing, and so may be what the rest replaces.
      const isTorn = isWritten && (await this.#hasLater(id, generation));
      if (isTorn) this.#early[kind] = generation;
      if (!isSame || this.#isMoving(kind, after)) {
        await closePit(client, id);
        return after;
      }
      const overlays = await this.#overlaysOf(kind, after);
      this.#take(kind, after, { pit: new Pit(id), isTorn, overlays });
      return null;
    } catch (error) {
      await closePit(client, id);
      throw error;
    }
  }

  /** Whether a view shows documents of a later generation. */
  async #hasLater(pit: string, generation: number): Promise<boolean> {
    const searcher = new Searcher(this.#sources.client, new Deadline());
    const query = { range: { g: { gt: generation } } };
    return (await searcher.count(pit, query)) > 0;
  }

  async #overlaysOf(kind: Kind, { overlays: numbers }: Manifest): Promise<readonly Overlay[]> {
    if (numbers.length === 0) return [];
    const known = new Map(this.#current[kind]?.view.overlays.map((overlay) => [overlay.number, overlay]));
    const missing = numbers.filter((number) => !known.has(number));
    const read = missing.length === 0 ? [] : await readOverlays(this.#sources, kind, missing);
    for (const overlay of read) known.set(overlay.number, overlay);
    return numbers.map((number) => {
      const overlay = known.get(number);
      // Folded in meanwhile.
      if (overlay === undefined) throw new MovedOn(`the removal numbered ${number} is not there`);
      return overlay;
    });
  }

  #take(
    kind: Kind,
    { generation, hides, sum }: Manifest,
    { pit, ...seen }: Pick<View, 'isTorn' | 'overlays'> & { readonly pit: Pit | null },
  ): void {
    this.#waiting[kind] = null;
    const known = seen.isTorn ? null : sum;
    this.#let(kind, { view: { kind, generation, hides, ...seen, sum: known, pit: pit?.id ?? null }, pit });
  }

  /** Makes this the current view; the PIT of the one before goes with its last holder. */
  #let(kind: Kind, current: Current | null): void {
    const old = this.#current[kind]?.pit ?? null;
    this.#current[kind] = current;
    if (old === null) return;
    old.isCurrent = false;
    if (old.holders === 0) void closePit(this.#sources.client, old.id);
  }

  #holding(view: View, pit: Pit | null): HeldView {
    if (pit === null) return { view, [Symbol.dispose]: () => undefined };
    pit.holders++;
    this.#held.add(pit);
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      if (--pit.holders > 0) return;
      this.#held.delete(pit);
      if (!pit.isCurrent) void closePit(this.#sources.client, pit.id);
    };
    return { view, [Symbol.dispose]: release };
  }

  /** As it is now. Throws a MovedOn where the kind cannot be read. */
  async #read(kind: Kind): Promise<Manifest> {
    const { [kind]: manifest } = await this.#look();
    if (this.#damages[kind] !== null) throw new MovedOn('its index cannot be read');
    return manifest;
  }

  async #prolong(): Promise<void> {
    for (const { id } of this.#held) {
      const pit = { id, keep_alive: KEEP_ALIVE };
      const body = { pit, size: 0, track_total_hits: false, terminate_after: 1 };
      await this.#sources.client.request({ method: 'POST', path: '/_search', body }).catch(() => undefined);
    }
  }
}
