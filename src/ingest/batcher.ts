// Collects records and commits them in batches. A batch may have the records of many small sources. While one is
// committed, the next is collected.

import { addClaim, type CommunityClaim } from '../model/community.ts';
import type { ImportEntry } from '../model/coverage.ts';
import { type Kind, NO_RECORDS, type RecordBatch } from '../model/record.ts';
import {
  type Batch,
  type BatchSource,
  commitBatch,
  type Part,
  type Progress,
  type Stores,
} from './batch-commit.ts';
import { type SourcePosition, START } from './formats/block.ts';
import type { Counts } from './report.ts';
import { checkpointOf, readableKind, resumePlace } from './resume.ts';
import type { PackedResult } from './work.ts';

/**
 * Records, or bytes of source, at which a batch is committed, unless the engine asks for larger ones. Smaller batches
 * cost the embedded index more CPU for each record (10,000: a third more, merges included), larger ones gain nothing
 * (40,000). A batch is in memory three times while it is committed.
 */
export const BATCH_RECORDS = 20_000;
const BATCH_BYTES = 20 * 1024 * 1024;
/** If `where` matches few records, a batch is committed after this many bytes: a few seconds of work. */
const QUIET_BYTES = 1024 * 1024 * 1024;

/** The next call that waits throws the error of a commit. Disposing waits for the last commit. */
export class Batcher implements AsyncDisposable {
  readonly #stores: Stores;
  readonly #counts: Counts;
  readonly #quietBytes: number;
  #current: Progress | null = null;
  /** The place after what was added of the current source. */
  #place: SourcePosition = START;
  /** Sources that were read to the end; some of their records may still be in the batch. */
  #ended: Batch['ended'][number][] = [];
  #records: Record<Kind, Part[]> = { post: [], comment: [] };
  #communities: CommunityClaim[] = [];
  #claims = new Map<string, CommunityClaim>();
  #bytes = 0;
  /** Bytes of the current source since the last commit that did not match. */
  #passedBytes = 0;
  /** The current commit. Commits follow the order of the batches. */
  #committing: Promise<void> = Promise.resolve();

  constructor(stores: Stores, counts: Counts, quietBytes = QUIET_BYTES) {
    this.#stores = stores;
    this.#counts = counts;
    this.#quietBytes = quietBytes;
  }

  begin(source: BatchSource): void {
    this.#current = { source, covered: source.covered, hasCheckpoint: new Set() };
    this.#place = START;
    this.#passedBytes = 0;
  }

  /**
   * Takes blocks in the order of the source. Begins a commit when the batch is full, after the one before it: at most
   * two batches are in memory.
   */
  async add(result: PackedResult): Promise<void> {
    const current = this.#expectCurrent();
    this.#place = result.end;
    const { read, cut, skipped, rejected, communities } = result;
    this.#count(current.source, { read, cut, communities: communities.length, skipped, rejected });
    for (const claim of result.claims) addClaim(this.#claims, claim);
    for (const community of communities) this.#communities.push(community);
    this.#take('post', current, result.posts);
    this.#take('comment', current, result.comments);
    this.#bytes += result.bytes;
    this.#passedBytes += result.passedBytes;
    const records = this.#recordsOf('post') + this.#recordsOf('comment') + this.#communities.length;
    const most = this.#stores.engine.batchRecords?.() ?? BATCH_RECORDS;
    const mostBytes = BATCH_BYTES * Math.max(1, most / BATCH_RECORDS);
    if (records >= most || this.#bytes >= mostBytes) await this.#beginCommit();
    if (this.#passedBytes >= this.#quietBytes) await this.#commitWithPlace();
  }

  /** Ends the source: its last records are in the next batch. Then it is logged, and its next import starts over. */
  end(entry: () => ImportEntry): void {
    this.#ended.push({ progress: this.#expectCurrent(), entry });
    this.#current = null;
  }

  /** Breaks the source off: everything is committed, and its next import resumes here. */
  async breakOff(entry: () => ImportEntry): Promise<void> {
    if (this.#passedBytes > 0) await this.#commitWithPlace();
    else await this.commit();
    this.#stores.catalogue.addImports([entry()]);
    this.#current = null;
  }

  /** Drops a source that had no records. */
  drop(): void {
    this.#current = null;
  }

  /** Resolves when the stored progress of a source with this name is correct, even if one has just ended. */
  async settle(name: string): Promise<void> {
    await this.#committing;
    const isEnding = this.#ended.some(
      ({ progress: { source, hasCheckpoint } }) => source.name === name && hasCheckpoint.size > 0,
    );
    if (isEnding) await this.commit();
  }

  /** Commits the batch. When it resolves, the progress of the import is stored. */
  async commit(): Promise<void> {
    await this.#beginCommit();
    await this.#committing;
  }

  /** Resolves when no commit is under way, even after a failure. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#committing.catch(() => undefined);
  }

  async #beginCommit(): Promise<void> {
    await this.#committing;
    const committing = commitBatch(this.#taken(), this.#stores, this.#counts);
    // The next call that waits throws the error.
    committing.catch(() => undefined);
    this.#committing = committing;
  }

  /** Takes the collected batch, which is empty afterwards. */
  #taken(): Batch {
    const batch = {
      records: this.#records,
      communities: this.#communities,
      claims: [...this.#claims.values()],
      current: this.#current && { progress: this.#current, place: this.#place },
      ended: this.#ended,
    };
    this.#records = { post: [], comment: [] };
    this.#communities = [];
    this.#claims.clear();
    this.#ended = [];
    this.#bytes = 0;
    return batch;
  }

  /** Also without records since the last commit, so that the progress is stored. */
  async #commitWithPlace(): Promise<void> {
    await this.commit();
    this.#passedBytes = 0;
    const { engine } = this.#stores;
    const current = this.#expectCurrent();
    const { name, where } = current.source;
    if (name === null || this.#place.offset <= resumePlace(current.covered).offset) return;
    const kind = await readableKind(engine, name);
    if (kind === null) return;
    const all = { post: this.#place, comment: this.#place };
    await engine.index(kind, NO_RECORDS, checkpointOf(name, all, where));
    current.hasCheckpoint.add(kind);
    current.covered = all;
  }

  #expectCurrent(): Progress {
    if (this.#current === null) throw new Error('a block came before its source began');
    return this.#current;
  }

  #recordsOf(kind: Kind): number {
    return this.#records[kind].reduce((sum, { records }) => sum + records.count, 0);
  }

  /** Records that an earlier run committed are counted and left out. */
  #take(kind: Kind, { source, covered }: Progress, records: RecordBatch): void {
    if (this.#place.offset <= covered[kind].offset) this.#count(source, { unchanged: records.count });
    else if (records.count > 0) this.#records[kind].push({ source, records });
  }

  #count(source: BatchSource, counts: Partial<Counts>): void {
    source.counts.add(counts);
    this.#counts.add(counts);
  }
}
