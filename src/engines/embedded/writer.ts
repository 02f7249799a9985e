// Writing, in the thread that calls it: batches become segments, copies of known ids become tombstones, segments are
// merged. Whoever calls holds the writer's lock and passes the view of the newest manifest.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { type CopyRules, mergeCopies } from '../../model/copies.ts';
import type { Checkpoint, IndexReport } from '../../model/engine.ts';
import { BatchRecords, type PackedRecords } from './batch-records.ts';
import type { Change, Manifest } from './manifest.ts';
import { type Merged, mergeSegments } from './merge.ts';
import { LEFT_BEHIND } from './merge-lists.ts';
import { buildSegment } from './segment-builder.ts';
import type { Footer } from './segment-file.ts';
import { type ByteSink, FileSink, MemorySink } from './segment-writer.ts';
import { type DeadDocs, isDead, type View, type ViewSegment, withDead } from './view.ts';

/** A batch is cut into segments of at most this many records, so that building one takes a bounded memory. */
const MAX_BUILD_DOCS = 131_072;
/** Smaller segments live in the manifest: no file, no rename, one sync. */
const MIN_FILE_DOCS = 2_048;
const MIN_FILE_BYTES = 1 << 22;

type NewSegment = Change['add'][number];

/** Where a record lives. */
interface Place {
  readonly source: ViewSegment;
  readonly doc: number;
}

/** What a batch, or a part of one, comes to: segments that no manifest names yet. */
export interface PreparedBatch {
  readonly add: readonly NewSegment[];
  /** Known records that are written anew. */
  readonly replaced: readonly { readonly segment: string; readonly doc: number }[];
  readonly records: number;
  readonly unchanged: number;
}

/** The long part of `index`. Several may run beside each other as long as no id is in two; no commit between. */
export function prepareBatch(
  manifest: Manifest,
  view: View,
  packs: readonly Uint8Array[],
  rules: CopyRules,
): PreparedBatch {
  const records = new BatchRecords(manifest.kind, packs);
  const replaced = choose(records, view, rules);
  return {
    add: buildSegments(manifest, records.ordered()),
    replaced: Array.from(replaced.values(), ({ source, doc }) => ({ segment: source.segment.name, doc })),
    records: records.count,
    unchanged: records.count - records.chosen,
  };
}

/** Chooses what is to be written of each id of the batch; returns the live records that this replaces. */
function choose(records: BatchRecords, view: View, rules: CopyRules): ReadonlyMap<number, Place> {
  const range = records.idRange();
  const segments = view.segments.filter(({ segment }) => range !== null && segment.mayHoldBetween(range));
  const replaced = new Map<number, Place>();
  for (let i = 0; i < records.count; i++) {
    const id = records.idNumber(i);
    let known = records.chosenRecord(id);
    const place = known === null && segments.length > 0 ? findLive(segments, records.id(id)) : null;
    if (place !== null) known = place.source.segment.record(place.doc);
    if (known === null) records.choose(i);
    else {
      const record = records.record(i);
      const merged = mergeCopies(known, record, rules);
      if (merged === known) continue;
      if (merged === record) records.choose(i);
      else records.chooseOther(i, merged);
    }
    if (place !== null) replaced.set(id, place);
  }
  return replaced;
}

/** See SearchEngine.index: makes the parts of a batch visible together. `view` is the one they were prepared with. */
export function commitBatch(
  manifest: Manifest,
  view: View,
  parts: readonly PreparedBatch[],
  checkpoint: Checkpoint | null,
): IndexReport {
  const add = parts.flatMap((part) => part.add);
  const replaced = parts.flatMap((part) => part.replaced);
  if (add.length > 0 || checkpoint !== null) {
    const sources = new Map(view.segments.map((source) => [source.segment.name, source]));
    const places = replaced.map(({ segment, doc }): Place => ({ source: sources.get(segment)!, doc }));
    commitOrDiscard(manifest, { add, ...deaths(view, places), checkpoint });
  }
  const records = parts.reduce((sum, part) => sum + part.records, 0);
  const unchanged = parts.reduce((sum, part) => sum + part.unchanged, 0);
  return { added: records - unchanged - replaced.length, replaced: replaced.length, unchanged };
}

/** Takes back the files of parts that will not be committed. */
export function discardBatch(manifest: Manifest, parts: readonly PreparedBatch[]): void {
  for (const { add } of parts) discard(manifest, add);
}

/** See SearchEngine.remove. */
export function removeRecords(manifest: Manifest, view: View, ids: readonly string[]): number {
  const places = [...new Set(ids)].flatMap((id) => findLive(view.segments, id) ?? []);
  if (places.length > 0) commitOrDiscard(manifest, { add: [], ...deaths(view, places), checkpoint: null });
  return places.length;
}

/** A merged segment that no manifest names yet. */
export interface MergeResult {
  readonly segment: NewSegment;
  readonly sources: readonly { readonly name: string; readonly dead: DeadDocs; readonly map: Uint32Array }[];
}

/** The long part of a merge: needs no lock against other writers of the process. */
export function prepareMerge(manifest: Manifest, sources: readonly ViewSegment[]): MergeResult {
  const docs = sources.reduce((sum, { segment, deadCount }) => sum + segment.docs - deadCount, 0);
  const bytes = sources.reduce((sum, { segment }) => sum + segment.data.size, 0);
  const made: { merged?: Merged } = {};
  const segment = makeSegment(manifest, isSmall(docs, bytes), (sink) => {
    made.merged = mergeSegments(sink, sources);
    return made.merged.footer;
  });
  return {
    segment,
    sources: sources.map((source, i) => ({
      name: source.segment.name,
      dead: source.dead,
      map: made.merged!.maps[i]!,
    })),
  };
}

/** Puts the merged segment in the place of its sources. Records that died meanwhile are dead in it too. */
export function commitMerge(manifest: Manifest, view: View, { segment, sources }: MergeResult): void {
  const died: number[] = [];
  for (const { name, map } of sources) {
    const source = view.segments.find((one) => one.segment.name === name);
    // A source whose records all died is gone from the view.
    for (let doc = 0; doc < map.length; doc++) {
      const isGone = source === undefined || isDead(source.dead, doc);
      if (isGone && map[doc] !== LEFT_BEHIND) died.push(map[doc]!);
    }
  }
  const drop = sources.map(({ name }) => name);
  if (died.length === segment.docs) {
    discard(manifest, [segment]);
    commitOrDiscard(manifest, { add: [], drop, dead: new Map(), checkpoint: null });
  } else {
    const dead = new Map(died.length > 0 ? [[segment.name, withDead([], died)]] : []);
    commitOrDiscard(manifest, { add: [segment], drop, dead, checkpoint: null });
  }
}

function findLive(segments: readonly ViewSegment[], id: string): Place | null {
  for (const source of segments) {
    if (!source.segment.mayHold(id)) continue;
    const doc = source.segment.docOf(id);
    if (doc >= 0 && !isDead(source.dead, doc)) return { source, doc };
  }
  return null;
}

/** Tombstones for these records; segments without a live record left are dropped. */
function deaths(view: View, places: readonly Place[]): Pick<Change, 'dead' | 'drop'> {
  const bySegment = new Map<ViewSegment, number[]>();
  for (const { source, doc } of places) {
    const docs = bySegment.get(source);
    if (docs === undefined) bySegment.set(source, [doc]);
    else docs.push(doc);
  }
  const dead = new Map<string, DeadDocs>();
  const drop: string[] = [];
  for (const source of view.segments) {
    const docs = bySegment.get(source);
    if (docs === undefined) continue;
    if (source.deadCount + docs.length === source.segment.docs) drop.push(source.segment.name);
    else dead.set(source.segment.name, withDead(source.dead, docs));
  }
  return { dead, drop };
}

function buildSegments(manifest: Manifest, { bytes, places }: PackedRecords): NewSegment[] {
  const made: NewSegment[] = [];
  try {
    for (let from = 0; from < places.length; from += MAX_BUILD_DOCS) {
      const piece = places.subarray(from, from + MAX_BUILD_DOCS);
      const size = bytes.length * (piece.length / places.length);
      made.push(
        makeSegment(manifest, isSmall(piece.length, size), (sink) =>
          buildSegment(sink, manifest.kind, { bytes, places: piece }),
        ),
      );
    }
    return made;
  } catch (error) {
    discard(manifest, made);
    throw error;
  }
}

function isSmall(docs: number, bytes: number): boolean {
  return docs < MIN_FILE_DOCS && bytes < MIN_FILE_BYTES;
}

function makeSegment(manifest: Manifest, inMemory: boolean, write: (sink: ByteSink) => Footer): NewSegment {
  const name = newName();
  if (inMemory) {
    const sink = new MemorySink();
    const { docs } = write(sink);
    const bytes = sink.bytes();
    return { name, docs, size: bytes.length, bytes };
  }
  mkdirSync(manifest.folder, { recursive: true });
  const sink = new FileSink(segmentPath(manifest, name));
  const { docs } = write(sink);
  return { name, docs, size: sink.size, bytes: null };
}

function commitOrDiscard(manifest: Manifest, change: Change): void {
  try {
    manifest.commit(change);
  } catch (error) {
    discard(manifest, change.add);
    throw error;
  }
  for (const name of change.drop) rmSync(segmentPath(manifest, name), { force: true });
}

function discard(manifest: Manifest, segments: readonly NewSegment[]): void {
  for (const { name } of segments) rmSync(segmentPath(manifest, name), { force: true });
}

function segmentPath(manifest: Manifest, name: string): string {
  return join(manifest.folder, `${name}.seg`);
}

let namesGiven = 0;

/** Unlike any name before, in this thread, this process or another. */
function newName(): string {
  const random = Math.floor(Math.random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `${Date.now().toString(36)}-${threadId.toString(36)}-${(namesGiven++).toString(36)}-${random}`;
}
