// The import of one content: blocks → workers → batches, from where an earlier import was broken off.

import type { Batcher, BatchSource, Stores } from './batcher.ts';
import { BrokenSource } from './containers/broken.ts';
import { HeadedBytes } from './containers/head.ts';
import type { Block } from './formats/block.ts';
import { readBlocks } from './formats/read.ts';
import { totalOf } from './normalise/reasons.ts';
import type { WorkerPool } from './pool.ts';
import type { RejectsFile } from './rejects-file.ts';
import { Counts, type SourceReport } from './report.ts';
import { type Covered, NOTHING_COVERED, readCovered, resumePlace } from './resume.ts';
import type { Content, OpenContent } from './sources/content.ts';
import type { PackedResult } from './work.ts';

export interface ContentContext {
  readonly stores: Stores;
  readonly batcher: Batcher;
  readonly pool: WorkerPool;
  readonly rejects: RejectsFile;
  /** What it is taken for, as part of the name under which its progress is kept. */
  readonly kind: string;
  /** Of records that name none; it is part of that name too. */
  readonly community: string | null;
  readonly restart: boolean;
  readonly isStopped: () => boolean;
  /** Called for every block. */
  readonly onProgress: (bytesRead: number) => void;
}

/** Blocks on their way through the workers: enough to keep them at work while a batch is committed. */
const BLOCKS_IN_FLIGHT = 4;
/** A content that unpacks to this much without one object that could be a record is not read on. */
const MAX_BYTES_WITHOUT_RECORD = 1024 * 1024 * 1024;

/** Imports once. */
export class ContentImport {
  readonly #content: Content;
  readonly #context: ContentContext;
  /** Grow while the import runs, and until the last batch of it is committed. */
  readonly #counts = new Counts();
  #opened: OpenContent | null = null;

  constructor(content: Content, context: ContentContext) {
    this.#content = content;
    this.#context = context;
  }

  /** Throws a UsageError where the content is nothing that is read. The last records may still wait for a commit. */
  async run(): Promise<SourceReport> {
    const started = now();
    const { batcher } = this.#context;
    // Nobody knows when the next bytes come: what is in front of them is not kept waiting.
    if (this.#content.size === null) await batcher.commit();
    const identity = await this.#content.identity();
    const name = identity === null ? null : this.#nameOf(identity);
    const covered = await this.#covered(name);
    const source = { name, covered, counts: this.#counts, isShared: false };
    batcher.begin(source);
    const { state, notes } = await this.#readThrough(covered);
    const finished = state === 'stopped' ? null : now();
    const file = this.#content.name;
    const entry = () => ({ file, checksum: identity ?? '', counts: knownCounts(source), started, finished });
    if (state === 'whole') batcher.end(entry);
    else await batcher.breakOff(entry);
    const { read, rejected } = this.#counts;
    const resumed_behind_line = resumePlace(covered).line;
    return { name: file, source: this.#content.source, read, rejected, state, resumed_behind_line, notes };
  }

  /** The name under which progress is kept. */
  #nameOf(identity: string): string {
    const { kind, community } = this.#context;
    return community === null ? `${identity} ${kind}` : `${identity} ${kind} ${community}`;
  }

  async #covered(name: string | null): Promise<Covered> {
    if (name === null || this.#context.restart) return NOTHING_COVERED;
    // The same content once more in one import: what is said of its progress must be what is true at its end.
    if (this.#context.batcher.isEnding(name)) await this.#context.batcher.commit();
    return readCovered(this.#context.stores.engine, name);
  }

  /** What a broken source gave is kept, and how it broke becomes a note. */
  async #readThrough(covered: Covered): Promise<Pick<SourceReport, 'state' | 'notes'>> {
    try {
      this.#opened = await this.#content.open();
      await this.#read(this.#opened, covered);
      return { state: this.#context.isStopped() ? 'stopped' : 'whole', notes: this.#opened.notes };
    } catch (error) {
      if (!(error instanceof BrokenSource)) throw error;
      if (this.#context.isStopped()) return { state: 'stopped', notes: this.#opened?.notes ?? [] };
      return { state: 'broken', notes: [...(this.#opened?.notes ?? []), error.message] };
    } finally {
      await this.#opened?.bytes.close();
    }
  }

  async #read(opened: OpenContent, covered: Covered): Promise<void> {
    const from = resumePlace(covered);
    // A content that an earlier run has read a part of has shown that it holds records.
    const bytes = from.offset > 0 ? opened.bytes : new HeadedBytes(this.#guarded(opened.bytes));
    const blocks = await readBlocks(bytes, this.#context.community !== null, from);
    for await (const result of this.#inOrder(blocks)) {
      this.#context.rejects.add(this.#content.name, result.rejects);
      await this.#context.batcher.add(result);
      this.#context.onProgress(opened.bytesRead());
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
    return this.#counts.read - totalOf(this.#counts.rejected);
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

/** For the log: without what nobody can tell, where a batch held other sources too. */
function knownCounts({ counts, isShared }: BatchSource): Readonly<Record<string, unknown>> {
  const { added, replaced, unchanged, ...own } = counts;
  return isShared ? own : { ...counts };
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
