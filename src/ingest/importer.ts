// An import: contents → blocks → workers → batches → engine and catalogue, with a report. A bad source never ends the
// import: faults are counted and reported.

import type { PublishedFile, SourceFacts, SourceKind } from '../model/coverage.ts';
import type { Kind } from '../model/record.ts';
import { unixNow } from '../model/time.ts';
import { Batcher, type BatchSource, type Stores } from './batcher.ts';
import { BrokenSource, HeadedBytes } from './containers/byte-source.ts';
import type { Container } from './containers/unpack.ts';
import { readBlocks } from './formats/read.ts';
import { lookAtAll, type Reading, readAll, readThrough, sizeOf } from './looking.ts';
import type { Naming } from './normalise/field-names.ts';
import { totalOf } from './normalise/outcome.ts';
import { type BlockWork, inOrder, WorkerPool } from './pool.ts';
import { RejectsFile } from './rejects-file.ts';
import { Counts, type ImportReport, paceOf, type SourceReport } from './report.ts';
import { type Covered, FROM_THE_START, type Resumption, readResumption, resumePlace } from './resume.ts';
import type { Where } from './selection/selection.ts';
import type { Content, OpenContent } from './sources/file.ts';
import { findContents } from './sources/find.ts';
import { Spool } from './sources/spool.ts';
import type { PackedResult, TimeSpan, WorkOptions } from './work.ts';

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

/** What the contents of an import have in common. */
interface ImportContext {
  readonly stores: Stores;
  readonly batcher: Batcher;
  readonly pool: WorkerPool<PackedResult>;
  readonly rejects: RejectsFile;
  readonly options: ImportOptions;
}

class ImportRun {
  readonly #context: ImportContext;
  readonly #contents: readonly Content[];
  readonly #totalBytes: number | null;
  /** See MIN_BYTES_FOR_WORKERS. */
  readonly #isSmall: boolean;
  readonly #counts = new Counts();
  /** The last content that was read, and the progress of all contents; null: nothing was read. */
  #reading: { readonly source: string; readonly bytes: number } | null = null;
  readonly #started = performance.now();

  constructor(stores: ImportDeps, options: ImportOptions, contents: readonly Content[]) {
    this.#contents = contents;
    this.#totalBytes = sizeOf(contents);
    this.#isSmall = this.#totalBytes !== null && this.#totalBytes < MIN_BYTES_FOR_WORKERS;
    const { kind, community = null, columns, where, workers, quietBytes } = options;
    const { permalinkBase, rejectsFolder } = stores;
    const work = importWork({ kind, permalinkBase, community, columns, where: where?.query ?? null });
    this.#context = {
      ...{ stores, options },
      batcher: new Batcher(stores, this.#counts, quietBytes),
      pool: new WorkerPool(this.#isSmall ? 0 : workers, work),
      rejects: new RejectsFile(rejectsFolder),
    };
  }

  async all(): Promise<ImportReport> {
    const { stores, batcher, pool, rejects, options } = this.#context;
    // Workers start while sources are examined, and writers while the first batch is read.
    pool.start();
    if (!this.#isSmall) stores.engine.expectBatches?.();
    const unread = await lookAtAll(this.#contents, options);
    const sources = await readAll(this.#contents, unread, {
      digests: true,
      isStopped: () => options.signal?.aborted === true,
      tell: (source, bytes) => {
        this.#reading = { source, bytes };
        this.#tellProgress();
      },
      one: (content, reading) => new ContentImport(content, this.#context, reading).run(),
    });
    await batcher.commit();
    this.#tellProgress();
    const pace = paceOf(this.#counts.read, this.#started);
    return { ...this.#counts, ...pace, rejects_file: rejects.path, sources };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { batcher, pool, rejects } = this.#context;
    rejects[Symbol.dispose]();
    await Promise.all([batcher[Symbol.asyncDispose](), pool[Symbol.asyncDispose]()]);
  }

  /** The fate of the last batches is known once they are committed, some time after they were read. */
  #tellProgress(): void {
    if (this.#reading === null) return;
    this.#context.options.onProgress?.({
      ...this.#reading,
      read: this.#counts.read,
      removed: this.#counts.skipped.removed ?? 0,
      passedOver: this.#counts.skipped.where ?? 0,
      totalBytes: this.#totalBytes,
    });
  }
}

// Imports one content: blocks → workers → batches, from the place where an earlier import stopped.

/** A content that unpacks to this much without one object that could be a record is not read on. */
const MAX_BYTES_WITHOUT_RECORD = 1024 * 1024 * 1024;

class ContentImport {
  readonly #content: Content;
  readonly #context: ImportContext;
  readonly #reading: Reading;
  /** The query of `--where` in canonical form; null: everything is imported. */
  readonly #where: string | null;
  /** Grow while the import runs, and until its last batch is committed. */
  readonly #counts = new Counts();
  readonly #notes = new SourceNotes();
  #opened: OpenContent | null = null;

  constructor(content: Content, context: ImportContext, reading: Reading) {
    this.#content = content;
    this.#context = context;
    this.#reading = reading;
    this.#where = context.options.where?.text ?? null;
  }

  /** Throws a UsageError if the format is unknown. The last records may still wait for a commit. */
  async run(): Promise<SourceReport> {
    const started = unixNow();
    const { batcher } = this.#context;
    // Standard input may pause for any time, so the sources before it are committed first.
    if (this.#content.size === null) await batcher.commit();
    const identity = await this.#content.identity();
    const name = identity === null ? null : this.#nameOf(identity);
    const where = this.#where;
    const { covered, isOfOther } = await this.#resumption(name);
    const source = { name, where, covered, counts: this.#counts, isShared: false, arrivals: {} };
    batcher.begin(source);
    const { state, notes: ofReading } = await readThrough(this.#content, this.#reading, (opened) => {
      this.#opened = opened;
      return this.#read(opened, covered);
    }).catch((error) => {
      batcher.drop();
      throw error;
    });
    const notes = isOfOther ? [begunAgain(where), ...ofReading] : ofReading;
    const published = await this.#published();
    const finished = state === 'stopped' ? null : unixNow();
    const { name: file, fileName } = this.#content;
    const own = { file, checksum: identity ?? '', where, started, finished };
    const facts = this.#notes.facts(fileName, published);
    const entry = () => ({
      ...{ ...own, ...facts, counts: knownCounts(source) },
      arrivals: { ...source.arrivals },
    });
    // A broken source is not resumed: an intact one of the same size may replace it.
    if (state === 'stopped') await batcher.breakOff(entry);
    else batcher.end(entry);
    const { read, rejected } = this.#counts;
    const resumed_behind_line = resumePlace(covered).line;
    return { name: file, source: this.#content.source, read, rejected, state, resumed_behind_line, notes };
  }

  #nameOf(identity: string): string {
    const { kind, community, columns = new Map() } = this.#context.options;
    const named = [...columns].map(([name, field]) => `${field}=${name}`);
    return [identity, kind ?? 'both', ...(community ? [community] : []), ...named].join(' ');
  }

  async #resumption(name: string | null): Promise<Resumption> {
    if (name === null || this.#context.options.restart) return FROM_THE_START;
    // If an import has the same content twice, its progress must be correct at the end of the first.
    await this.#context.batcher.settle(name);
    return readResumption(this.#context.stores.engine, name, this.#where);
  }

  /** A stopped source is not described: the run that resumes it reads all of it. */
  async #published(): Promise<PublishedFile | null> {
    const { isStopped } = this.#reading;
    return isStopped() ? null : ((await this.#opened?.published(isStopped)) ?? null);
  }

  async #read(opened: OpenContent, covered: Covered): Promise<void> {
    const from = resumePlace(covered);
    // An earlier run has read part of the content, so it is known to hold records.
    const bytes = from.offset > 0 ? opened.bytes : new HeadedBytes(this.#guarded(opened.bytes));
    const { format, blocks } = await readBlocks(bytes, this.#context.options, from);
    if (format !== 'empty') this.#notes.begin(format, opened.containers);
    const { pool, rejects, batcher } = this.#context;
    const { isStopped, onProgress } = this.#reading;
    for await (const result of inOrder(blocks, (block) => pool.run(block), isStopped)) {
      this.#notes.add(result);
      rejects.add(this.#content.name, result.rejects);
      await batcher.add(result);
      onProgress(opened.bytesRead(), false);
    }
  }

  /** A small file may unpack to anything: reading ends after MAX_BYTES_WITHOUT_RECORD without a record. */
  async *#guarded(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let good = this.#goodRecords();
    let bytesWithout = 0;
    for await (const chunk of bytes) {
      if (this.#goodRecords() > good) bytesWithout = 0;
      good = this.#goodRecords();
      bytesWithout += chunk.length;
      if (bytesWithout > MAX_BYTES_WITHOUT_RECORD) {
        throw new BrokenSource('1 GiB without a single record: the rest is not read');
      }
      yield chunk;
    }
  }

  #goodRecords(): number {
    return this.#counts.read - totalOf(this.#counts.rejected);
  }
}

/** The note for an import that cannot be resumed, because the interrupted one had another query. */
function begunAgain(where: string | null): string {
  const other = where === null ? 'with a `--where`' : 'with another `--where`, or without one,';
  return `an earlier import of it ${other} was interrupted: this one starts from the beginning`;
}

/** The counts for the log. They are absent if they are unknown, because a batch had other sources too. */
function knownCounts({ counts, isShared }: BatchSource): Readonly<Record<string, unknown>> {
  const { added, replaced, unchanged, ...own } = counts;
  return isShared ? own : { ...counts };
}

// The facts that an import records about a source, beside its counts: format, kind, first and last time.

const FORMAT_NAMES = { lines: 'ndjson', values: 'json', csv: 'csv' };
const ENDINGS = { zstd: '.zst', gzip: '.gz', bzip2: '.bz2', xz: '.xz', zip: '.zip', plain: '' };

/** Collects the facts while the source is read. */
class SourceNotes {
  #format: string | null = null;
  #span: TimeSpan | null = null;
  #hasPosts = false;
  #hasComments = false;
  #hasCommunities = false;

  /** `containers`: the outermost first. */
  begin(format: keyof typeof FORMAT_NAMES, containers: readonly Container[]): void {
    const endings = containers.map((container) => ENDINGS[container]).toReversed();
    this.#format = FORMAT_NAMES[format] + endings.join('');
  }

  add({ posts, comments, communities, span }: PackedResult): void {
    this.#hasPosts ||= posts.count > 0;
    this.#hasComments ||= comments.count > 0;
    this.#hasCommunities ||= communities.length > 0;
    if (span === null) return;
    const { first, last } = this.#span ?? span;
    this.#span = { first: Math.min(first, span.first), last: Math.max(last, span.last) };
  }

  facts(name: string, published: PublishedFile | null): SourceFacts {
    const { sha256 = null, bytes = null } = published ?? {};
    const { first = null, last = null } = this.#span ?? {};
    return { name, sha256, bytes, format: this.#format, kind: this.#kind(), first, last };
  }

  #kind(): SourceKind | null {
    if (this.#hasPosts && this.#hasComments) return 'both';
    if (this.#hasPosts) return 'posts';
    if (this.#hasComments) return 'comments';
    return this.#hasCommunities ? 'communities' : null;
  }
}
