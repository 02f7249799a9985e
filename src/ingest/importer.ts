// An import: contents → blocks → workers → batches → engine and catalogue, with a report. A bad source never ends the
// import: faults are counted and reported.

import { UsageError } from '../errors.ts';
import type { Kind } from '../model/record.ts';
import type { Stores } from './batch-commit.ts';
import { Batcher } from './batcher.ts';
import { ContentImport } from './content-import.ts';
import { lateRefusal, lookAtAll, readAll, sizeOf } from './looking.ts';
import type { Naming } from './normalise/field-names.ts';
import { type BlockWork, WorkerPool } from './pool.ts';
import { RejectsFile } from './rejects-file.ts';
import { Counts, type ImportReport, paceOf, type SourceReport } from './report.ts';
import type { Where } from './selection/selection.ts';
import type { Content } from './sources/file.ts';
import { findContents } from './sources/find.ts';
import { Spool } from './sources/spool.ts';
import type { PackedResult, WorkOptions } from './work.ts';

/** Loaded only where it runs: its words and n-grams for ratings take memory. */
export function importWork(options: WorkOptions): BlockWork {
  return { module: new URL('./work.ts', import.meta.url).href, options };
}

interface ImportDeps extends Stores {
  /** Precedes relative addresses of links; without a final slash. */
  readonly permalinkBase: string;
  readonly rejectsFolder: string;
  readonly input: AsyncIterable<Buffer>;
}

export interface ImportOptions extends Naming {
  /** Treats everything as this kind (`community`: imports nothing else); null: by content. */
  readonly kind: Kind | 'community' | null;
  readonly where?: Where | null;
  /** Starts over instead of resuming an interrupted import of the same source. */
  readonly restart: boolean;
  /** Worker threads for all but small imports; 0: none. */
  readonly workers: number;
  /** Bytes without a match after which the progress is stored; absent: the default. */
  readonly quietBytes?: number;
  /** If it is aborted, what was read is committed, and the import ends. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly source: string;
  readonly read: number;
  readonly removed: number;
  /** Lines and records that `where` does not match. */
  readonly passedOver: number;
  /** Bytes on disk that have been read of all sources, and bytes of all sources. null: unknown. */
  readonly bytes: number;
  readonly totalBytes: number | null;
}

/** Smaller sources are processed in the main thread, since threads take longer to start. */
const MIN_BYTES_FOR_WORKERS = 1024 * 1024;

/**
 * Imports files, folders and standard input (`-`) in this order. Throws a UsageError, before anything is imported, if a
 * source does not exist or no source can be read.
 */
export async function importSources(
  sources: readonly string[],
  deps: ImportDeps,
  options: ImportOptions,
): Promise<ImportReport> {
  await using spool = new Spool();
  const contents = await findContents(sources, deps.input, spool);
  await using run = new ImportRun(deps, options, contents);
  return await run.all();
}

class ImportRun {
  readonly #deps: ImportDeps;
  readonly #options: ImportOptions;
  readonly #contents: readonly Content[];
  readonly #totalBytes: number | null;
  readonly #pool: WorkerPool<PackedResult>;
  /** See MIN_BYTES_FOR_WORKERS. */
  readonly #isSmall: boolean;
  readonly #rejects: RejectsFile;
  readonly #counts = new Counts();
  readonly #batcher: Batcher;
  /** The last content that was read, and the progress of all contents; null: nothing was read. */
  #reading: { readonly source: string; readonly bytes: number } | null = null;
  readonly #started = performance.now();

  constructor(deps: ImportDeps, options: ImportOptions, contents: readonly Content[]) {
    this.#deps = deps;
    this.#options = options;
    this.#contents = contents;
    this.#totalBytes = sizeOf(contents);
    this.#isSmall = this.#totalBytes !== null && this.#totalBytes < MIN_BYTES_FOR_WORKERS;
    const { kind, community = null, columns, where, workers, quietBytes } = options;
    this.#batcher = new Batcher(deps, this.#counts, quietBytes);
    const work = { kind, permalinkBase: deps.permalinkBase, community, columns, where: where?.query ?? null };
    this.#pool = new WorkerPool(this.#isSmall ? 0 : workers, importWork(work));
    this.#rejects = new RejectsFile(deps.rejectsFolder);
  }

  async all(): Promise<ImportReport> {
    // Workers start while sources are examined, and writers while the first batch is read.
    this.#pool.start();
    if (!this.#isSmall) this.#deps.engine.expectBatches?.();
    const unread = await lookAtAll(this.#contents, this.#options);
    const sources = await readAll(this.#contents, unread, {
      isStopped: () => this.#isStopped(),
      one: (content, bytesBefore) => this.#one(content, bytesBefore),
    });
    await this.#batcher.commit();
    this.#tellProgress();
    return {
      ...this.#counts,
      ...paceOf(this.#counts.read, this.#started),
      rejects_file: this.#rejects.path,
      sources,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#rejects[Symbol.dispose]();
    await Promise.all([this.#batcher[Symbol.asyncDispose](), this.#pool[Symbol.asyncDispose]()]);
  }

  async #one(content: Content, bytesBefore: number): Promise<SourceReport> {
    const { kind, community, columns, where, restart } = this.#options;
    const one = new ContentImport(content, {
      stores: this.#deps,
      batcher: this.#batcher,
      pool: this.#pool,
      rejects: this.#rejects,
      kind: kind ?? 'both',
      naming: { community: community ?? null, columns },
      where: where?.text ?? null,
      restart,
      isStopped: () => this.#isStopped(),
      onProgress: (bytesRead, isChecking) => {
        const source = isChecking ? `checking ${content.name}` : content.name;
        this.#reading = { source, bytes: bytesBefore + bytesRead };
        this.#tellProgress();
      },
    });
    try {
      return await one.run();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#batcher.drop();
      return lateRefusal(content, this.#contents, error);
    }
  }

  /** The fate of the last batches is known once they are committed, some time after they were read. */
  #tellProgress(): void {
    if (this.#reading === null) return;
    this.#options.onProgress?.({
      ...this.#reading,
      read: this.#counts.read,
      removed: this.#counts.skipped.removed ?? 0,
      passedOver: this.#counts.skipped.where ?? 0,
      totalBytes: this.#totalBytes,
    });
  }

  #isStopped(): boolean {
    return this.#options.signal?.aborted === true;
  }
}
