// Removals, in the calling thread: finds the docs of a removal, hides them, and restores them. Needs no lock: it writes
// only rows of the manifest, and only if that is still at the version that was read.

import { type CopyRules, compareCopies } from '../../../model/copies.ts';
import type { Kind, StoredRecord } from '../../../model/record.ts';
import { type Hidden, type MovedRecords, NONE_MOVED } from '../../../model/removals.ts';
import { unixNow } from '../../../model/time.ts';
import { MoveCount } from '../../shared/day-table.ts';
import { COMMUNITY, postKey } from '../format/keys.ts';
import type { Manifest } from '../index/manifest.ts';
import { type HiddenRow, withHidden } from '../index/manifest-rows.ts';
import { entryDocs } from '../index/posting-list.ts';
import { type DeadDocs, isDead, type Segment, withDead } from '../index/segment.ts';
import { type ChangedDocs, sumsAfter } from '../index/segment-sums.ts';
import type { DocRef, View, ViewSegment } from '../index/view.ts';
import { commitAt } from './commit.ts';

/** Buried records of one batch. */
const BURIED_AT_ONCE = 1_000;

/** docIds by name of the segment, ascending, live or dead; segments without any have an empty list. */
export type FoundDocs = ReadonlyMap<string, Uint32Array>;

/** Searches these segments of the view; segments outside the view are absent from the result. */
export function findDocs(view: View, names: readonly string[], what: Hidden): FoundDocs {
  const found = new Map<string, Uint32Array>();
  for (const { segment } of view.segments) {
    if (names.includes(segment.name)) found.set(segment.name, docsOf(segment, view.kind, what));
  }
  return found;
}

function docsOf(segment: Segment, kind: Kind, what: Hidden): Uint32Array {
  if ('community' in what) return keyDocs(segment, COMMUNITY + what.community);
  const docs = new Set<number>();
  const byId = 'ids' in what || kind === 'post';
  for (const id of 'ids' in what ? what.ids : what.threads) {
    if (!byId) for (const doc of keyDocs(segment, postKey(kind, id))) docs.add(doc);
    else if (segment.mayHold(id)) {
      const doc = segment.docOf(id);
      if (doc >= 0) docs.add(doc);
    }
  }
  return Uint32Array.from(docs).sort();
}

function keyDocs(segment: Segment, key: string): Uint32Array {
  const entry = segment.dictionary.find(key);
  return entry === null ? new Uint32Array() : entryDocs(segment, entry).slice();
}

/**
 * Hides these docs at this version of the manifest; null: it has changed. Commits even without docs, so that batches
 * prepared before look at the list of removals again. Returns the numbers of those that were live.
 */
export function hideDocs(
  manifest: Manifest,
  view: View,
  removal: number,
  found: FoundDocs,
  version: number,
): MovedRecords | null {
  if (view.version !== version) return null;
  const time = unixNow();
  const hide: HiddenRow[] = [];
  const changed: ChangedDocs[] = [];
  const hid = new MoveCount();
  for (const source of view.segments) {
    const { segment, dead } = source;
    const docs = found.get(segment.name) ?? new Uint32Array();
    if (docs.length === 0) continue;
    hide.push({ segment: segment.name, removal, time, docs });
    const without = docs.filter((doc) => !isDead(dead, doc));
    for (const doc of without) hid.add(segment.created.at(doc));
    changed.push({ source, without });
  }
  return commitAt(manifest, { hide, sums: sumsAfter(changed) }, version) ? hid.value() : null;
}

export function* buriedRecords(view: View): Generator<readonly StoredRecord[]> {
  for (const { segment, dead, deadCount } of view.segments) {
    let batch: StoredRecord[] = [];
    for (let doc = 0; deadCount > 0 && doc < segment.docs; doc++) {
      if (isDead(dead, doc)) batch.push(segment.record(doc));
      if (batch.length < BURIED_AT_ONCE) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
}

/**
 * Restores what the removal hides of one kind; null: the manifest is not that of the view. If several copies of an id
 * would be live, the highest stays and the others get a tombstone. Returns the numbers of restored records.
 */
export function restoreDocs(
  manifest: Manifest,
  view: View,
  removal: number,
  rules: CopyRules,
): MovedRecords | null {
  const back = manifest.inSnapshot(() =>
    manifest.version() === view.version ? comingBack(manifest, removal) : null,
  );
  if (back === null) return null;
  if (back.size === 0) return NONE_MOVED;
  const isLive = ({ source, doc }: DocRef) => !isDead(source.dead, doc);
  const isBack = ({ source, doc }: DocRef) => isDead(back.get(source.segment.name) ?? [], doc);
  const changed = view.segments.map((source) => ({
    ...{ source, replaced: new Set<number>(), back: new Set<number>() },
  }));
  const of = (source: ViewSegment) => changed[view.segments.indexOf(source)]!;
  const restored = new MoveCount();
  for (const place of backPlaces(view, back)) {
    const copies = copiesOf(view, place);
    // Among equal copies, one that is live stays.
    const [best, ...others] = [...copies.filter(isLive), ...copies.filter(isBack)].sort((a, b) =>
      compareCopies(recordOf(b), recordOf(a), rules),
    );
    if (best!.source === place.source) {
      restored.add(place.source.segment.created.at(place.doc));
      of(place.source).back.add(place.doc);
    }
    for (const { source, doc } of others) of(source).replaced.add(doc);
  }
  // Replaced docs get a tombstone, live or not.
  const dead = new Map(
    changed.flatMap(({ source, replaced }) =>
      replaced.size === 0 ? [] : [[source.segment.name, [...replaced]]],
    ),
  );
  const sums = sumsAfter(
    changed.map(({ source, replaced, back: revived }) => {
      return { source, without: [...replaced].filter((doc) => !isDead(source.dead, doc)), back: revived };
    }),
  );
  // uncovered: another process commits at the same moment
  return commitAt(manifest, { restore: removal, dead, sums }, view.version) ? restored.value() : null;
}

/** By name of the segment: one bit for each doc that only this removal hides. Empty: it hides nothing. */
function comingBack(manifest: Manifest, removal: number): ReadonlyMap<string, DeadDocs> {
  const back = new Map<string, DeadDocs>();
  for (const { segment, docs } of manifest.hiddenBy(removal)) {
    const others = manifest.hidden(segment).filter((row) => row.removal !== removal);
    const out = withHidden(others, manifest.dead(segment));
    back.set(
      segment,
      withDead(
        [],
        docs.filter((doc) => !isDead(out, doc)),
      ),
    );
  }
  return back;
}

function* backPlaces(view: View, back: ReadonlyMap<string, DeadDocs>): Generator<DocRef> {
  for (const source of view.segments) {
    const docs = back.get(source.segment.name) ?? [];
    for (let doc = 0; doc < source.segment.docs; doc++) if (isDead(docs, doc)) yield { source, doc };
  }
}

/** All copies of this id, live or dead, itself included, in the order of the view. */
function copiesOf(view: View, { source, doc }: DocRef): DocRef[] {
  const id = source.segment.id(doc);
  return view.segments.flatMap((other) => {
    const copy = other === source ? doc : other.segment.mayHold(id) ? other.segment.docOf(id) : -1;
    return copy >= 0 ? [{ source: other, doc: copy }] : [];
  });
}

function recordOf({ source, doc }: DocRef) {
  return source.segment.record(doc);
}
