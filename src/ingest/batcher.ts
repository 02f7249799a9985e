// Collects records and commits them in batches. A batch may have the records of many small sources. While one is
// committed, the next is collected.

import { joinBatches } from '../engines/packing/packed-records.ts';
import { addClaim, type CommunityClaim } from '../model/community.ts';
import type { ArrivalSpan, ImportEntry } from '../model/coverage.ts';
import type { IndexReport, SearchEngine } from '../model/engine.ts';
import { IndexDamage } from '../model/engine-errors.ts';
import { KINDS, type Kind, NO_RECORDS, otherKind, type RecordBatch } from '../model/record.ts';
import { type SourcePosition, START } from './formats/block.ts';
import type { Counts } from './report.ts';
import { type Covered, checkpointOf, readableKind, resumePlace, stateOf } from './resume.ts';
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
  #current: BatchSource | null = null;
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
    this.#current = source;
    this.#place = START;
    this.#passedBytes = 0;
  }

  /**
   * Takes blocks in the order of the source. Begins a commit when the batch is full, after the one before it: at most
   * two batches are in memory.
   */
  async add(result: PackedResult): Promise<void> {
    const source = this.#expectCurrent();
    this.#place = result.end;
    const { read, cut, skipped, rejected, communities } = result;
    this.#count(source, { read, cut, communities: communities.length, skipped, rejected });
    for (const claim of result.claims) addClaim(this.#claims, claim);
    for (const community of communities) this.#communities.push(community);
    this.#take('post', source, result.posts);
    this.#take('comment', source, result.comments);
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
    this.#ended.push({ source: this.#expectCurrent(), entry });
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
    if (this.#ended.some(({ source }) => source.name === name && source.hasCheckpoint)) await this.commit();
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
      current: this.#current && { source: this.#current, place: this.#place },
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
    const source = this.#expectCurrent();
    const { name, where, covered } = source;
    if (name === null || this.#place.offset <= resumePlace(covered).offset) return;
    const kind = await readableKind(engine, name);
    if (kind === null) return;
    const all = { post: this.#place, comment: this.#place };
    await engine.index(kind, NO_RECORDS, checkpointOf(name, all, where));
    source.hasCheckpoint = true;
    source.covered = all;
  }

  #expectCurrent(): BatchSource {
    if (this.#current === null) throw new Error('a block came before its source began');
    return this.#current;
  }

  #recordsOf(kind: Kind): number {
    return this.#records[kind].reduce((sum, { records }) => sum + records.count, 0);
  }

  /** Records that an earlier run committed are counted and left out. */
  #take(kind: Kind, source: BatchSource, records: RecordBatch): void {
    if (this.#place.offset <= source.covered[kind].offset) this.#count(source, { unchanged: records.count });
    else if (records.count > 0) this.#records[kind].push({ source, records });
  }

  #count(source: BatchSource, counts: Partial<Counts>): void {
    source.counts.add(counts);
    this.#counts.add(counts);
  }
}

interface ImportCatalogue {
  /** All of the batch or none of it. */
  recordClaims(claims: readonly CommunityClaim[]): void;
  dumpClaims(claims: readonly CommunityClaim[]): void;
  addImports(entries: readonly ImportEntry[]): void;
}

export interface Stores {
  readonly engine: SearchEngine;
  readonly catalogue: ImportCatalogue;
}

export interface BatchSource {
  /** The name of its checkpoint; null: it has none. */
  readonly name: string | null;
  /** The query of `--where` in canonical form; null: everything is imported. */
  readonly where: string | null;
  /** It grows with the commits. */
  covered: Covered;
  /** Whether this run has stored some of its progress. */
  hasCheckpoint: boolean;
  /** Counts of this source alone; they grow. If `isShared`, they lack batches with records of other sources. */
  readonly counts: Counts;
  isShared: boolean;
  readonly arrivals: Partial<Record<Kind, ArrivalSpan>>;
}

interface Part {
  readonly source: BatchSource;
  readonly records: RecordBatch;
}

/** A batch that no longer changes, except for the progress of its sources. */
interface Batch {
  readonly records: Readonly<Record<Kind, readonly Part[]>>;
  readonly communities: readonly CommunityClaim[];
  readonly claims: readonly CommunityClaim[];
  /** The source that is still being read, and its place after this batch; null: there is none. */
  readonly current: { readonly source: BatchSource; readonly place: SourcePosition } | null;
  /** Sources whose last records are in this batch or an earlier one. */
  readonly ended: readonly { readonly source: BatchSource; readonly entry: () => ImportEntry }[];
}

/** `counts`: of the whole import. Batches follow each other: the next begins when this one resolves. */
async function commitBatch(batch: Batch, { engine, catalogue }: Stores, counts: Counts): Promise<void> {
  catalogue.recordClaims(batch.claims);
  catalogue.dumpClaims(batch.communities);
  for (const kind of KINDS) {
    const parts = batch.records[kind];
    if (parts.length === 0) continue;
    const isLast = kind === KINDS.at(-1) || batch.records[otherKind(kind)].length === 0;
    const report = await indexKind(engine, kind, batch, isLast);
    countBatch(report, parts, counts);
    if (report.added + report.replaced === 0) continue;
    const last = (await engine.lastArrivals())[kind];
    if (!(last instanceof IndexDamage)) noteArrival(kind, last, parts);
  }
  for (const { source } of batch.ended) await finish(engine, source);
  catalogue.addImports(batch.ended.map(({ entry }) => entry()));
}

/** Finished sources need no checkpoint: if the batch is lost, they are read again. */
async function indexKind(
  engine: SearchEngine,
  kind: Kind,
  { records: parts, current }: Batch,
  isLast: boolean,
): Promise<IndexReport> {
  const records = joinBatches(parts[kind].map((part) => part.records));
  if (current === null) return await engine.index(kind, records);
  const { source, place } = current;
  const { name, where } = source;
  const covered = isLast ? { post: place, comment: place } : { ...source.covered, [kind]: place };
  const checkpoint = name === null ? undefined : checkpointOf(name, covered, where);
  const report = await engine.index(kind, records, checkpoint);
  source.hasCheckpoint = name !== null;
  source.covered = covered;
  return report;
}

/** Both kinds, since an earlier run may have left a checkpoint of a kind without records here. */
async function finish(engine: SearchEngine, { name }: BatchSource): Promise<void> {
  if (name === null) return;
  for (const kind of KINDS) {
    if (await stateOf(engine, kind, name)) {
      await engine.index(kind, NO_RECORDS, { source: name, state: null });
    }
  }
}

/** A batch of several sources can be counted by source if all of its records had the same fate. */
function countBatch(report: IndexReport, parts: readonly Part[], counts: Counts): void {
  const { added, replaced, unchanged, removed } = report;
  const ofBatch = { added, replaced, unchanged, skipped: removed === 0 ? {} : { removed } };
  counts.add(ofBatch);
  const sources = new Set(parts.map(({ source }) => source));
  const total = parts.reduce((sum, { records }) => sum + records.count, 0);
  const same = OUTCOMES.find((outcome) => report[outcome] === total);
  if (sources.size === 1) parts[0]?.source.counts.add(ofBatch);
  else if (same === undefined) for (const source of sources) source.isShared = true;
  else for (const { source, records } of parts) source.counts.add({ [same]: records.count });
}

/** All records of a batch share one arrival. */
function noteArrival(kind: Kind, last: number, parts: readonly Part[]): void {
  for (const { arrivals } of new Set(parts.map(({ source }) => source)))
    arrivals[kind] = { first: arrivals[kind]?.first ?? last, last };
}

const OUTCOMES = ['added', 'replaced', 'unchanged'] as const;
