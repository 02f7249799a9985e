// What a scan needs on the side of its caller: the batches that a thread reads for it, without the records that
// removals have taken away since.

import { untilAborted } from '../../../model/engine-errors.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Segment } from '../index/segment.ts';
import { findLive, isDead, openView, type View, type ViewData, type ViewSegment } from '../index/view.ts';
import type { Answering } from './answering-calls.ts';
import type { ThreadHandle } from './thread-handle.ts';

interface ThreadScan {
  readonly thread: ThreadHandle<Answering>;
  /** The number under which the thread knows the scan. */
  readonly number: number;
  /** Resolves when the thread has opened it. */
  readonly opened: Promise<void>;
  /** Kept until the iteration ends. */
  readonly held: readonly Disposable[];
  /** Through which every call goes, to name damage that it meets. */
  readonly naming: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * The batches of a scan that a thread works on, as its caller iterates over them. Closes the scan in its thread,
 * however the iteration ends. If `signal` is aborted it throws the signal's reason.
 */
export async function* batchesOf(
  { thread, number, opened, held, naming }: ThreadScan,
  signal?: AbortSignal,
): AsyncGenerator<readonly StoredRecord[]> {
  using stack = new DisposableStack();
  for (const one of held) stack.use(one);
  await opened;
  try {
    for (;;) {
      const next = () => thread.call('nextBatch', number);
      const batch = await untilAborted(signal, () => naming(next));
      if (batch === null) return;
      yield batch;
    }
  } finally {
    // Behind a batch that is under way, which ends soon where the caller has gone.
    await thread.call('closeScan', number);
  }
}

/** A later view, and whether it can tell of removals. */
export interface LaterView {
  readonly view: ViewData;
  /** False: since the first view nothing was removed, so that what a merge replaced need not be looked for by id. */
  readonly mayLack: boolean;
}

/** Which records of a view removals have taken away since: looked up in a later view. */
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
