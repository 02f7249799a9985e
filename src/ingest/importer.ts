// An import: contents → blocks → workers → batches → engine and catalogue, with a report. Nothing in a source makes it
// fail as a whole but a source that is nothing an import reads; what is wrong is counted and told.

import { UsageError } from '../errors.ts';
import type { Kind } from '../model/record.ts';
import type { Stores } from './batcher.ts';
import { BrokenSource } from './containers/broken.ts';
import { ContentImport, inSource } from './content-import.ts';
import { readBlocks } from './formats/read.ts';
import { WorkerPool } from './pool.ts';
import { RejectsFile } from './rejects-file.ts';
import { Counts, type ImportReport, type SourceReport } from './report.ts';
import type { Content } from './sources/content.ts';
import { findContents } from './sources/find.ts';
import { Spool } from './sources/spool.ts';

export interface ImportDeps extends Stores {
  /** Comes before relative addresses of links; no slash at its end. */
  readonly permalinkBase: string;
  /** Where lists of rejected lines go. */
  readonly rejectsFolder: string;
  /** What `-` stands for. */
  readonly input: AsyncIterable<Buffer>;
}

export interface ImportOptions {
  /** Everything is taken for this kind (`community`: nothing else is taken); null: by content. */
  readonly kind: Kind | 'community' | null;
  /** The community of records that name none; absent or null: they are rejected. */
  readonly community?: string | null;
  /** Do not go on where an earlier import of the same source was broken off. */
  readonly restart: boolean;
  /** Worker threads for all but small imports; 0: none. */
  readonly workers: number;
  /** Records after which a batch is committed; absent: as measured to be good. */
  readonly batchRecords?: number;
  /** Aborted: what was read is committed, and the import ends. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly source: string;
  /** Objects read in the whole import so far. */
  readonly read: number;
  /** Records left out because they are on the list of removals. */
  readonly removed: number;
  /** Bytes on disk: of all sources in front of this one and of this one so far; of all. null: not known. */
  readonly bytes: number;
  readonly totalBytes: number | null;
}

/** Sources of fewer bytes on disk are worked on in the main thread: workers take longer to start than that. */
const MIN_BYTES_FOR_WORKERS = 1024 * 1024;

/** Imports files, folders and standard input (`-`), in this order. Throws a UsageError for a source that is not read. */
export async function importSources(
  sources: readonly string[],
  deps: ImportDeps,
  options: ImportOptions,
): Promise<ImportReport> {
  await using spool = new Spool();
  const contents = await findContents(sources, deps.input, spool);
  const run = new ImportRun(deps, options, contents);
  await using _ = run;
  return await run.all();
}

class ImportRun {
  readonly #deps: ImportDeps;
  readonly #options: ImportOptions;
  readonly #contents: readonly Content[];
  readonly #totalBytes: number | null;
  readonly #pool: WorkerPool;
  readonly #rejects: RejectsFile;
  /** Of the contents that are through. */
  readonly #counts = new Counts();
  #bytesBefore = 0;
  readonly #started = performance.now();

  constructor(deps: ImportDeps, options: ImportOptions, contents: readonly Content[]) {
    this.#deps = deps;
    this.#options = options;
    this.#contents = contents;
    this.#totalBytes = sumOf(contents.map(({ size }) => size));
    const isSmall = this.#totalBytes !== null && this.#totalBytes < MIN_BYTES_FOR_WORKERS;
    const { kind, community = null, workers } = options;
    const { permalinkBase } = deps;
    this.#pool = new WorkerPool(isSmall ? 0 : workers, { kind, permalinkBase, community });
    this.#rejects = new RejectsFile(deps.rejectsFolder);
  }

  async all(): Promise<ImportReport> {
    const passedOver = await this.#lookAtAll();
    const sources: SourceReport[] = [];
    for (const content of this.#contents) {
      const note = passedOver.get(content);
      if (note !== undefined) sources.push(unread(content, 'passed_over', [note]));
      else if (this.#isStopped()) sources.push(unread(content, 'stopped', []));
      else sources.push(await this.#one(content));
      this.#bytesBefore += content.size ?? 0;
    }
    return this.#report(sources);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#rejects[Symbol.dispose]();
    await this.#pool[Symbol.asyncDispose]();
  }

  /** Before anything is taken in: is each content one that is read? Those found in a folder may be passed over. */
  async #lookAtAll(): Promise<Map<Content, string>> {
    const passedOver = new Map<Content, string>();
    for (const content of this.#contents) {
      const error = await lookAt(content, (this.#options.community ?? null) !== null);
      if (error === null) continue;
      if (content.isNamed) throw inSource(content, error);
      passedOver.set(content, error.message);
    }
    const [reason] = passedOver.values();
    if (this.#contents.length === 0) throw new UsageError('expected files to import, found none');
    if (passedOver.size === this.#contents.length) throw new UsageError(`nothing to import: ${reason}`);
    return passedOver;
  }

  async #one(content: Content): Promise<SourceReport> {
    const { kind, community = null, restart, batchRecords } = this.#options;
    const one = new ContentImport(content, {
      stores: this.#deps,
      pool: this.#pool,
      rejects: this.#rejects,
      kind: kind ?? 'both',
      community,
      restart,
      batchRecords,
      isStopped: () => this.#isStopped(),
      onProgress: ({ read, skipped }, bytesRead) =>
        this.#options.onProgress?.({
          source: content.name,
          read: this.#counts.read + read,
          removed: (this.#counts.skipped.removed ?? 0) + (skipped.removed ?? 0),
          bytes: this.#bytesBefore + bytesRead,
          totalBytes: this.#totalBytes,
        }),
    });
    const report = await one.run();
    this.#counts.add(one.counts);
    return report;
  }

  #isStopped(): boolean {
    return this.#options.signal?.aborted === true;
  }

  #report(sources: readonly SourceReport[]): ImportReport {
    const seconds = (performance.now() - this.#started) / 1000;
    const { read, added, replaced, unchanged, skipped, rejected, communities, cut } = this.#counts;
    return {
      read,
      added,
      replaced,
      unchanged,
      skipped,
      rejected,
      communities,
      cut,
      seconds: Math.round(seconds * 1000) / 1000,
      records_per_second: Math.round(read / Math.max(seconds, 0.001)),
      rejects_file: this.#rejects.path,
      sources,
    };
  }
}

/** Why the content is nothing that is read; null where it is read. Standard input can be looked at only once. */
async function lookAt(content: Content, namesCommunity: boolean): Promise<UsageError | null> {
  if (content.size === null) return null;
  try {
    const opened = await content.open();
    try {
      await readBlocks(opened.bytes, namesCommunity);
      return null;
    } finally {
      await opened.bytes.close();
    }
  } catch (error) {
    // A broken source is told of when it is its turn.
    if (error instanceof BrokenSource) return null;
    if (error instanceof UsageError) return error;
    throw error;
  }
}

function unread(content: Content, state: SourceReport['state'], notes: readonly string[]): SourceReport {
  return { name: content.name, read: 0, state, resumed_behind_line: 0, notes };
}

/** null where one of them is not known. */
function sumOf(sizes: readonly (number | null)[]): number | null {
  return sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
}
