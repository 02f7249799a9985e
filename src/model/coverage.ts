// The coverage of an index: how many records it has in each day or month, what they lack, and days that are missing.
// And what the catalogue stores about the imports that they came by. Times are Unix seconds.

import { MAX_CELLS } from './analyses.ts';
import { EngineLimit } from './engine-errors.ts';
import type { IndexFingerprint } from './hash.ts';
import type { Kind } from './record.ts';

export const COVERAGE_STEPS = ['day', 'month'] as const;

export type CoverageStep = (typeof COVERAGE_STEPS)[number];

export interface CoverageRequest {
  readonly kind: Kind;
  readonly step: CoverageStep;
  /** In lower case, each once. Their own coverage is given too. */
  readonly communities: readonly string[];
  /** Time budget in milliseconds; absent: no limit. */
  readonly timeoutMs?: number;
}

export interface Coverage {
  readonly index: IndexFingerprint;
  /** Unix seconds of the first and last record; null where there is none. */
  readonly first: number | null;
  readonly last: number | null;
  /** Ascending; only buckets with records. */
  readonly buckets: readonly CoverageBucket[];
  /** Ascending. */
  readonly gaps: readonly Gap[];
  /** In the order of the request. */
  readonly communities: readonly CommunityCoverage[];
}

export interface CoverageBucket {
  readonly start: number;
  readonly records: number;
  readonly communities: number;
  readonly withdrawn: number;
  readonly unrated: number;
  readonly timed: number;
  /** Those that were copied within a day of their creation, so that their scores are not final. */
  readonly early: number;
}

/** A gap has this many days on each side with at least BUSY_RECORDS records together. */
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
  /** Ascending; only buckets with records. */
  readonly buckets: readonly { readonly start: number; readonly records: number }[];
}

export class CellCount {
  #cells = 0;

  /** Throws an EngineLimit above MAX_CELLS in all. */
  add(cells = 1): void {
    this.#cells += cells;
    if (this.#cells > MAX_CELLS) throw new EngineLimit({ limit: 'coverage_cells' });
  }
}

export interface ImportEntry extends SourceFacts {
  /** The path as it was given or found, with the entry's name if it is in an archive; `-` for standard input. */
  readonly file: string;
  /** Identifies the content within this catalogue; empty for standard input. */
  readonly checksum: string;
  /** The query of `--where` in canonical form; null: everything was imported. */
  readonly where: string | null;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly started: number;
  /** null: the import was interrupted. */
  readonly finished: number | null;
  /** The arrivals of its records, by kind; absent: none, or not noted. */
  readonly arrivals?: ArrivalSpans;
}

type ArrivalSpans = Readonly<Partial<Record<Kind, ArrivalSpan>>>;

/** The first and last arrival. Those of other imports may lie between them, and small sources share one. */
export interface ArrivalSpan {
  readonly first: number;
  readonly last: number;
}

export interface ArrivedImport extends ArrivalSpan {
  /** Unique, never used again, from 1. */
  readonly number: number;
  readonly source: string;
}

export interface SourceFacts {
  readonly name: string | null;
  /** SHA-256 (in hex) and bytes of the file as published; null: interrupted, or not a file of its own. */
  readonly sha256: string | null;
  readonly bytes: number | null;
  /** Format and compression, as in `ndjson.zst`; null: nothing was read. */
  readonly format: string | null;
  /** The kind of the imported records; null: there are none. */
  readonly kind: SourceKind | null;
  /** The range of creation times of the imported records; null: there are none. */
  readonly first: number | null;
  readonly last: number | null;
}

export type SourceKind = 'posts' | 'comments' | 'both' | 'communities';

export interface PublishedFile {
  /** In hex. */
  readonly sha256: string;
  readonly bytes: number;
}
