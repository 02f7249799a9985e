// What an engine is to the composition root: how its index is opened, and what it can do for a data folder as a whole.
// What it is once it is open: engine.ts.

import type { CopyRules } from './copies.ts';
import type { SearchEngine } from './engine.ts';
import type { RemovalList } from './removals.ts';

export interface EngineModule {
  /** As `COLLOQUY_ENGINE` names it. */
  readonly name: string;
  /** What of a data folder is its own: one of these names makes a folder one of ours. Empty: it keeps nothing there. */
  readonly files: readonly string[];

  /** Opens the index of this folder. Nothing is made before the first record. */
  open(folder: string, options: EngineOptions): Promise<SearchEngine>;

  /**
   * Reads the index of this folder back as a whole, beside whoever uses it. Absent: the engine cannot. What is wrong is
   * reported, not thrown.
   */
  check?(folder: string, options?: CheckOptions): Promise<CheckReport>;

  /**
   * The index of this folder as it is now: what is small of it is copied into the folder `target`, which is there,
   * the rest is held until it is copied too. Absent: the engine cannot.
   */
  snapshot?(folder: string, target: string): Promise<HeldIndex>;
}

export interface EngineOptions {
  readonly rules: CopyRules;
  /** Threads that answer questions; 0: none, everything in the caller's thread. Absent: one a processor. */
  readonly workers?: number;
  /** Which records may not come in. Absent: all may. */
  readonly removals?: RemovalList;
}

export interface CheckOptions {
  /** Told the name of each part before it is compared. */
  readonly progress?: (part: string) => void;
  /** Breaks off between two parts. */
  readonly signal?: AbortSignal;
}

export interface CheckReport {
  /** Parts that the index is made of. */
  readonly segments: number;
  /** Live ones. */
  readonly records: number;
  /** What is wrong, a line each, with its place; empty where all is well. */
  readonly problems: readonly string[];
}

/** An index at one moment, held to be copied; disposing lets go of it. */
export interface HeldIndex extends Disposable {
  /** Those that `copy` has to copy. */
  readonly files: number;
  /** Of these. */
  readonly bytes: number;
  /** Synced when it resolves. Throws a StorageError where a file is not as it was written. */
  copy(options: CopyOptions): Promise<void>;
}

export interface CopyOptions {
  /** Told how many more bytes are copied. */
  readonly onBytes: (bytes: number) => void;
  /** Breaks off between two pieces. */
  readonly signal: AbortSignal;
}
