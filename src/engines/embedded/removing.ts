// Removals, in the thread that calls it: which docs of a segment a removal means, hiding them, taking them back. Needs no
// lock: it writes nothing but rows of the manifest, and only where that is what it was looked at.

import { type CopyRules, compareCopies } from '../../model/copies.ts';
import type { Kind, StoredRecord } from '../../model/record.ts';
import type { Hidden } from '../../model/removals.ts';
import type { HiddenRow } from './hidden-rows.ts';
import { COMMUNITY, postKey } from './keys.ts';
import type { Change, Manifest } from './manifest.ts';
import { entryDocs } from './prefixes.ts';
import type { Segment } from './segment.ts';
import { isDead, type View } from './view.ts';
import { commitOrDiscard, type Place } from './writer.ts';

/** What can be found by the lists of a segment. */
export type Listed = Exclude<Hidden, { readonly refusedBy: unknown }>;

/** docIds by name of the segment, up, live or dead; segments without one have an empty list. */
export type FoundDocs = ReadonlyMap<string, Uint32Array>;

/** Looks through these segments of the view; one that is not in it is absent from the result. */
export function findDocs(view: View, names: readonly string[], what: Listed): FoundDocs {
  const found = new Map<string, Uint32Array>();
  for (const { segment } of view.segments) {
    if (names.includes(segment.name)) found.set(segment.name, docsOf(segment, view.kind, what));
  }
  return found;
}

function docsOf(segment: Segment, kind: Kind, what: Listed): Uint32Array {
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
 * Hides these docs under the removal, at this version of the manifest: null where it has changed. Commits where there is
 * nothing to hide too, so that a batch that was prepared before looks at the list of removals again. Returns how many
 * of them were alive.
 */
export function hideDocs(
  manifest: Manifest,
  view: View,
  removal: number,
  found: FoundDocs,
  version: number,
): number | null {
  if (view.version !== version) return null;
  const time = Math.floor(Date.now() / 1000);
  const hide: HiddenRow[] = [];
  let hid = 0;
  for (const { segment, dead } of view.segments) {
    const docs = found.get(segment.name) ?? new Uint32Array();
    if (docs.length === 0) continue;
    hide.push({ segment: segment.name, removal, time, docs });
    for (const doc of docs) if (!isDead(dead, doc)) hid++;
  }
  return commitOrDiscard(manifest, { hide }, version) ? hid : null;
}

/** Records `from` to `to` of a segment, live or dead, in the order of their docIds; null where it is not in the view. */
export function recordsOf(
  view: View,
  name: string,
  from: number,
  to: number,
): readonly StoredRecord[] | null {
  const source = view.segments.find(({ segment }) => segment.name === name);
  if (source === undefined) return null;
  const { segment } = source;
  return Array.from({ length: Math.max(0, Math.min(to, segment.docs) - from) }, (_, i) =>
    segment.record(from + i),
  );
}

/**
 * Takes back what the removal hides of one kind: null where the manifest is not that of the view. Where several copies of
 * an id would be alive then, the one that ranks highest stays and the others get a tombstone. Returns how many are back.
 */
export function restoreDocs(
  manifest: Manifest,
  view: View,
  removal: number,
  rules: CopyRules,
): number | null {
  const back = manifest.inSnapshot(() =>
    manifest.version() === view.version ? docsComingBack(manifest, view, removal) : null,
  );
  if (back === null) return null;
  if (back.rows === 0) return 0;
  const dead = new Map<string, number[]>();
  let restored = 0;
  for (const places of Map.groupBy(back.places, ({ source, doc }) => source.segment.id(doc)).values()) {
    const { source, doc } = places[0]!;
    const live = livePlaces(view, source.segment.id(doc));
    const [best, ...others] = [...live, ...places].sort((a, b) =>
      compareCopies(recordOf(b), recordOf(a), rules),
    );
    if (places.includes(best!)) restored++;
    for (const other of others) {
      const { name } = other.source.segment;
      dead.set(name, [...(dead.get(name) ?? []), other.doc]);
    }
  }
  const change: Change = { restore: removal, dead };
  return commitOrDiscard(manifest, change, view.version) ? restored : null;
}

/** Docs that nothing but this removal keeps out, and how many rows it has. */
function docsComingBack(
  manifest: Manifest,
  view: View,
  removal: number,
): { readonly rows: number; readonly places: readonly Place[] } {
  const rows = manifest.hiddenBy(removal);
  const places = rows.flatMap(({ segment, docs }) => {
    const source = view.segments.find((one) => one.segment.name === segment);
    if (source === undefined) return [];
    const tombstones = manifest.dead(segment);
    const others = manifest.hidden(segment).filter((row) => row.removal !== removal);
    const elsewhere = new Set(others.flatMap((row) => [...row.docs]));
    return [...docs]
      .filter((doc) => !isDead(tombstones, doc) && !elsewhere.has(doc))
      .map((doc): Place => ({ source, doc }));
  });
  return { rows: rows.length, places };
}

function livePlaces(view: View, id: string): Place[] {
  return view.segments.flatMap((source) => {
    const doc = source.segment.mayHold(id) ? source.segment.docOf(id) : -1;
    return doc >= 0 && !isDead(source.dead, doc) ? [{ source, doc }] : [];
  });
}

function recordOf({ source, doc }: Place) {
  return source.segment.record(doc);
}
