// Reading in views: gives each call a view to begin with, and a new one when the cluster has lost it.

import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '../../../model/engine-errors.ts';
import type { Kind } from '../../../model/record.ts';
import type { Places } from '../../../model/waiting.ts';
import { OpenSearchRefusal } from '../cluster/client.ts';
import { Deadline } from '../cluster/deadline.ts';
import { Searcher, ViewLost } from '../cluster/search.ts';
import type { Store } from './store.ts';
import { type HeldView, type View, Views } from './views.ts';

/** How long it is until a question is asked a third time, in milliseconds; then twice as long, and so on. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 500;

/** Kinds that are read from. */
export interface AskedKinds {
  readonly needed: readonly Kind[];
  /** What they say is left out where they cannot be read. */
  readonly wanted?: readonly Kind[];
}

/** Views by their kinds. */
export type ViewsOf = ReadonlyMap<Kind, View>;

export class Reader implements AsyncDisposable {
  readonly views: Views;
  readonly #store: Store;
  readonly #turns: Places;
  /** How often this process has changed something, and with how many of these changes views were taken last. */
  #changes = 0;
  #seen = -1;

  constructor(store: Store, turns: Places) {
    this.#store = store;
    this.#turns = turns;
    this.views = new Views(store);
  }

  /** Takes what was published when it was called, or later. */
  async refresh(): Promise<void> {
    const changes = this.#changes;
    await this.views.refresh();
    this.#seen = Math.max(this.#seen, changes);
  }

  /** To be called in a turn behind every change: what this process has done is in its next view. */
  async changed(): Promise<void> {
    // Where nobody reads, no views are opened.
    const isRead = !this.isStale;
    this.#changes++;
    if (!isRead) return;
    // What was done is done, even if it cannot be looked at: the next who looks is told.
    await this.refresh().catch(() => undefined);
  }

  /** The view at the call: with all that this process did before, and nothing that it does later. As `Views.hold`. */
  async hold(kind: Kind, need?: 'wanted'): Promise<HeldView> {
    if (!this.isStale) return await this.views.hold(kind, need);
    return await this.#turns.run(() => this.#holdFresh(kind, need));
  }

  /**
   * Runs `work` on one view of each kind, and again on a new one if the view is lost, within the time budget. Rejects
   * with the signal's reason, an IndexDamage, or as `Searcher.search`. A wanted kind that is unreadable gives an empty
   * view.
   */
  async read<T>(
    { needed, wanted = [] }: AskedKinds,
    work: (searcher: Searcher, views: ViewsOf) => Promise<T>,
    deadline = new Deadline(),
  ): Promise<T> {
    const searcher = new Searcher(this.#store.client, deadline);
    const holding = [
      ...needed.map((kind) => this.#holdFresh(kind)),
      ...wanted.map((kind) => this.#holdFresh(kind, 'wanted')),
    ];
    const held = await inTime(allHeld(holding), deadline);
    const again = (lost: HeldView) =>
      this.views.holdAnew(lost, wanted.includes(lost.view.kind) ? 'wanted' : 'needed');
    const working = this.#workIn(held, searcher, work, again);
    working.catch(() => undefined);
    return await untilAborted(deadline.signal, () => working);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.views[Symbol.asyncDispose]();
  }

  /** Whether the views lack what this process has changed, or there are none yet. */
  get isStale(): boolean {
    return this.#seen < this.#changes;
  }

  /** Without a turn: behind a change under way it would wait as long as that takes. */
  async #holdFresh(kind: Kind, need?: 'wanted'): Promise<HeldView> {
    if (this.isStale) await this.refresh();
    return await this.views.hold(kind, need);
  }

  async #workIn<T>(
    first: readonly HeldView[],
    searcher: Searcher,
    work: (searcher: Searcher, views: ViewsOf) => Promise<T>,
    again: (lost: HeldView) => Promise<HeldView>,
  ): Promise<T> {
    const { deadline } = searcher;
    let held = first;
    let lost: Error | null = null;
    try {
      for (let pause = 0; ; pause = Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pause * 2))) {
        try {
          return await work(searcher, viewsOf(held));
        } catch (error) {
          const isOver = deadline.isLimited && !deadline.lasts(0);
          // What was met before says more than that the time is over.
          // An index that is closed or gone by now is told of by what opens a view of it.
          const isLost = error instanceof ViewLost || (error instanceof OpenSearchRefusal && pause === 0);
          if (!isLost) throw isOver ? (lost ?? error) : error;
          if (pause > 0 && !deadline.lasts(pause)) throw error;
          lost = error;
          if (pause > 0) await sleep(pause);
          held = await anew(held, again);
        }
      }
    } finally {
      letGo(held);
    }
  }
}

async function anew(
  lost: readonly HeldView[],
  again: (lost: HeldView) => Promise<HeldView>,
): Promise<HeldView[]> {
  try {
    return await allHeld(lost.map(again));
  } finally {
    letGo(lost);
  }
}

function viewsOf(held: readonly HeldView[]): ViewsOf {
  return new Map(held.map(({ view }) => [view.kind, view]));
}

/** All of them, or none is held. */
export async function allHeld(holding: readonly Promise<HeldView>[]): Promise<HeldView[]> {
  try {
    return await Promise.all(holding);
  } catch (error) {
    for (const held of await Promise.allSettled(holding))
      if (held.status === 'fulfilled') letGo([held.value]);
    throw error;
  }
}

/** Throws what `Deadline.left` throws, as soon as it would; views that come later are let go. */
async function inTime(holding: Promise<HeldView[]>, deadline: Deadline): Promise<HeldView[]> {
  try {
    return await deadline.within(holding);
  } catch (error) {
    holding.then(letGo, () => undefined);
    throw error;
  }
}

function letGo(held: readonly HeldView[]): void {
  for (const one of held) one[Symbol.dispose]();
}
