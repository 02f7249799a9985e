// Which imports brought in what came in since an arrival.

import type { ArrivedImport } from '../model/import-log.ts';

/** Imports whose arrivals cannot be told apart: small sources share theirs. */
export interface ImportGroup {
  /** Their arrivals, the first and the last one in. */
  readonly first: number;
  readonly last: number;
  /** Names of the sources, each once, in the order of the imports; never empty. */
  readonly sources: readonly string[];
}

/** So many groups are told apart; those before them are one. */
export const MAX_GROUPS = 32;

/** By arrival, up, without overlaps; only of what came in behind `since`. */
export function groupsSince(imports: readonly ArrivedImport[], since: number): readonly ImportGroup[] {
  const later = imports
    .filter(({ last }) => last > since)
    .map(({ first, last, source }): ImportGroup => {
      return { first: Math.max(first, since + 1), last, sources: [source] };
    });
  const groups: ImportGroup[] = [];
  for (const one of later.sort((a, b) => a.first - b.first)) {
    const before = groups.at(-1);
    if (before === undefined || one.first > before.last) groups.push(one);
    else groups[groups.length - 1] = joined(before, one);
  }
  const spare = groups.length - MAX_GROUPS;
  if (spare <= 0) return groups;
  return [groups.slice(0, spare + 1).reduce(joined), ...groups.slice(spare + 1)];
}

function joined(a: ImportGroup, b: ImportGroup): ImportGroup {
  return {
    ...{ first: a.first, last: Math.max(a.last, b.last) },
    sources: [...new Set([...a.sources, ...b.sources])],
  };
}

/** Arrivals behind which matches are to be counted, so that `countsOf` can tell of each group. */
export function boundsOf(groups: readonly ImportGroup[]): readonly number[] {
  return [...new Set(groups.flatMap(({ first, last }) => [first - 1, last]))];
}

/** How many matches each group brought in. `behind`: how many came in behind each of the bounds. */
export function countsOf(
  groups: readonly ImportGroup[],
  behind: ReadonlyMap<number, number>,
): readonly number[] {
  return groups.map(({ first, last }) => behind.get(first - 1)! - behind.get(last)!);
}
