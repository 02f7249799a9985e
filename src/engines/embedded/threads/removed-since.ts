// Which records of a view removals have taken away since: looked up in a later view.

import type { Segment } from '../index/segment.ts';
import { findLive, isDead, openView, type View, type ViewData, type ViewSegment } from '../index/view.ts';

/** A later view, and whether it can tell of removals. */
export interface LaterView {
  readonly view: ViewData;
  /** False: since the first view nothing was removed, so that what a merge replaced need not be looked for by id. */
  readonly mayLack: boolean;
}

export class RemovedSince {
  readonly #pinned: View;
  #later: View | null = null;
  #mayLack = false;
  /** Segments of the first view as they are now; null: a merge has replaced it. Those that are the same are absent. */
  readonly #changed = new Map<Segment, ViewSegment | null>();

  constructor(pinned: View) {
    this.#pinned = pinned;
  }

  /** Answers from this view, which must stay whole until the next one is shown. */
  show({ view, mayLack }: LaterView): void {
    this.#later = openView(view, this.#later ?? this.#pinned);
    this.#mayLack = mayLack;
    this.#changed.clear();
    const byName = new Map(this.#later.segments.map((now) => [now.segment.name, now]));
    for (const { segment, deadVersion } of this.#pinned.segments) {
      const now = byName.get(segment.name) ?? null;
      if (now?.deadVersion !== deadVersion) this.#changed.set(segment, now);
    }
  }

  /**
   * Whether the record with this id, which was live at this place, is in no answer any more. One that was replaced is
   * there as another copy.
   */
  isRemoved(segment: Segment, doc: number, id: string): boolean {
    if (this.#later === null) return false;
    const now = this.#changed.get(segment);
    if (now === undefined) return false;
    const isSuspect = now === null ? this.#mayLack : isDead(now.dead, doc);
    return isSuspect && findLive(this.#later.segments, id) === null;
  }
}
