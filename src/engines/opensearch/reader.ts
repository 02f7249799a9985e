// What is read in views, by one process: which view a call begins with, and what is done when the cluster has lost it.

import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '../../model/aborted.ts';
import type { Kind } from '../../model/record.ts';
import { Deadline } from './deadline.ts';
import { Searcher, ViewLost } from './search.ts';
import type { Store } from './store.ts';
import type { Turns } from './turns.ts';
import { type HeldView, type View, Views } from './views.ts';

/** How long it is until a question is asked a third time, in milliseconds; then twice as long, and so on. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 500;

/** Views by their kinds. */
export type ViewsOf = ReadonlyMap<Kind, View>;

export class Reader implements AsyncDisposable {
  readonly views: Views;
  readonly #store: Store;
  readonly #turns: Turns;
  /** Whether the views lack what this process has written, or there are none yet. */
  #isStale = true;

  constructor(store: Store, turns: Turns) {
    const { client, names } = store;
    this.#store = store;
    this.#turns = turns;
    this.views = new Views({ client, names });
  }

  /** Takes what was published when it was called, or later. */
  async refresh(): Promise<void> {
    await this.views.refresh();
    this.#isStale = false;
  }

  /** To be called in a turn behind every change: what this process has done is in its next view. */
  async changed(): Promise<void> {
    // Where nobody reads, no views are opened.
    if (this.#isStale) return;
    this.#isStale = true;
    // What was done is done, even if it cannot be looked at: the next who looks is told.
    await this.refresh().catch(() => undefined);
  }

  /** The view at the call: with all that this process did before, and nothing that it does later. */
  async hold(kind: Kind): Promise<HeldView> {
    return this.#isStale ? await this.#turns.take(() => this.#holdFresh(kind)) : await this.views.hold(kind);
  }

  /**
   * What `work` finds in one view of each of these kinds; in another one where it finds that the view is lost, once,
   * or again and again within the time budget where there is one. Rejects with the reason of the signal as soon as it
   * is aborted, and with what `Searcher.search` throws.
   */
  read<T>(
    kinds: readonly Kind[],
    work: (searcher: Searcher, views: ViewsOf) => Promise<T>,
    deadline = new Deadline(),
  ): Promise<T> {
    const searcher = new Searcher(this.#store.client, deadline);
    const holding = Promise.all(kinds.map((kind) => this.hold(kind)));
    return untilAborted(deadline.signal, async () => {
      let held = await holding;
      let lost: ViewLost | null = null;
      try {
        for (let pause = 0; ; pause = Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pause * 2))) {
          try {
            return await work(searcher, viewsOf(held));
          } catch (error) {
            const isOver = deadline.isLimited && !deadline.lasts(0);
            // What was met before says more than that the time is over.
            if (!(error instanceof ViewLost)) throw isOver ? (lost ?? error) : error;
            if (pause > 0 && !deadline.lasts(pause)) throw error;
            lost = error;
            if (pause > 0) await sleep(pause);
            held = await this.#anew(held);
          }
        }
      } finally {
        letGo(held);
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.views[Symbol.asyncDispose]();
  }

  async #holdFresh(kind: Kind): Promise<HeldView> {
    if (this.#isStale) await this.refresh();
    return await this.views.hold(kind);
  }

  async #anew(lost: readonly HeldView[]): Promise<HeldView[]> {
    try {
      return await Promise.all(lost.map((held) => this.views.holdAnew(held)));
    } finally {
      letGo(lost);
    }
  }
}

function viewsOf(held: readonly HeldView[]): ViewsOf {
  return new Map(held.map(({ view }) => [view.kind, view]));
}

function letGo(held: readonly HeldView[]): void {
  for (const one of held) one[Symbol.dispose]();
}
