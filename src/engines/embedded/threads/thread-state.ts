// What a thread of the engine knows of the index, and can tell of it, whatever its role: the views that it was shown,
// and the manifests.

import type { CopyRules } from '../../../model/copies.ts';
import type { Hash64 } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import type { ColumnMemory } from '../columns/column-memory.ts';
import { Manifest } from '../index/manifest.ts';
import { Segment, type SegmentData } from '../index/segment.ts';
import { sumChange } from '../index/segment-sums.ts';
import { type DeadDocs, emptyView, openView, type View, type ViewData } from '../index/view.ts';
import type { KernelChoice } from '../sets/kernels.ts';

export interface ThreadOptions {
  readonly folder: string;
  readonly rules: CopyRules;
  /** See EngineOptions. */
  readonly isReadOnly?: boolean | undefined;
  /** What the columns of segments are read into; absent: each segment brings all of its own. */
  readonly memory?: ColumnMemory | undefined;
  /** See EmbeddedOptions. */
  readonly shareFromMs?: number | undefined;
  readonly kernels?: KernelChoice | undefined;
  /** See EngineOptions. */
  readonly printer?: string | undefined;
  /**
   * Of a thread that answers questions beside others: the calls of all of them (answering/sharing.ts), its own number,
   * and whether it takes what the others are too busy for, and helps none. Absent: it writes, or does all in its
   * caller's thread.
   */
  readonly reader?: ReaderPlace;
}

export interface ReaderPlace {
  readonly states: Int32Array;
  readonly number: number;
  readonly isSpare: boolean;
}

export class ThreadState {
  readonly rules: CopyRules;
  readonly manifests: Readonly<Record<Kind, Manifest>>;
  readonly #views: Record<Kind, View> = { post: emptyView('post'), comment: emptyView('comment') };

  constructor({ folder, rules, isReadOnly }: ThreadOptions) {
    this.rules = rules;
    const manifest = (kind: Kind) => new Manifest(folder, kind, isReadOnly);
    this.manifests = { post: manifest('post'), comment: manifest('comment') };
  }

  get views(): Readonly<Record<Kind, View>> {
    return this.#views;
  }

  /** Later calls see this view. */
  show(data: ViewData): void {
    this.#views[data.kind] = openView(data, this.#views[data.kind]);
  }

  /** See index/segment-sums.ts. The segment need not be in the view, but its file must be open. */
  sumChange(
    kind: Kind,
    data: SegmentData,
    before: DeadDocs | null,
    now: DeadDocs,
    range: { readonly from: number; readonly to: number },
  ): Hash64 {
    const known = this.#views[kind].segments.find(({ segment }) => segment.name === data.name);
    return sumChange(known?.segment ?? new Segment(data), before, now, range);
  }

  close(): void {
    for (const manifest of Object.values(this.manifests)) manifest.close();
  }
}
