// What an index covers: how many records it has by day or month and what they lack, and the days of which it has none
// though it should.

import { MAX_CELLS } from './analyses.ts';
import { EngineLimit } from './engine-errors.ts';
import type { IndexFingerprint } from './hash.ts';
import type { Kind } from './record.ts';

export const COVERAGE_STEPS = ['day', 'month'] as const;

export type CoverageStep = (typeof COVERAGE_STEPS)[number];

export interface CoverageRequest {
  readonly kind: Kind;
  readonly step: CoverageStep;
  /** Names in lower case, each once: of these communities the times are wanted too. */
  readonly communities: readonly string[];
  /** Time budget in milliseconds; absent: no limit. */
  readonly timeoutMs?: number;
}

export interface Coverage {
  readonly index: IndexFingerprint;
  /** Unix seconds of the first and last record; null where there is none. */
  readonly first: number | null;
  readonly last: number | null;
  /** Up; those that have records. */
  readonly buckets: readonly CoverageBucket[];
  /** Up. */
  readonly gaps: readonly Gap[];
  /** In the order asked for. */
  readonly communities: readonly CommunityCoverage[];
}

export interface CoverageBucket {
  readonly start: number;
  readonly records: number;
  readonly communities: number;
  readonly withdrawn: number;
  readonly unrated: number;
  readonly timed: number;
  /** Of these, those that were copied within a day of their creation: their scores are not final. */
  readonly early: number;
}

/** Days on each side of a gap that must be busy, and how many records they must have together, on each side. */
export const BUSY_DAYS = 14;
export const BUSY_RECORDS = 100;

/** Days without a record, between BUSY_DAYS on each side that have BUSY_RECORDS or more. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

export interface CommunityCoverage {
  readonly name: string;
  readonly records: number;
  /** Unix seconds; null where it has no records. */
  readonly first: number | null;
  readonly last: number | null;
  /** Up; those that have records. */
  readonly buckets: readonly { readonly start: number; readonly records: number }[];
}

export class CellCount {
  #cells = 0;

  /** Throws an EngineLimit where they are more than MAX_CELLS. */
  add(cells = 1): void {
    this.#cells += cells;
    if (this.#cells > MAX_CELLS) throw new EngineLimit({ limit: 'coverage_cells' });
  }
}
