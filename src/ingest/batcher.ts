// Collects what blocks came to and commits it in batches: claims and communities to the catalogue first, then the
// records of both kinds with how far the import has come. A batch may hold the records of many small sources.

import { addClaim, type CommunityClaim } from '../model/claims.ts';
import { IndexDamage } from '../model/damage.ts';
import type { IndexReport, SearchEngine } from '../model/engine.ts';
import type { ArrivalSpan, ImportEntry } from '../model/import-log.ts';
import { KINDS, type Kind, otherKind } from '../model/record.ts';
import { NO_RECORDS, type RecordBatch } from '../model/record-batch.ts';
import { joinBatches } from '../packing/packed-records.ts';
import { type SourcePosition, START } from './formats/block.ts';
import type { Counts } from './report.ts';
import {
  type Covered,
  checkpointOf,
  doneCheckpoint,
  hasCheckpoint,
  readableKind,
  resumePlace,
} from './resume.ts';
import type { PackedResult } from './work.ts';

/** What the importer needs of the catalogue. */
export interface ImportCatalogue {
  /** All of the batch or none of it. */
  recordClaims(claims: readonly CommunityClaim[]): void;
  dumpClaims(claims: readonly CommunityClaim[]): void;
  /** All of them or none. */
  addImports(entries: readonly ImportEntry[]): void;
}

export interface Stores {
  readonly engine: SearchEngine;
  readonly catalogue: ImportCatalogue;
}

/** One content on its way into batches. */
export interface BatchSource {
  /** The name under which its progress is kept; null: it is not. */
  readonly name: string | null;
  /** The query of what is taken in, in canonical form; null: everything is. */
  readonly where: string | null;
  /** What an earlier run has committed of it. */
  readonly covered: Covered;
  /** Of this source alone; they grow. What a batch that it shares came to is missing in them, and `isShared` set. */
  readonly counts: Counts;
  isShared: boolean;
  /** Of its batches; they grow. */
  readonly arrivals: Partial<Record<Kind, ArrivalSpan>>;
}

/** Where the batch and the index are in one source. */
interface Progress {
  readonly source: BatchSource;
  covered: Covered;
  /** Behind what was added. */
  place: SourcePosition;
  readonly hasCheckpoint: Set<Kind>;
}

/** Records of one kind and source in a batch. */
interface Part {
  readonly source: BatchSource;
  readonly records: RecordBatch;
}

/**
 * A batch is committed when it has this many records (unless told otherwise), or as many bytes of source. Larger ones
 * cost the index less CPU a record (25,000: a tenth), but every batch is in memory three times while it is committed.
 */
export const BATCH_RECORDS = 10_000;
const BATCH_BYTES = 10 * 1024 * 1024;
/** Where few records are asked for, what there is is committed after so many bytes of others: a few seconds of work. */
const QUIET_BYTES = 1024 * 1024 * 1024;

export class Batcher {
  readonly #engine: SearchEngine;
  readonly #catalogue: ImportCatalogue;
  /** Of the whole import. */
  readonly #counts: Counts;
  readonly #batchRecords: number;
  readonly #quietBytes: number;
  #current: Progress | null = null;
  /** Sources that were read to their end, some of whose records may still be in the batch. */
  #ended: { readonly progress: Progress; readonly entry: () => ImportEntry }[] = [];
  readonly #records: Record<Kind, Part[]> = { post: [], comment: [] };
  #communities: CommunityClaim[] = [];
  #claims = new Map<string, CommunityClaim>();
  #bytes = 0;
  /** Of the current source, that a query did not ask for, since the last commit. */
  #passedBytes = 0;

  constructor(stores: Stores, counts: Counts, batchRecords = BATCH_RECORDS, quietBytes = QUIET_BYTES) {
    this.#engine = stores.engine;
    this.#catalogue = stores.catalogue;
    this.#counts = counts;
    this.#batchRecords = batchRecords;
    this.#quietBytes = quietBytes;
  }

  /** What is added from here on is of this source. */
  begin(source: BatchSource): void {
    this.#current = { source, covered: source.covered, place: START, hasCheckpoint: new Set() };
    this.#passedBytes = 0;
  }

  /** Blocks come in the order of the source. Commits when enough has come together. */
  async add(result: PackedResult): Promise<void> {
    const current = this.#expectCurrent();
    current.place = result.end;
    const { read, cut, skipped, rejected, communities } = result;
    this.#count(current.source, { read, cut, communities: communities.length, skipped, rejected });
    for (const claim of result.claims) addClaim(this.#claims, claim);
    for (const community of communities) this.#communities.push(community);
    this.#take('post', current, result.posts);
    this.#take('comment', current, result.comments);
    this.#bytes += result.bytes;
    this.#passedBytes += result.passedBytes;
    const records = this.#recordsOf('post') + this.#recordsOf('comment') + this.#communities.length;
    if (records >= this.#batchRecords || this.#bytes >= BATCH_BYTES) await this.commit();
    if (this.#passedBytes >= this.#quietBytes) await this.#commitWithPlace();
  }

  /**
   * The source is read to its end: its last records go in with the next batch, then it is logged, and the next import
   * of it starts at its beginning.
   */
  end(entry: () => ImportEntry): void {
    this.#ended.push({ progress: this.#expectCurrent(), entry });
    this.#current = null;
  }

  /** The source is given up before its end: all is committed, and the next import of it goes on here. */
  async breakOff(entry: () => ImportEntry): Promise<void> {
    if (this.#passedBytes > 0) await this.#commitWithPlace();
    else await this.commit();
    this.#catalogue.addImports([entry()]);
    this.#current = null;
  }

  /** The source came to nothing: it is no source of records. */
  drop(): void {
    this.#current = null;
  }

  /** True where a source of this name has ended, and its checkpoint still says that it has not. */
  isEnding(name: string): boolean {
    return this.#ended.some(
      ({ progress: { source, hasCheckpoint } }) => source.name === name && hasCheckpoint.size > 0,
    );
  }

  /** Commits what there is. When it resolves, the import has come this far. */
  async commit(): Promise<void> {
    this.#catalogue.recordClaims([...this.#claims.values()]);
    this.#catalogue.dumpClaims(this.#communities);
    await this.#commitKind('post', this.#recordsOf('comment') === 0);
    await this.#commitKind('comment', true);
    this.#communities = [];
    this.#claims.clear();
    this.#bytes = 0;
    const ended = this.#ended.splice(0);
    for (const { progress } of ended) await this.#finish(progress);
    this.#catalogue.addImports(ended.map(({ entry }) => entry()));
  }

  /** Also where no record was asked for since the last commit: how far the import has come is kept all the same. */
  async #commitWithPlace(): Promise<void> {
    await this.commit();
    this.#passedBytes = 0;
    const { source, place, covered, hasCheckpoint } = this.#expectCurrent();
    const { name, where } = source;
    if (name === null || place.offset <= resumePlace(covered).offset) return;
    const kind = await readableKind(this.#engine, name);
    if (kind === null) return;
    const all = { post: place, comment: place };
    await this.#engine.index(kind, NO_RECORDS, checkpointOf(name, all, where));
    hasCheckpoint.add(kind);
    this.#expectCurrent().covered = all;
  }

  /** Of both kinds: an earlier run may have left a checkpoint where this one had no records. */
  async #finish({ source: { name } }: Progress): Promise<void> {
    if (name === null) return;
    for (const kind of KINDS) {
      if (await hasCheckpoint(this.#engine, kind, name)) {
        await this.#engine.index(kind, NO_RECORDS, doneCheckpoint(name));
      }
    }
  }

  #expectCurrent(): Progress {
    if (this.#current === null) throw new Error('a block came before its source began');
    return this.#current;
  }

  #recordsOf(kind: Kind): number {
    return this.#records[kind].reduce((sum, { records }) => sum + records.count, 0);
  }

  /** Records that an earlier run committed are counted and left out. */
  #take(kind: Kind, { source, place, covered }: Progress, records: RecordBatch): void {
    if (place.offset <= covered[kind].offset) this.#count(source, { unchanged: records.count });
    else if (records.count > 0) this.#records[kind].push({ source, records });
  }

  async #commitKind(kind: Kind, isLast: boolean): Promise<void> {
    const parts = this.#records[kind].splice(0);
    if (parts.length === 0) return;
    const records = joinBatches(parts.map((part) => part.records));
    const report = await this.#index(kind, records, isLast);
    this.#countBatch(report, parts);
    if (report.added + report.replaced === 0) return;
    const last = (await this.#engine.lastArrivals())[kind];
    if (!(last instanceof IndexDamage)) noteArrival(kind, last, parts);
  }

  /** Sources that have ended need no checkpoint: where the batch is lost, they are read again. */
  async #index(kind: Kind, records: RecordBatch, isLast: boolean): Promise<IndexReport> {
    const current = this.#current;
    if (current === null) return await this.#engine.index(kind, records);
    const other = otherKind(kind);
    const otherPlace = isLast ? current.place : current.covered[other];
    const covered = { [kind]: current.place, [other]: otherPlace } as unknown as Covered;
    const { name, where } = current.source;
    const report = await (name === null
      ? this.#engine.index(kind, records)
      : this.#engine.index(kind, records, checkpointOf(name, covered, where)));
    if (name !== null) current.hasCheckpoint.add(kind);
    current.covered = covered;
    return report;
  }

  #count(source: BatchSource, counts: Partial<Counts>): void {
    source.counts.add(counts);
    this.#counts.add(counts);
  }

  /** A batch of several sources of which all came to the same is as well known as that of one. */
  #countBatch(report: IndexReport, parts: readonly Part[]): void {
    const { added, replaced, unchanged, removed } = report;
    const counts = { added, replaced, unchanged, skipped: removed === 0 ? {} : { removed } };
    this.#counts.add(counts);
    const sources = new Set(parts.map(({ source }) => source));
    const total = parts.reduce((sum, { records }) => sum + records.count, 0);
    const same = OUTCOMES.find((outcome) => report[outcome] === total);
    if (sources.size === 1) parts[0]?.source.counts.add(counts);
    else if (same === undefined) for (const source of sources) source.isShared = true;
    else for (const { source, records } of parts) source.counts.add({ [same]: records.count });
  }
}

/** What a batch brought in has one arrival, whatever its sources. */
function noteArrival(kind: Kind, last: number, parts: readonly Part[]): void {
  for (const { arrivals } of new Set(parts.map(({ source }) => source)))
    arrivals[kind] = { first: arrivals[kind]?.first ?? last, last };
}

const OUTCOMES = ['added', 'replaced', 'unchanged'] as const;
