// A view: the segments and tombstones of one version of the manifest. A question is answered from one view.

import type { LastArrival } from '../../../model/engine.ts';
import type { Hash64 } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { UNCOUNTED } from '../../../model/time.ts';
import { CHUNK_WORDS, popcount } from '../sets/chunk.ts';
import { Segment, type SegmentData } from './segment.ts';

/**
 * Dead docs of a segment, by chunk: a bit for each docId; null: none is dead. Copied when one is added. For a
 * reader, a doc is dead if it has a tombstone or a removal hides it.
 */
export type DeadDocs = readonly (Uint32Array | null)[];

/** A view, in the form that threads hand to each other. */
export interface ViewData {
  readonly kind: Kind;
  /** Of the manifest. */
  readonly version: number;
  /** The version in which records last came back to life. */
  readonly revived: number;
  /** The arrival of the last records that came in. */
  readonly arrivals: number;
  readonly segments: readonly (SegmentState & { readonly data: SegmentData })[];
}

/** What the manifest says of a segment beside where it is. */
interface SegmentState extends Deaths {
  /** Of its records that have none of their own. */
  readonly arrival: number;
  /** Of the mixes of its live records (model/hash.ts); null: not known yet. */
  readonly sum: Hash64 | null;
}

/** Which records of a segment are dead, and why. */
export interface Deaths {
  /** With a tombstone or hidden. */
  readonly dead: DeadDocs;
  /** Of the manifest that last changed this. */
  readonly deadVersion: number;
  /** How many have a tombstone. */
  readonly tombstones: number;
  /** How many are hidden, with or without a tombstone. */
  readonly hidden: number;
  /** Unix seconds of the first hiding; null if none is hidden. */
  readonly hiddenSince: number | null;
}

export interface ViewSegment extends SegmentState {
  readonly segment: Segment;
  readonly deadCount: number;
  /** Counts that need to be made only once for this segment and these tombstones (counting/breakdown.ts). */
  readonly memo: Map<string, Uint32Array>;
}

export interface View {
  readonly kind: Kind;
  readonly version: number;
  readonly revived: number;
  readonly arrivals: number;
  /** Newest first, by their last record. */
  readonly segments: readonly ViewSegment[];
}

/** A record of a view, by its segment and docId. */
export interface DocRef {
  readonly source: ViewSegment;
  readonly doc: number;
}

/** Opens what is new in `data`, and reuses the rest from `previous`. */
export function openView(data: ViewData, previous: View | undefined): View {
  const known = new Map(previous?.segments.map((old) => [old.segment.name, old]));
  const segments = data.segments.map(({ data: segmentData, ...state }): ViewSegment => {
    const old = known.get(segmentData.name);
    // A sum that has become known changes nothing else.
    if (old !== undefined && old.deadVersion === state.deadVersion) return { ...old, sum: state.sum };
    const segment = old?.segment ?? new Segment(segmentData);
    return { segment, ...state, deadCount: countDead(state.dead), memo: new Map() };
  });
  segments.sort((a, b) => b.segment.data.footer.lastCreated - a.segment.data.footer.lastCreated);
  const { kind, version, revived, arrivals } = data;
  return { kind, version, revived, arrivals, segments };
}

export function emptyView(kind: ViewData['kind']): View {
  return { kind, version: 0, revived: 0, arrivals: UNCOUNTED, segments: [] };
}

/** Number of the commit that brought a record in; UNCOUNTED where nobody knows. */
export function arrivalOf({ segment, arrival }: ViewSegment, doc: number): number {
  return segment.facts.arrival(doc) || arrival;
}

/** See Answer. */
export function lastArrival(view: View): LastArrival {
  return view.arrivals === UNCOUNTED && liveCount(view) === 0 ? 0 : view.arrivals;
}

export function countDead(dead: DeadDocs): number {
  return dead.reduce((sum, words) => sum + (words === null ? 0 : popcount(words, 0, CHUNK_WORDS)), 0);
}

export function isDead(dead: DeadDocs, doc: number): boolean {
  const words = dead[doc >>> 16];
  return words != null && ((words[(doc & 0xffff) >>> 5]! >>> (doc & 31)) & 1) === 1;
}

/** null: no live record has this id. */
export function findLive(segments: readonly ViewSegment[], id: string): DocRef | null {
  for (const source of segments) {
    if (!source.segment.mayHold(id)) continue;
    const doc = source.segment.docOf(id);
    if (doc >= 0 && !isDead(source.dead, doc)) return { source, doc };
  }
  return null;
}

/** The same dead docs and these, with fresh words for the chunks that change. */
export function withDead(dead: DeadDocs, docs: Iterable<number>): DeadDocs {
  const changed: (Uint32Array | null)[] = [...dead];
  const fresh = new Set<number>();
  for (const doc of docs) {
    const chunk = doc >>> 16;
    if (!fresh.has(chunk)) {
      const words = new Uint32Array(new SharedArrayBuffer(CHUNK_WORDS * 4));
      const old = dead[chunk];
      if (old != null) words.set(old);
      while (changed.length <= chunk) changed.push(null);
      changed[chunk] = words;
      fresh.add(chunk);
    }
    changed[chunk]![(doc & 0xffff) >>> 5]! |= 1 << (doc & 31);
  }
  return changed;
}

/** Records in the files of the view, live or not. */
export function docsOf(view: View): number {
  return view.segments.reduce((sum, { segment }) => sum + segment.docs, 0);
}

/** Records in the view. */
export function liveCount(view: View): number {
  return view.segments.reduce((sum, { segment, deadCount }) => sum + segment.docs - deadCount, 0);
}

/** Unix seconds of the first and the last record of the view; null if it is empty. */
export function timeRange(view: View): { readonly first: number | null; readonly last: number | null } {
  let first: number | null = null;
  let last: number | null = null;
  for (const { segment, dead } of view.segments) {
    let low = 0;
    while (low < segment.docs && isDead(dead, low)) low++;
    if (low === segment.docs) continue;
    let high = segment.docs - 1;
    while (isDead(dead, high)) high--;
    first = Math.min(first ?? Infinity, segment.created.at(low));
    last = Math.max(last ?? -Infinity, segment.created.at(high));
  }
  return { first, last };
}
