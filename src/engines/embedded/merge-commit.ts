// The end of a merge: the merged segment takes the place of its sources, and what happened to their records meanwhile
// happens to it. Whoever calls holds the writer's lock.

import type { HiddenRow } from './hidden-rows.ts';
import type { Manifest } from './manifest.ts';
import { LEFT_BEHIND } from './merge-lists.ts';
import { type DeadDocs, isDead } from './view.ts';
import { commitOrDiscard, discard, type MergeResult } from './writer.ts';

/** A source as the manifest has it now; null where it is dropped, because each of its records was replaced. */
type SourceNow = { readonly dead: DeadDocs; readonly hidden: readonly HiddenRow[] } | null;

/**
 * Records that died while the merge ran are dead in its result, records that were hidden are hidden in it, so that both
 * can still be told apart. False where a record that was left behind is alive again: then nothing is done, and the merge
 * is to be made anew.
 */
export function commitMerge(manifest: Manifest, result: MergeResult): boolean {
  const { segment, sources } = result;
  for (;;) {
    const { version, now } = manifest.inSnapshot(() => ({
      version: manifest.version(),
      now: sourcesNow(manifest, sources),
    }));
    const died = diedMeanwhile(sources, now);
    if (died === null) {
      if (segment !== null) discard(manifest, [segment]);
      return false;
    }
    const drop = sources.flatMap(({ name }, i) => (now[i] === null ? [] : [name]));
    if (segment === null || died.length === segment.docs) {
      if (!commitOrDiscard(manifest, { drop }, version)) continue;
      if (segment !== null) discard(manifest, [segment]);
      return true;
    }
    const change = {
      add: [segment],
      drop,
      dead: new Map(died.length > 0 ? [[segment.name, died]] : []),
      hide: hiddenMeanwhile(segment.name, sources, now),
    };
    if (commitOrDiscard(manifest, change, version)) return true;
  }
}

function sourcesNow(manifest: Manifest, sources: MergeResult['sources']): SourceNow[] {
  const names = new Set(manifest.segments().map(({ name }) => name));
  return sources.map(({ name }) =>
    names.has(name) ? { dead: manifest.dead(name), hidden: manifest.hidden(name) } : null,
  );
}

/** docIds in the merged segment of what died; null where something that was left behind is alive. */
function diedMeanwhile(sources: MergeResult['sources'], now: readonly SourceNow[]): number[] | null {
  const died: number[] = [];
  for (const [i, { map }] of sources.entries()) {
    const source = now[i]!;
    const hidden = new Set(source?.hidden.flatMap(({ docs }) => [...docs]));
    for (let doc = 0; doc < map.length; doc++) {
      const isGone = source === null || isDead(source.dead, doc);
      if (map[doc] !== LEFT_BEHIND) {
        if (isGone) died.push(map[doc]!);
      } else if (!isGone && !hidden.has(doc)) return null;
    }
  }
  return died;
}

function hiddenMeanwhile(
  segment: string,
  sources: MergeResult['sources'],
  now: readonly SourceNow[],
): HiddenRow[] {
  return sources.flatMap(({ map }, i) =>
    (now[i]?.hidden ?? []).flatMap(({ removal, time, docs }) => {
      const kept = docs.map((doc) => map[doc]!).filter((doc) => doc !== LEFT_BEHIND);
      return kept.length === 0 ? [] : [{ segment, removal, time, docs: kept.sort() }];
    }),
  );
}
