// Collects what blocks came to and commits it in batches: claims and communities to the catalogue first, then the
// records of both kinds with how far the import has come.

import type { IndexReport, SearchEngine } from '../model/engine.ts';
import { joinBatches, type PackedBatch } from '../model/packed-records.ts';
import { KINDS, type Kind } from '../model/record.ts';
import { type Place, START } from './formats/block.ts';
import { keepNewest } from './normalise/claims.ts';
import type { CommunityClaim, DumpedCommunity } from './normalise/outcome.ts';
import type { Counts } from './report.ts';
import { type Covered, checkpointOf, doneCheckpoint, hasCheckpoint } from './resume.ts';
import type { PackedResult } from './work.ts';

/** What the importer needs of the catalogue. */
export interface ImportCatalogue {
  /** All of the batch or none of it. */
  recordClaims(claims: readonly CommunityClaim[]): void;
  dumpClaims(claims: readonly DumpedCommunity[]): void;
  /** The log of imports: one entry a source. Times in Unix seconds; `finished` null where it was broken off. */
  addImport(entry: {
    readonly file: string;
    /** Stands for the content; empty for standard input. */
    readonly checksum: string;
    readonly counts: Readonly<Record<string, unknown>>;
    readonly started: number;
    readonly finished: number | null;
  }): void;
}

export interface Stores {
  readonly engine: SearchEngine;
  readonly catalogue: ImportCatalogue;
}

/**
 * A batch is committed when it has this many records (unless told otherwise), or as many bytes of source. Larger ones
 * cost the index less CPU a record (25,000: a tenth), but every batch is in memory three times while it is committed.
 */
export const BATCH_RECORDS = 10_000;
const BATCH_BYTES = 10 * 1024 * 1024;

export class Batcher {
  readonly #engine: SearchEngine;
  readonly #catalogue: ImportCatalogue;
  /** The name under which checkpoints are kept; null: none are. */
  readonly #source: string | null;
  readonly #counts: Counts;
  readonly #batchRecords: number;
  #covered: Covered;
  /** Behind what was added. */
  #place: Place = START;
  readonly #records: Record<Kind, PackedBatch[]> = { post: [], comment: [] };
  #communities: DumpedCommunity[] = [];
  #claims = new Map<string, CommunityClaim>();
  #bytes = 0;

  constructor(
    stores: Stores,
    source: string | null,
    covered: Covered,
    counts: Counts,
    batchRecords = BATCH_RECORDS,
  ) {
    this.#engine = stores.engine;
    this.#catalogue = stores.catalogue;
    this.#source = source;
    this.#covered = covered;
    this.#counts = counts;
    this.#batchRecords = batchRecords;
  }

  /** Blocks come in the order of the source. Commits when enough has come together. */
  async add(result: PackedResult): Promise<void> {
    this.#place = result.end;
    const { read, cut, skipped, rejected } = result;
    this.#counts.add({ read, cut, skipped, rejected, communities: result.communities.length });
    this.#take('post', result.posts);
    this.#take('comment', result.comments);
    for (const claim of result.claims) keepNewest(this.#claims, claim);
    for (const community of result.communities) this.#communities.push(community);
    this.#bytes += result.bytes;
    const records = this.#count('post') + this.#count('comment') + this.#communities.length;
    if (records >= this.#batchRecords || this.#bytes >= BATCH_BYTES) await this.commit();
  }

  /** Commits what has come together, and that the import has come this far. */
  async commit(): Promise<void> {
    this.#catalogue.recordClaims([...this.#claims.values()]);
    this.#catalogue.dumpClaims(this.#communities);
    await this.#commitKind('post', this.#count('comment') === 0);
    await this.#commitKind('comment', true);
    this.#communities = [];
    this.#claims.clear();
    this.#bytes = 0;
  }

  /** Commits the rest; the next import of this source begins at its beginning. */
  async finish(): Promise<void> {
    await this.commit();
    if (this.#source === null) return;
    // Of both kinds: an earlier run may have left one where this one had no records.
    for (const kind of KINDS) {
      if (await hasCheckpoint(this.#engine, kind, this.#source)) {
        await this.#engine.index(kind, [], doneCheckpoint(this.#source));
      }
    }
  }

  #count(kind: Kind): number {
    return this.#records[kind].reduce((sum, { count }) => sum + count, 0);
  }

  /** Records that an earlier run committed are counted and left out. */
  #take(kind: Kind, records: PackedBatch): void {
    if (this.#place.offset <= this.#covered[kind].offset) this.#counts.unchanged += records.count;
    else if (records.count > 0) this.#records[kind].push(records);
  }

  async #commitKind(kind: Kind, isLast: boolean): Promise<void> {
    const records = joinBatches(this.#records[kind].splice(0));
    if (records.count === 0) return;
    const other = kind === 'post' ? 'comment' : 'post';
    const otherPlace = isLast ? this.#place : this.#covered[other];
    const covered = { [kind]: this.#place, [other]: otherPlace } as unknown as Covered;
    if (this.#source === null) this.#add(await this.#engine.index(kind, records));
    else this.#add(await this.#engine.index(kind, records, checkpointOf(this.#source, covered)));
    this.#covered = covered;
  }

  #add({ added, replaced, unchanged, removed }: IndexReport): void {
    this.#counts.add({ added, replaced, unchanged, skipped: removed === 0 ? {} : { removed } });
  }
}
