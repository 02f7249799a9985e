// An engine before it is open: how its index is opened, and what it can do for a whole data folder. engine.ts has the
// open engine.

import type { CopyRules } from './copies.ts';
import type { SearchEngine } from './engine.ts';
import type { RemovalList } from './removals.ts';

export interface EngineModule {
  readonly name: string;
  /** Its own files in a data folder: a folder with any of them is a data folder. Empty: it stores nothing there. */
  readonly files: readonly string[];

  /** For an index outside of the folder: where it is and who copies it, in words. It may be out of reach. */
  readonly elsewhere?: string;

  /** Opens the index of this folder. Makes nothing before the first record. */
  open(folder: string, options: EngineOptions): Promise<SearchEngine>;

  /** Checks the whole index of this folder while others use it. Reports problems, throws none. Absent: not possible. */
  check?(folder: string, options?: CheckOptions): Promise<CheckReport>;

  /**
   * Copies the small files of the index as it is now into `target`, an existing folder, and holds the rest until they
   * are copied too. Absent: not possible.
   */
  snapshot?(folder: string, target: string): Promise<HeldIndex>;
}

export interface EngineOptions {
  readonly rules: CopyRules;
  /** Threads that answer questions; 0: the caller's thread answers. Absent: one for each processor. */
  readonly workers?: number;
  /** More threads, which never help another with its question, so that one is soon free. Absent: none. */
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
  /** Refuses records. Absent: all are let in. */
  readonly removals?: RemovalList;
  /**
   * Identifies the data folder: an index elsewhere refuses another one. null: no name yet, read only. Absent: not
   * checked.
   */
  readonly identity?: string | null;
  /** Writes nothing to the folder, even where it could. Absent: false. */
  readonly isReadOnly?: boolean;
}

export interface CheckOptions {
  readonly progress?: (part: string) => void;
  readonly signal?: AbortSignal;
}

export interface CheckReport {
  readonly segments: number;
  readonly records: number;
  /** One line for each problem, with its place. */
  readonly problems: readonly string[];
}

export interface HeldIndex extends Disposable {
  readonly files: number;
  readonly bytes: number;
  /** Synced when it resolves. Throws a StorageError if a file is damaged. */
  copy(options: CopyOptions): Promise<void>;
}

export interface CopyOptions {
  readonly onBytes: (bytes: number) => void;
  readonly signal: AbortSignal;
}
