// What callers of upkeep may ask for, and are told.

import type { Kind } from './record.ts';

export interface MaintainOptions {
  /** Aborted: merging is broken off, and what was merged so far stays. */
  readonly signal?: AbortSignal;
  /** Called before each merge. */
  readonly onMerge?: (merge: MergeStep) => void;
}

/** What is merged, in an engine that merges by itself. */
export interface MergeStep {
  readonly kind: Kind;
  readonly segments: number;
  /** How many are copied. */
  readonly records: number;
}
