// An import: contents → blocks → workers → batches → engine and catalogue, with a report. A bad source never ends the
// import: faults are counted and reported.

import type { PublishedFile, SourceFacts, SourceKind } from '../model/coverage.ts';
import type { SearchEngine } from '../model/engine.ts';
import type { Kind } from '../model/record.ts';
import { unixNow } from '../model/time.ts';
import { spanOf, type TimeSpan } from '../model/timeline.ts';
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
import { FROM_THE_START, readResumption, resumePlace } from './resume.ts';
import type { Where } from './selection/selection.ts';
import type { Content, OpenContent } from './sources/file.ts';
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
  /** Records of all sources so far. */
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
  const started = performance.now();
  const totalBytes = sizeOf(contents);
  const isSmall = totalBytes !== null && totalBytes < MIN_BYTES_FOR_WORKERS;
  const { engine, permalinkBase, rejectsFolder } = deps;
  const counts = new Counts();
  const { kind, community = null, columns, where, workers, quietBytes, signal, onProgress } = options;
  const work = { kind, permalinkBase, community, columns, where: where?.query ?? null };
  await using batcher = new Batcher(deps, counts, quietBytes);
  await using pool = new WorkerPool<PackedResult>(isSmall ? 0 : workers, importWork(work));
  using rejects = new RejectsFile(rejectsFolder);
  // Workers start while sources are examined, and writers while the first batch is read.
  pool.start();
  if (!isSmall) engine.expectBatches?.();
  const unread = await lookAtAll(contents, options);
  /** The last content that was read, and the progress of all contents; null: nothing was read. */
  let last: { readonly source: string; readonly bytes: number } | null = null;
  const tellProgress = () => {
    if (last === null) return;
    const { removed = 0, where: passedOver = 0 } = counts.skipped;
    onProgress?.({ ...last, read: counts.read, removed, passedOver, totalBytes });
  };
  const reports = await readAll(contents, unread, {
    digests: true,
    isStopped: () => signal?.aborted === true,
    tell: (source, bytes) => {
      last = { source, bytes };
      tellProgress();
    },
    one: (content, reading) => importContent(content, { engine, batcher, pool, rejects, options }, reading),
  });
  await batcher.commit();
  // The fate of the last batches is known only now.
  tellProgress();
  return { ...counts, ...paceOf(counts.read, started), rejects_file: rejects.path, sources: reports };
}

interface ImportContext {
  readonly engine: SearchEngine;
  readonly batcher: Batcher;
  readonly pool: WorkerPool<PackedResult>;
  readonly rejects: RejectsFile;
  readonly options: ImportOptions;
}

/** A content that unpacks to this much without one object that could be a record is not read on. */
const MAX_BYTES_WITHOUT_RECORD = 1024 * 1024 * 1024;

/** Throws a UsageError if the format is unknown. The last records may still wait for a commit. */
async function importContent(
  content: Content,
  { engine, batcher, pool, rejects, options }: ImportContext,
  reading: Reading,
): Promise<SourceReport> {
  const { isStopped, onProgress } = reading;
  // Both grow while the import runs, and until its last batch is committed.
  const counts = new Counts();
  const sourceNotes = new SourceNotes();
  const started = unixNow();
  // Standard input may pause for any time, so the sources before it are committed first.
  if (content.size === null) await batcher.commit();
  const identity = await content.identity();
  const name = identity === null ? null : nameOf(identity, options);
  const where = options.where?.text ?? null;
  // If an import has the same content twice, its progress must be correct at the end of the first.
  if (name !== null && !options.restart) await batcher.settle(name);
  const { covered, isOfOther } =
    name === null || options.restart ? FROM_THE_START : await readResumption(engine, name, where);
  const from = resumePlace(covered);
  const source = { name, where, covered, hasCheckpoint: false, counts, isShared: false, arrivals: {} };
  batcher.begin(source);
  let published: OpenContent['published'] | undefined;
  const { state, notes: ofReading } = await readThrough(content, reading, async (opened) => {
    published = opened.published;
    // An earlier run has read part of the content, so it is known to hold records.
    const bytes = from.offset > 0 ? opened.bytes : new HeadedBytes(guarded(opened.bytes, counts));
    const { format, blocks } = await readBlocks(bytes, options, from);
    if (format !== 'empty') sourceNotes.begin(format, opened.containers);
    for await (const result of inOrder(blocks, (block) => pool.run(block), isStopped)) {
      sourceNotes.add(result);
      rejects.add(content.name, result.rejects);
      await batcher.add(result);
      onProgress(opened.bytesRead(), false);
    }
  }).catch((error) => {
    batcher.drop();
    throw error;
  });
  const notes = isOfOther ? [begunAgain(where), ...ofReading] : ofReading;
  // A stopped source is not described: the run that resumes it reads all of it.
  const facts = sourceNotes.facts(content.fileName, (!isStopped() && (await published?.(isStopped))) || null);
  const finished = state === 'stopped' ? null : unixNow();
  const own = { file: content.name, checksum: identity ?? '', where, started, finished };
  const entry = () => ({
    ...{ ...own, ...facts, counts: knownCounts(source) },
    arrivals: { ...source.arrivals },
  });
  // A broken source is not resumed: an intact one of the same size may replace it.
  if (state === 'stopped') await batcher.breakOff(entry);
  else batcher.end(entry);
  const { read, rejected } = counts;
  return {
    ...{ name: content.name, source: content.source, read, rejected, state },
    ...{ resumed_behind_line: from.line, notes },
  };
}

function nameOf(identity: string, { kind, community, columns = new Map() }: ImportOptions): string {
  const named = [...columns].map(([name, field]) => `${field}=${name}`);
  return [identity, kind ?? 'both', ...(community ? [community] : []), ...named].join(' ');
}

/** A small file may unpack to anything: reading ends after MAX_BYTES_WITHOUT_RECORD without a record. */
async function* guarded(bytes: AsyncIterable<Buffer>, counts: Counts): AsyncGenerator<Buffer> {
  const goodRecords = () => counts.read - totalOf(counts.rejected);
  let good = goodRecords();
  let bytesWithout = 0;
  for await (const chunk of bytes) {
    if (goodRecords() > good) bytesWithout = 0;
    good = goodRecords();
    bytesWithout += chunk.length;
    if (bytesWithout > MAX_BYTES_WITHOUT_RECORD) {
      throw new BrokenSource('1 GiB without a single record: the rest is not read');
    }
    yield chunk;
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

const FORMAT_NAMES = { lines: 'ndjson', values: 'json', csv: 'csv' };
const ENDINGS = { zstd: '.zst', gzip: '.gz', bzip2: '.bz2', xz: '.xz', zip: '.zip', plain: '' };

class SourceNotes {
  #format: string | null = null;
  #span: TimeSpan | null = null;
  readonly #kinds = new Set<SourceKind>();

  /** `containers`: the outermost first. */
  begin(format: keyof typeof FORMAT_NAMES, containers: readonly Container[]): void {
    const endings = containers.map((container) => ENDINGS[container]).toReversed();
    this.#format = FORMAT_NAMES[format] + endings.join('');
  }

  add({ posts, comments, communities, span }: PackedResult): void {
    if (posts.count > 0) this.#kinds.add('posts');
    if (comments.count > 0) this.#kinds.add('comments');
    if (communities.length > 0) this.#kinds.add('communities');
    this.#span = spanOf([this.#span, span].filter((one) => one !== null));
  }

  facts(name: string, published: PublishedFile | null): SourceFacts {
    const { sha256 = null, bytes = null } = published ?? {};
    const { first = null, last = null } = this.#span ?? {};
    return { name, sha256, bytes, format: this.#format, kind: this.#kind(), first, last };
  }

  #kind(): SourceKind | null {
    if (this.#kinds.has('posts') && this.#kinds.has('comments')) return 'both';
    return (['posts', 'comments', 'communities'] as const).find((kind) => this.#kinds.has(kind)) ?? null;
  }
}
