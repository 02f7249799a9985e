// What a thread of the engine that writes is called for: batches and merges. Everything here is synchronous; the thread
// is a worker (worker.ts) or the caller's own (thread.ts).

import type { Checkpoint } from '../../../model/engine.ts';
import type { Hash64 } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { BatchRecords, type Lane, type NewArrivals } from '../building/batch-records.ts';
import type { GoneFlag } from '../matching/deadline.ts';
import { commitAt, commitMerge, type MergePlan, type MergeResult } from '../writing/commit.ts';
import {
  type BatchCounts,
  commitBatch,
  discardBatch,
  type PreparedBatch,
  prepareBatch,
  prepareMerge,
} from '../writing/writer.ts';
import type { ThreadState } from './thread.ts';

export class WritingCalls {
  readonly #state: ThreadState;

  constructor(state: ThreadState) {
    this.#state = state;
  }

  /** `packs`: see engines/packing/packed-records.ts; `arrivals`: see BatchRecords. */
  prepareBatch(
    kind: Kind,
    packs: readonly Uint8Array[],
    lane: Lane,
    arrivals: Uint32Array | null = null,
  ): PreparedBatch {
    const records = new BatchRecords(kind, packs, lane, arrivals);
    return prepareBatch(this.#state.manifests[kind], this.#state.views[kind], records, this.#state.rules);
  }

  commitBatch(
    kind: Kind,
    parts: readonly PreparedBatch[],
    checkpoint: Checkpoint | null,
    version: number,
    arrivals: NewArrivals | null = null,
  ): BatchCounts | 'conflict' | 'stale' {
    return commitBatch(this.#state.manifests[kind], this.#state.views[kind], {
      parts,
      checkpoint,
      version,
      arrivals,
    });
  }

  discardBatch(kind: Kind, parts: readonly PreparedBatch[]): void {
    discardBatch(this.#state.manifests[kind], parts);
  }

  /** False: the manifest is no longer at this version. */
  storeSums(kind: Kind, sums: ReadonlyMap<string, Hash64>, version: number): boolean {
    return commitAt(this.#state.manifests[kind], { sums }, version);
  }

  /**
   * Merges these segments of the view into one, or into several cut at these seconds, without committing. No sources:
   * `gone` was set meanwhile.
   */
  prepareMerge(kind: Kind, { names, ...plan }: MergePlan, gone: GoneFlag | null = null): MergeResult {
    const sources = this.#state.views[kind].segments.filter(({ segment }) => names.includes(segment.name));
    sources.sort((a, b) => a.segment.created.at(0) - b.segment.created.at(0));
    return prepareMerge(this.#state.manifests[kind], sources, plan, () => gone !== null && gone[0] !== 0);
  }

  commitMerge(kind: Kind, result: MergeResult): boolean {
    return commitMerge(this.#state.manifests[kind], this.#state.views[kind], result);
  }

  /** See Manifest.scrub. */
  scrub(kind: Kind): boolean {
    return this.#state.manifests[kind].scrub();
  }
}

/** Calls that may come from another thread. */
export type Writing = Pick<WritingCalls, keyof WritingCalls>;
