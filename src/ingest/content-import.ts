// The import of one content: blocks → workers → batches, from where an earlier import was broken off.

import { UsageError } from '../errors.ts';
import { Batcher, type Stores } from './batcher.ts';
import { BrokenSource } from './containers/broken.ts';
import { HeadedBytes } from './containers/head.ts';
import type { Block } from './formats/block.ts';
import { readBlocks } from './formats/read.ts';
import type { WorkerPool } from './pool.ts';
import { totalOf } from './reasons.ts';
import type { RejectsFile } from './rejects-file.ts';
import { Counts, type SourceReport } from './report.ts';
import { type Covered, NOTHING_COVERED, readCovered, resumePlace } from './resume.ts';
import type { Content, OpenContent } from './sources/content.ts';
import type { PackedResult } from './work.ts';

export interface ContentContext {
  readonly stores: Stores;
  readonly pool: WorkerPool;
  readonly rejects: RejectsFile;
  /** What it is taken for, as part of the name under which its progress is kept. */
  readonly kind: string;
  /** Of records that name none; it is part of that name too. */
  readonly community: string | null;
  readonly restart: boolean;
  readonly batchRecords: number | undefined;
  readonly isStopped: () => boolean;
  /** Called for every block. */
  readonly onProgress: (counts: Counts, bytesRead: number) => void;
}

/** Blocks on their way through the workers: enough to keep them at work while a batch is committed. */
const BLOCKS_IN_FLIGHT = 4;
/** A content that unpacks to this much without one object that could be a record is not read on. */
const MAX_BYTES_WITHOUT_RECORD = 1024 * 1024 * 1024;

/** Imports once. */
export class ContentImport {
  readonly #content: Content;
  readonly #context: ContentContext;
  /** Grow while the import runs. */
  readonly counts = new Counts();
  #opened: OpenContent | null = null;

  constructor(content: Content, context: ContentContext) {
    this.#content = content;
    this.#context = context;
  }

  /** Throws a UsageError where the content is nothing that is read. */
  async run(): Promise<SourceReport> {
    const started = now();
    const { stores, batchRecords } = this.#context;
    const identity = await this.#content.identity();
    const source = identity === null ? null : this.#nameOf(identity);
    const covered = await this.#covered(source);
    const batcher = new Batcher(stores, source, covered, this.counts, batchRecords);
    const { state, notes } = await this.#readThrough(covered, batcher);
    if (state === 'whole') await batcher.finish();
    else await batcher.commit();
    const { name } = this.#content;
    const finished = state === 'stopped' ? null : now();
    stores.catalogue.addImport({
      file: name,
      checksum: identity ?? '',
      counts: { ...this.counts },
      started,
      finished,
    });
    return { name, read: this.counts.read, state, resumed_behind_line: resumePlace(covered).line, notes };
  }

  /** The name under which progress is kept. */
  #nameOf(identity: string): string {
    const { kind, community } = this.#context;
    return community === null ? `${identity} ${kind}` : `${identity} ${kind} ${community}`;
  }

  async #covered(source: string | null): Promise<Covered> {
    if (source === null || this.#context.restart) return NOTHING_COVERED;
    return readCovered(this.#context.stores.engine, source);
  }

  /** What a broken source gave is kept, and how it broke becomes a note. */
  async #readThrough(covered: Covered, batcher: Batcher): Promise<Pick<SourceReport, 'state' | 'notes'>> {
    try {
      this.#opened = await this.#content.open();
      await this.#read(this.#opened, covered, batcher);
      return { state: this.#context.isStopped() ? 'stopped' : 'whole', notes: this.#opened.notes };
    } catch (error) {
      if (error instanceof UsageError) throw inSource(this.#content, error);
      if (!(error instanceof BrokenSource)) throw error;
      if (this.#context.isStopped()) return { state: 'stopped', notes: this.#opened?.notes ?? [] };
      return { state: 'broken', notes: [...(this.#opened?.notes ?? []), error.message] };
    } finally {
      await this.#opened?.bytes.close();
    }
  }

  async #read(opened: OpenContent, covered: Covered, batcher: Batcher): Promise<void> {
    const from = resumePlace(covered);
    // A content that an earlier run has read a part of has shown that it holds records.
    const bytes = from.offset > 0 ? opened.bytes : new HeadedBytes(this.#guarded(opened.bytes));
    const blocks = await readBlocks(bytes, this.#context.community !== null, from);
    for await (const result of this.#inOrder(blocks)) {
      this.#context.rejects.add(this.#content.name, result.rejects);
      await batcher.add(result);
      this.#context.onProgress(this.counts, opened.bytesRead());
    }
  }

  /** A small file may unpack to anything: reading ends where no record has come for MAX_BYTES_WITHOUT_RECORD. */
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
    return this.counts.read - totalOf(this.counts.rejected);
  }

  /** Results in the order of the blocks. An error of the reader comes behind the results of what it read. */
  async *#inOrder(blocks: AsyncIterable<Block>): AsyncGenerator<PackedResult> {
    const queue: Promise<PackedResult>[] = [];
    let failure: unknown = null;
    try {
      for await (const block of blocks) {
        const working = this.#context.pool.run(block);
        working.catch(() => undefined);
        queue.push(working);
        if (queue.length >= BLOCKS_IN_FLIGHT) yield await queue.shift()!;
        if (this.#context.isStopped()) break;
      }
    } catch (error) {
      failure = error;
    }
    for (const working of queue) yield await working;
    if (failure !== null) throw failure;
  }
}

/** The error with the name of the source in front. */
export function inSource(content: Content, error: UsageError): UsageError {
  return new UsageError(`\`${content.name}\`: ${error.message}`, { cause: error });
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
