// Writing, in the calling thread: batches become segments, copies of known ids become tombstones, segments are merged.
// The caller holds the writer's lock. Removals of other processes can still change the manifest: a commit that finds it
// changed does nothing, and the engine tries again (engine.ts).

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { storageError } from '../../../errors.ts';
import { type CopyRules, mergeCopies } from '../../../model/copies.ts';
import type { Checkpoint, IndexReport } from '../../../model/engine.ts';
import { type Hash64, recordMix, Sum64 } from '../../../model/hash.ts';
import { isNews } from '../../../model/pages.ts';
import type { Kind } from '../../../model/record.ts';
import { syncFolder } from '../../../sqlite/database.ts';
import { BatchRecords, type Lane, type NewArrivals, type PackedRecords } from '../building/batch-records.ts';
import { type BuiltSegment, buildSegment } from '../building/segment-builder.ts';
import { MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';
import { footerSum } from '../format/segment-file.ts';
import { type ByteSink, FileSink, MemorySink } from '../format/segment-writer.ts';
import type { SymbolTable } from '../format/symbol-table.ts';
import type { Change, Manifest, NewSegment } from '../index/manifest.ts';
import { isDead } from '../index/segment.ts';
import { sumOfLive } from '../index/segment-sums.ts';
import { arrivalOf, type DocRef, findLive, type ThreadState, type View } from '../index/view.ts';
import { commitAt, commitMerge, discard, type MergePlan, type MergeResult, segmentPath } from './commit.ts';
import { MergeStopped, mergedDocs, mergeSegments } from './merge.ts';
import { FULL_BYTES } from './merge-policy.ts';
import { LEFT_BEHIND } from './merged-lists.ts';
import { largestSymbols, type MergeSource } from './merged-rows.ts';

/** Smaller segments are stored in the manifest: no file, no rename, one sync. */
const MIN_FILE_DOCS = 2_048;
const MIN_FILE_BYTES = 1 << 22;

/** A known record that a batch replaces, and its share in the sum of its segment. */
interface Replaced {
  readonly segment: string;
  readonly doc: number;
  readonly mix: Hash64;
}

/** A prepared batch, or part of one: segments that no manifest names yet. */
export interface PreparedBatch {
  readonly add: readonly NewSegment[];
  /** The version of the view it was prepared with. */
  readonly version: number;
  /** Known records that it replaces. */
  readonly replaced: readonly Replaced[];
  readonly records: number;
  readonly unchanged: number;
}

/** See SearchEngine.index, without the records that removals refuse. */
export type BatchCounts = Omit<IndexReport, 'removed'>;

/** What a thread of the engine that writes is called for. The thread is a worker, or the caller's own. */
export class WritingCalls {
  readonly #state: ThreadState;

  constructor(state: ThreadState) {
    this.#state = state;
  }

  /**
   * Prepares one lane of a batch, the long part of `index`. Lanes may run side by side, but no batch or merge may come
   * between. `packs`: see engines/packing/packed-records.ts; `arrivals`: see BatchRecords.
   */
  prepareBatch(
    kind: Kind,
    packs: readonly Uint8Array[],
    lane: Lane,
    arrivals: Uint32Array | null = null,
  ): PreparedBatch {
    const view = this.#state.views[kind];
    const records = new BatchRecords(kind, packs, lane, arrivals);
    const replaced = choose(records, view, this.#state.rules);
    return {
      add: buildSegments(this.#state.manifests[kind], records.ordered(), largestSymbols(view.segments)),
      version: view.version,
      replaced: [...replaced.values()],
      records: records.count,
      unchanged: records.count - records.chosen,
    };
  }

  /**
   * Commits the parts of a batch together, at the version of the manifest at which its records were last checked
   * against the list of removals. `arrivals`: those besides that of the commit. 'conflict': the manifest has changed,
   * nothing is done. 'stale': records that the parts replace came back or are gone; the parts are discarded and must be
   * prepared again.
   */
  commitBatch(
    kind: Kind,
    parts: readonly PreparedBatch[],
    checkpoint: Checkpoint | null,
    version: number,
    arrivals: NewArrivals | null = null,
  ): BatchCounts | 'conflict' | 'stale' {
    const view = this.#state.views[kind];
    const manifest = this.#state.manifests[kind];
    if (view.version !== version) return 'conflict';
    const add = parts.flatMap((part) => part.add);
    const replaced = parts.flatMap((part) => part.replaced);
    const places = placesOf(view, replaced);
    const isNumbered = arrivals === null || arrivals.behind === view.arrivals;
    if (places === null || !isNumbered || parts.some((part) => part.version < view.revived)) {
      discard(manifest, add);
      return 'stale';
    }
    if (add.length > 0 || checkpoint !== null) {
      const arrived = arrivals?.times ?? [];
      const change = { add, arrived, ...deaths(view, places), sums: sumsWithout(view, replaced), checkpoint };
      if (!commitAt(manifest, change, version)) return 'conflict';
    }
    const records = parts.reduce((sum, part) => sum + part.records, 0);
    const unchanged = parts.reduce((sum, part) => sum + part.unchanged, 0);
    return { added: records - unchanged - replaced.length, replaced: replaced.length, unchanged };
  }

  /** Deletes the files of parts that will not be committed. */
  discardBatch(kind: Kind, parts: readonly PreparedBatch[]): void {
    for (const { add } of parts) discard(this.#state.manifests[kind], add);
  }

  /** False: the manifest is no longer at this version. */
  storeSums(kind: Kind, sums: ReadonlyMap<string, Hash64>, version: number): boolean {
    return commitAt(this.#state.manifests[kind], { sums }, version);
  }

  /**
   * The long part of a merge of these segments of the view: batches may be committed meanwhile. Hidden records are left
   * behind like dead ones. `seconds`, ascending: where new segments begin; none: all goes into one. If `gone` (a
   * GoneFlag) is set meanwhile, nothing is left and the result has no sources.
   */
  prepareMerge(
    kind: Kind,
    { names, seconds, erases }: MergePlan,
    gone: Int32Array | null = null,
  ): MergeResult {
    const manifest = this.#state.manifests[kind];
    const isStopped = () => gone !== null && gone[0] !== 0;
    const sources = this.#state.views[kind].segments.filter(({ segment }) => names.includes(segment.name));
    sources.sort((a, b) => a.segment.created.at(0) - b.segment.created.at(0));
    const maps = sources.map(({ segment }) => new Uint32Array(segment.docs).fill(LEFT_BEHIND));
    const segments: NewSegment[] = [];
    let base = 0;
    try {
      for (const [i, before] of [...seconds, Infinity].entries()) {
        const slice = sources.map((source, n): MergeSource => {
          const from = i === 0 ? 0 : source.segment.firstAt(seconds[i - 1]!);
          return { source, from, to: source.segment.firstAt(before), map: maps[n]! };
        });
        const made = mergeSlice(manifest, slice, base, isStopped);
        if (made === null) continue;
        segments.push(made);
        base += made.docs;
      }
    } catch (error) {
      discard(manifest, segments);
      if (error instanceof MergeStopped) return { segments: [], sources: [], erases };
      throw error;
    }
    const merged = sources.map(({ segment }, n) => ({ name: segment.name, map: maps[n]! }));
    return { segments, sources: merged, erases };
  }

  commitMerge(kind: Kind, result: MergeResult): boolean {
    return commitMerge(this.#state.manifests[kind], this.#state.views[kind], result);
  }

  scrub(kind: Kind): boolean {
    return this.#state.manifests[kind].scrub();
  }
}

/** Calls that may come from another thread. */
export type Writing = Pick<WritingCalls, keyof WritingCalls>;

/** Chooses the record to write for each id of the batch; returns the live records that they replace. */
function choose(records: BatchRecords, view: View, rules: CopyRules): ReadonlyMap<number, Replaced> {
  const range = records.idRange();
  const segments = view.segments.filter(({ segment }) => segment.mayHoldBetween(range));
  const replaced = new Map<number, Replaced>();
  for (let i = 0; i < records.count; i++) {
    const id = records.idNumber(i);
    let known = records.chosenRecord(id);
    const place = known === null && segments.length > 0 ? findLive(segments, records.id(id)) : null;
    if (place !== null) known = place.source.segment.record(place.doc);
    if (known === null) {
      records.choose(i, records.ownArrival(i));
      continue;
    }
    const record = records.record(i);
    const merged = mergeCopies(known, record, rules);
    if (merged === known) continue;
    const before = place === null ? records.chosenArrival(id) : arrivalOf(place.source, place.doc);
    const arrival = isNews(known, merged) ? records.ownArrival(i) : before;
    if (merged === record) records.choose(i, arrival);
    else records.chooseOther(i, merged, arrival);
    if (place === null) continue;
    replaced.set(id, { segment: place.source.segment.name, doc: place.doc, mix: recordMix(known) });
  }
  return replaced;
}

/** null: a segment is not in the view. */
function placesOf(view: View, replaced: PreparedBatch['replaced']): readonly DocRef[] | null {
  const sources = new Map(view.segments.map((source) => [source.segment.name, source]));
  const places: DocRef[] = [];
  for (const { segment, doc } of replaced) {
    const source = sources.get(segment);
    // uncovered: a merge has taken the segment away since the batch was prepared
    if (source === undefined) return null;
    places.push({ source, doc });
  }
  return places;
}

/**
 * The known sums of segments that lose records. What was hidden or replaced since the batch was prepared is not in them
 * any more.
 */
function sumsWithout(view: View, replaced: readonly Replaced[]): ReadonlyMap<string, Hash64> {
  const bySegment = Map.groupBy(replaced, ({ segment }) => segment);
  const sums = new Map<string, Hash64>();
  for (const { segment, dead, sum } of view.segments) {
    const own = bySegment.get(segment.name);
    if (own === undefined || sum === null) continue;
    const left = new Sum64(sum);
    for (const { doc, mix } of own) if (!isDead(dead, doc)) left.subtract(mix);
    sums.set(segment.name, left.value());
  }
  return sums;
}

/** null: no record of the slice is live. */
function mergeSlice(
  manifest: Manifest,
  slice: readonly MergeSource[],
  base: number,
  isStopped: () => boolean,
): NewSegment | null {
  const docs = slice.reduce((sum, source) => sum + mergedDocs(source), 0);
  if (docs === 0) return null;
  const bytes = slice.reduce((sum, { source }) => sum + source.segment.data.size, 0);
  const file = makeSegment(manifest, isSmall(docs, bytes), (sink) => ({
    footer: mergeSegments(sink, slice, base, isStopped),
    sum: sumOfSlice(slice),
  }));
  return { ...file, arrival: slice.reduce((last, { source }) => Math.max(last, source.arrival), 0) };
}

function sumOfSlice(slice: readonly MergeSource[]): Hash64 {
  const total = new Sum64();
  for (const { source, from, to } of slice) {
    const { segment, dead, sum } = source;
    const isWhole = from === 0 && to === segment.docs;
    total.add(isWhole && sum !== null ? sum : sumOfLive(segment, dead, from, to));
  }
  return total.value();
}

/** Tombstones for these records. Segments without live or hidden records are dropped. */
function deaths(view: View, places: readonly DocRef[]): Pick<Change, 'dead' | 'drop'> {
  const bySegment = Map.groupBy(places, ({ source }) => source);
  const dead = new Map<string, readonly number[]>();
  const drop: string[] = [];
  for (const source of view.segments) {
    const docs = bySegment.get(source)?.map(({ doc }) => doc);
    if (docs === undefined) continue;
    const isEmpty = source.hidden === 0 && source.tombstones + docs.length === source.segment.docs;
    if (isEmpty) drop.push(source.segment.name);
    else dead.set(source.segment.name, docs);
  }
  return { dead, drop };
}

/**
 * As few segments as hold the batch, none larger than merges make them: a full one is not copied again. `symbols`:
 * those of existing rows, if there are any.
 */
function buildSegments(
  manifest: Manifest,
  { bytes, places, arrivals }: PackedRecords,
  symbols: SymbolTable | null,
): NewSegment[] {
  const made: NewSegment[] = [];
  const pieces = Math.max(Math.ceil(places.length / MAX_SEGMENT_DOCS), Math.ceil(bytes.length / FULL_BYTES));
  const step = Math.ceil(places.length / pieces);
  try {
    for (let from = 0; from < places.length; from += step) {
      const to = from + step;
      const piece = { bytes, places: places.subarray(from, to), arrivals: arrivals.subarray(from, to) };
      const docs = piece.places.length;
      const size = bytes.length * (docs / places.length);
      const file = makeSegment(manifest, isSmall(docs, size), (sink) =>
        buildSegment(sink, manifest.kind, piece, symbols),
      );
      made.push({ ...file, arrival: null });
    }
    return made;
  } catch (error) {
    // uncovered: a disk that fails while a batch is written
    discard(manifest, made);
    throw error;
  }
}

function isSmall(docs: number, bytes: number): boolean {
  return docs < MIN_FILE_DOCS && bytes < MIN_FILE_BYTES;
}

/** A written segment, before its arrival is known. */
type WrittenSegment = Omit<NewSegment, 'arrival'>;

function makeSegment(
  manifest: Manifest,
  inMemory: boolean,
  write: (sink: ByteSink) => BuiltSegment,
): WrittenSegment {
  const name = newName();
  if (inMemory) {
    const sink = new MemorySink();
    const { footer, sum } = write(sink);
    const bytes = sink.bytes();
    return { name, docs: footer.docs, size: bytes.length, crc: crc32(bytes), sum, bytes };
  }
  const path = segmentPath(manifest, name);
  try {
    const made = mkdirSync(manifest.folder, { recursive: true });
    // Otherwise a power cut could lose the new folder with everything in it.
    // uncovered: the folder of a kind is made with its manifest
    if (made !== undefined) syncFolder(dirname(manifest.folder));
    const sink = new FileSink(path);
    const { footer, sum } = write(sink);
    return { name, docs: footer.docs, size: sink.size, crc: footerSum(footer), sum, bytes: null };
  } catch (error) {
    throw storageError(error, path);
  }
}

let namesGiven = 0;

/** Unique among all threads and processes. */
function newName(): string {
  const random = Math.floor(Math.random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `${Date.now().toString(36)}-${threadId.toString(36)}-${(namesGiven++).toString(36)}-${random}`;
}
