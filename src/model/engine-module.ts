// An engine as the composition root sees it: how its index is opened, and what it can do for a data folder as
// a whole. engine.ts says what it is once it is open.

import type { CopyRules } from './copies.ts';
import type { SearchEngine } from './engine.ts';
import type { RemovalList } from './removals.ts';

export interface EngineModule {
  readonly name: string;
  /** Its own files in a data folder: any of these names makes a folder one of ours. Empty: it stores nothing there. */
  readonly files: readonly string[];

  /** For an index outside of the folder: its place and who copies it, in words for messages. It may be out of reach. */
  readonly elsewhere?: string;

  /** Opens the index of this folder. Makes nothing before the first record. */
  open(folder: string, options: EngineOptions): Promise<SearchEngine>;

  /** Checks the whole index of this folder while others use it. Reports problems, throws none. Absent: not possible. */
  check?(folder: string, options?: CheckOptions): Promise<CheckReport>;

  /**
   * The index of this folder as it is now: copies its small files into the folder `target`, which must exist,
   * and holds the rest until they are copied too. Absent: the engine cannot.
   */
  snapshot?(folder: string, target: string): Promise<HeldIndex>;
}

export interface EngineOptions {
  readonly rules: CopyRules;
  /** Threads that answer questions; 0: none, everything runs in the caller's thread. Absent: one for each processor. */
  readonly workers?: number;
  /**
   * Besides these, where there are any: they help none with its question, so that one is free at once. Absent: none.
   */
  readonly spareWorkers?: number;
  /**
   * The caller asks a few questions and closes the engine. A small index then runs in the caller's thread, which starts
   * faster. Absent: false.
   */
  readonly isBrief?: boolean;
  /** Memory for the index cache and the threads, in bytes. Absent: as much as they want. */
  readonly memoryBytes?: number;
  /**
   * Address of a module that exports `printRecords` (PrintRecords), loaded by answering threads. Absent: no records as
   * text.
   */
  readonly printer?: string;
  /** Which records must not come in. Absent: all may. */
  readonly removals?: RemovalList;
  /**
   * Identifies the data folder: an index elsewhere refuses another one. null: no name yet, read only. Absent: any will
   * do.
   */
  readonly identity?: string | null;
  /** Write nothing to the folder, not even where it could be written. Absent: false. */
  readonly isReadOnly?: boolean;
}

export interface CheckOptions {
  readonly progress?: (part: string) => void;
  readonly signal?: AbortSignal;
}

export interface CheckReport {
  readonly segments: number;
  readonly records: number;
  /** A line for each problem, with its place; empty if there is none. */
  readonly problems: readonly string[];
}

export interface HeldIndex extends Disposable {
  readonly files: number;
  readonly bytes: number;
  /** Synced when it resolves. Throws a StorageError if a file is not as it was written. */
  copy(options: CopyOptions): Promise<void>;
}

export interface CopyOptions {
  readonly onBytes: (bytes: number) => void;
  readonly signal: AbortSignal;
}
