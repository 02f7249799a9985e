// Commits a batch: first claims about communities to the catalogue, then the records of both kinds with the progress of
// the import, then the log entries of finished sources.

import { joinBatches } from '../engines/packing/packed-records.ts';
import type { CommunityClaim } from '../model/community.ts';
import type { ArrivalSpan, ImportEntry } from '../model/coverage.ts';
import type { IndexReport, SearchEngine } from '../model/engine.ts';
import { IndexDamage } from '../model/engine-errors.ts';
import { KINDS, type Kind, NO_RECORDS, otherKind, type RecordBatch } from '../model/record.ts';
import type { SourcePosition } from './formats/block.ts';
import type { Counts } from './report.ts';
import { type Covered, checkpointOf, stateOf } from './resume.ts';

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
  readonly covered: Covered;
  /** Counts of this source alone; they grow. If `isShared`, they lack batches with records of other sources. */
  readonly counts: Counts;
  isShared: boolean;
  readonly arrivals: Partial<Record<Kind, ArrivalSpan>>;
}

export interface Progress {
  readonly source: BatchSource;
  covered: Covered;
  readonly hasCheckpoint: Set<Kind>;
}

export interface Part {
  readonly source: BatchSource;
  readonly records: RecordBatch;
}

/** A batch that no longer changes, except for the progress of its sources. */
export interface Batch {
  readonly records: Readonly<Record<Kind, readonly Part[]>>;
  readonly communities: readonly CommunityClaim[];
  readonly claims: readonly CommunityClaim[];
  /** The source that is still being read, and its place after this batch; null: there is none. */
  readonly current: { readonly progress: Progress; readonly place: SourcePosition } | null;
  /** Sources whose last records are in this batch or an earlier one. */
  readonly ended: readonly { readonly progress: Progress; readonly entry: () => ImportEntry }[];
}

/** `counts`: of the whole import. Batches follow each other: the next begins when this one resolves. */
export async function commitBatch(
  batch: Batch,
  { engine, catalogue }: Stores,
  counts: Counts,
): Promise<void> {
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
  for (const { progress } of batch.ended) await finish(engine, progress);
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
  const { progress, place } = current;
  const { name, where } = progress.source;
  const other = otherKind(kind);
  const otherPlace = isLast ? place : progress.covered[other];
  const covered = { [kind]: place, [other]: otherPlace } as unknown as Covered;
  const checkpoint = name === null ? undefined : checkpointOf(name, covered, where);
  const report = await engine.index(kind, records, checkpoint);
  if (name !== null) progress.hasCheckpoint.add(kind);
  progress.covered = covered;
  return report;
}

/** Both kinds, since an earlier run may have left a checkpoint of a kind without records here. */
async function finish(engine: SearchEngine, { source: { name } }: Progress): Promise<void> {
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
