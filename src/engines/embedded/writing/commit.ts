// How changes of the manifest are committed, and files that it no longer names are deleted. At the end of a merge the
// merged segments replace its sources, and take over what happened to their records meanwhile: its caller holds the
// writer's lock.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { log } from '../../../log.ts';
import { type Hash64, Sum64 } from '../../../model/hash.ts';
import { type Change, ConflictError, type Manifest, type NewSegment } from '../index/manifest.ts';
import { type HiddenRow, withHidden } from '../index/manifest-rows.ts';
import { type DeadDocs, isDead } from '../index/segment.ts';
import { MAX_SUMMED, mixOf } from '../index/segment-sums.ts';
import type { View } from '../index/view.ts';
import type { Cut } from './merge-policy.ts';
import { LEFT_BEHIND } from './merged-lists.ts';

/** Does nothing and returns false if the manifest is no longer at this version. Deletes dropped files. */
export function commitAt(manifest: Manifest, change: Change, version: number): boolean {
  try {
    manifest.commit(change, version);
  } catch (error) {
    if (error instanceof ConflictError) return false;
    // A commit that fails may be there all the same after a power cut (where syncing the log failed, all of it may be
    // on disk), so new files stay until the next writer finds that nothing names them.
    throw error;
  }
  for (const name of change.drop ?? []) deleteFile(manifest, name);
  return true;
}

/** Takes back files that no manifest names. */
export function discard(manifest: Manifest, segments: readonly NewSegment[]): void {
  for (const { name } of segments) deleteFile(manifest, name);
}

/** A file that stays changes nothing about a commit or an earlier failure: the next writer deletes it. */
function deleteFile(manifest: Manifest, name: string): void {
  try {
    rmSync(segmentPath(manifest, name), { force: true });
  } catch (error) {
    // uncovered: a disk that fails to delete
    log.warn({ err: error }, 'a file that no manifest names could not be deleted');
  }
}

export function segmentPath(manifest: Manifest, name: string): string {
  return join(manifest.folder, `${name}.seg`);
}

/** A source as it is in the manifest now; null if it was dropped because each of its records was replaced. */
type SourceNow = { readonly dead: DeadDocs; readonly hidden: readonly HiddenRow[] } | null;

/**
 * Records that died while the merge ran are dead in its result, records that were hidden are hidden in it, so
 * that both can still be told apart. Does nothing and returns false if a record that was left behind is alive
 * again, or is hidden and the merge is not one that erases: another must then be planned. `view` has the sources.
 */
export function commitMerge(manifest: Manifest, view: View, result: MergeResult): boolean {
  const { segments, sources, erases } = result;
  for (;;) {
    const { version, now } = manifest.inSnapshot(() => ({
      version: manifest.version(),
      now: sourcesNow(manifest, sources),
    }));
    const died = diedMeanwhile(sources, now, erases);
    if (died === null) {
      discard(manifest, segments);
      return false;
    }
    const drop = sources.flatMap(({ name }, i) => (now[i] === null ? [] : [name]));
    const deaths = bySegment(segments, died);
    const whole = segments.filter(({ name, docs }) => deaths.get(name)?.length === docs);
    const add = segments.filter((segment) => !whole.includes(segment));
    for (const { name } of whole) deaths.delete(name);
    const hide = hiddenMeanwhile(add, segments, sources, now);
    const sums = sumsMeanwhile(view, segments, sources, now);
    // uncovered: another process commits at the same moment
    if (!commitAt(manifest, { add, drop, dead: deaths, hide, sums }, version)) continue;
    discard(manifest, whole);
    return true;
  }
}

function sourcesNow(manifest: Manifest, sources: MergeResult['sources']): SourceNow[] {
  const names = new Set(manifest.segments().map(({ name }) => name));
  return sources.map(({ name }) =>
    names.has(name) ? { dead: manifest.dead(name), hidden: manifest.hidden(name) } : null,
  );
}

/**
 * docIds in the merged segments, one behind the other, of what died; null where something that was left behind is
 * alive, or may be again.
 */
function diedMeanwhile(
  sources: MergeResult['sources'],
  now: readonly SourceNow[],
  erases: boolean,
): number[] | null {
  const died: number[] = [];
  for (const [i, { map }] of sources.entries()) {
    const source = now[i]!;
    const hidden = withHidden(source?.hidden ?? []);
    for (let doc = 0; doc < map.length; doc++) {
      const isGone = source === null || isDead(source.dead, doc);
      if (map[doc] !== LEFT_BEHIND) {
        if (isGone) died.push(map[doc]!);
      } else if (!isGone && !(erases && isDead(hidden, doc))) return null;
    }
  }
  return died;
}

function hiddenMeanwhile(
  added: readonly NewSegment[],
  segments: readonly NewSegment[],
  sources: MergeResult['sources'],
  now: readonly SourceNow[],
): HiddenRow[] {
  return sources.flatMap(({ map }, i) =>
    (now[i]?.hidden ?? []).flatMap(({ removal, time, docs }) => {
      const kept = [...docs].map((doc) => map[doc]!).filter((doc) => doc !== LEFT_BEHIND);
      const byName = bySegment(segments, kept);
      return added.flatMap(({ name }) => {
        const held = byName.get(name);
        return held === undefined ? [] : [{ segment: name, removal, time, docs: Uint32Array.from(held) }];
      });
    }),
  );
}

/** Sums of the merged segments without what died or was hidden meanwhile; one that is not known is absent. */
function sumsMeanwhile(
  view: View,
  segments: readonly NewSegment[],
  sources: MergeResult['sources'],
  now: readonly SourceNow[],
): ReadonlyMap<string, Hash64> {
  const sums = new Map(segments.flatMap(({ name, sum }) => (sum === null ? [] : [[name, new Sum64(sum)]])));
  let summed = 0;
  for (const [i, { name: of, map }] of sources.entries()) {
    const source = view.segments.find(({ segment }) => segment.name === of);
    for (const doc of goneDocs(map, now[i]!)) {
      const name = segmentWith(segments, map[doc]!);
      // uncovered: each record of the source was replaced, or more than MAX_SUMMED, while the merge ran
      if (source === undefined || ++summed > MAX_SUMMED) sums.delete(name);
      else sums.get(name)?.subtract(mixOf(source.segment, doc));
    }
  }
  return new Map(Array.from(sums, ([name, left]) => [name, left.value()]));
}

/** docIds of a source that went into a merged segment and are dead or hidden now. */
function* goneDocs(map: Uint32Array, now: SourceNow): Generator<number> {
  const hidden = withHidden(now?.hidden ?? []);
  for (let doc = 0; doc < map.length; doc++) {
    if (map[doc] === LEFT_BEHIND) continue;
    if (now === null || isDead(now.dead, doc) || isDead(hidden, doc)) yield doc;
  }
}

/** Of the segments, numbered one behind the other, the one with this docId. */
function segmentWith(segments: readonly NewSegment[], doc: number): string {
  let at = 0;
  for (let end = segments[0]!.docs; doc >= end; end += segments[at]!.docs) at++;
  return segments[at]!.name;
}

/** docIds that number the segments one behind the other, as docIds of each, up; segments without any are absent. */
function bySegment(segments: readonly NewSegment[], docs: readonly number[]): Map<string, number[]> {
  const sorted = Uint32Array.from(docs).sort();
  const found = new Map<string, number[]>();
  let base = 0;
  let at = 0;
  for (const { name, docs: count } of segments) {
    const own: number[] = [];
    while (at < sorted.length && sorted[at]! < base + count) own.push(sorted[at++]! - base);
    if (own.length > 0) found.set(name, own);
    base += count;
  }
  return found;
}

/** `erases`: what removals hide is left behind for good. Otherwise a merge that would do so is not committed. */
export interface MergePlan extends Cut {
  readonly erases: boolean;
}

/** A merge that is not committed yet. */
export interface MergeResult extends Pick<MergePlan, 'erases'> {
  /** In the order of time. Empty: no record of the sources is alive. */
  readonly segments: readonly NewSegment[];
  /** `map`: the docId of each docId in the new segments, numbered one behind the other, or LEFT_BEHIND. */
  readonly sources: readonly { readonly name: string; readonly map: Uint32Array }[];
}
