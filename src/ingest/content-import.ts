// Imports one content: blocks → workers → batches, from the place where an earlier import stopped.

import type { PublishedFile } from '../model/coverage.ts';
import type { BatchSource, Stores } from './batch-commit.ts';
import type { Batcher } from './batcher.ts';
import { BrokenSource, HeadedBytes } from './containers/byte-source.ts';
import { readBlocks } from './formats/read.ts';
import { readThrough } from './looking.ts';
import type { Naming } from './normalise/field-names.ts';
import { totalOf } from './normalise/outcome.ts';
import { inOrder, type WorkerPool } from './pool.ts';
import type { RejectsFile } from './rejects-file.ts';
import { Counts, type SourceReport } from './report.ts';
import { type Covered, FROM_THE_START, type Resumption, readResumption, resumePlace } from './resume.ts';
import { SourceNotes } from './source-notes.ts';
import type { Content, OpenContent } from './sources/file.ts';
import type { PackedResult } from './work.ts';

interface ContentContext {
  readonly stores: Stores;
  readonly batcher: Batcher;
  readonly pool: WorkerPool<PackedResult>;
  readonly rejects: RejectsFile;
  readonly kind: string;
  readonly naming: Naming;
  /** The query of `--where` in canonical form; null: everything is imported. */
  readonly where: string | null;
  readonly restart: boolean;
  readonly isStopped: () => boolean;
  readonly onProgress: (bytesRead: number, isChecking: boolean) => void;
}

/** A content that unpacks to this much without one object that could be a record is not read on. */
const MAX_BYTES_WITHOUT_RECORD = 1024 * 1024 * 1024;

export class ContentImport {
  readonly #content: Content;
  readonly #context: ContentContext;
  /** Grow while the import runs, and until its last batch is committed. */
  readonly #counts = new Counts();
  readonly #notes = new SourceNotes();
  #opened: OpenContent | null = null;

  constructor(content: Content, context: ContentContext) {
    this.#content = content;
    this.#context = context;
  }

  /** Throws a UsageError if the format is unknown. The last records may still wait for a commit. */
  async run(): Promise<SourceReport> {
    const started = now();
    const { batcher } = this.#context;
    // Standard input may pause for any time, so the sources before it are committed first.
    if (this.#content.size === null) await batcher.commit();
    const identity = await this.#content.identity();
    const name = identity === null ? null : this.#nameOf(identity);
    const { where } = this.#context;
    const { covered, isOfOther } = await this.#resumption(name);
    const source = { name, where, covered, counts: this.#counts, isShared: false, arrivals: {} };
    batcher.begin(source);
    const { isStopped, onProgress } = this.#context;
    const reading = { digests: true, isStopped, onProgress };
    const { state, notes: ofReading } = await readThrough(this.#content, reading, (opened) => {
      this.#opened = opened;
      return this.#read(opened, covered);
    });
    const notes = isOfOther ? [begunAgain(where), ...ofReading] : ofReading;
    const published = await this.#published();
    const finished = state === 'stopped' ? null : now();
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
    const { kind, naming } = this.#context;
    const columns = [...(naming.columns ?? [])].map(([name, field]) => `${field}=${name}`);
    return [identity, kind, ...(naming.community ? [naming.community] : []), ...columns].join(' ');
  }

  async #resumption(name: string | null): Promise<Resumption> {
    if (name === null || this.#context.restart) return FROM_THE_START;
    // If an import has the same content twice, its progress must be correct at the end of the first.
    await this.#context.batcher.settle(name);
    return readResumption(this.#context.stores.engine, name, this.#context.where);
  }

  /** A stopped source is not described: the run that resumes it reads all of it. */
  async #published(): Promise<PublishedFile | null> {
    const { isStopped } = this.#context;
    return isStopped() ? null : ((await this.#opened?.published(isStopped)) ?? null);
  }

  async #read(opened: OpenContent, covered: Covered): Promise<void> {
    const from = resumePlace(covered);
    // An earlier run has read part of the content, so it is known to hold records.
    const bytes = from.offset > 0 ? opened.bytes : new HeadedBytes(this.#guarded(opened.bytes));
    const { format, blocks } = await readBlocks(bytes, this.#context.naming, from);
    if (format !== 'empty') this.#notes.begin(format, opened.containers);
    const { pool, isStopped } = this.#context;
    for await (const result of inOrder(blocks, (block) => pool.run(block), isStopped)) {
      this.#notes.add(result);
      this.#context.rejects.add(this.#content.name, result.rejects);
      await this.#context.batcher.add(result);
      this.#context.onProgress(opened.bytesRead(), false);
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

function now(): number {
  return Math.floor(Date.now() / 1000);
}
