// What the process that kills and the one that is killed say to each other.

import type { IndexReport } from '../../src/model/engine.ts';
import type { RemovalSubject } from '../../src/model/removals.ts';
import type { Target } from '../../src/removals/target.ts';
import type { Batch } from './acknowledged.ts';

/** One thing that is done to a data folder; done again where it was broken off. */
export type Step =
  /** `dump` is its path. */
  | { readonly kind: 'import'; readonly dump: string }
  | { readonly kind: 'remove'; readonly target: Target }
  /** Takes back every removal that named records of this kind. */
  | { readonly kind: 'undo'; readonly of: RemovalSubject }
  | { readonly kind: 'purge' }
  /** Into the folder of the plan. */
  | { readonly kind: 'backup' };

export interface KillPlan {
  readonly data: string;
  /** Lines of JSON, each a LogLine. */
  readonly log: string;
  readonly batchRecords: number;
  /** Where a backup goes. */
  readonly backup: string;
  /** What is left to do, and the number of the first of these in the whole round. */
  readonly steps: readonly Step[];
  readonly firstStep: number;
  /** Calls are counted from this step on. */
  readonly countFrom: number;
  /** The log says of a batch only that it was begun, so that it stays small. */
  readonly isBrief?: true;
}

/** A batch counts as acknowledged from the line behind its own on. */
export type LogLine =
  | { readonly opened: true }
  /** null: the plan is brief. */
  | { readonly begin: Batch | null }
  | { readonly acknowledged: IndexReport }
  /** Numbers of steps in the whole round. */
  | { readonly started: number }
  | { readonly done: number };
