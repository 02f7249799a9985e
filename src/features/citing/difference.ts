// Compares a citation with the current answer, month by month: cited + in − out = now. Also counts the new matches of
// each import.

import type { ArrivedImport } from '../../model/coverage.ts';
import { fingerprintOf } from './claim.ts';
import type { CitedKind } from './store.ts';

/** Changes since the citation; absent months have none. */
export interface Since {
  /** Current matches that arrived since: new records, and newer copies with a different text. */
  readonly in: Pick<CitedKind, 'months'>;
  /** By month: records hidden by removals that began since, whether or not they match the query. */
  readonly removed: ReadonlyMap<string, number>;
  /** By month: records that removals had hidden at the time and that were restored since. */
  readonly broughtBack: ReadonlyMap<string, number>;
}

export type MonthDifference = ReturnType<typeof differenceOf>[number];
export type MonthSince = ReturnType<typeof monthSince>;

interface Part {
  readonly count: number;
  readonly fingerprint: string;
}

const NOTHING: Part = { count: 0, fingerprint: '0'.repeat(16) };

/** The months that differ, ascending. `since`: null if the index cannot count arrivals since the citation. */
export function differenceOf(then: CitedKind, now: CitedKind, since: Since | null) {
  const [before, after, came] = [byMonth(then), byMonth(now), byMonth(since?.in ?? { months: [] })];
  const all = [...new Set([...before.keys(), ...after.keys(), ...came.keys()])].sort();
  return all.flatMap((month) => {
    const [was = NOTHING, is = NOTHING, more = NOTHING] = [before, after, came].map((parts) =>
      parts.get(month),
    );
    if (was.count === is.count && was.fingerprint === is.fingerprint) return [];
    const told = since && monthSince(since, month, was, is, more);
    return [{ month, cited: was.count, now: is.count, since: told }];
  });
}

/**
 * `out`: `cited` + `in` − `now`: cited matches that are gone or changed, minus records that match again because of a
 * new score or an undo; may be negative. `removed`: upper bound of the part of `out` due to removals; the others have a
 * new text or no longer match. `broughtBack`: upper bound of the records of the month that an undo restored.
 * `isInAlone`: fingerprints prove that the only change is new records.
 */
function monthSince({ removed, broughtBack }: Since, month: string, was: Part, is: Part, more: Part) {
  const out = was.count + more.count - is.count;
  return {
    ...{ in: more.count, out },
    removed: Math.min(Math.max(0, out), removed.get(month) ?? 0),
    broughtBack: broughtBack.get(month) ?? 0,
    isInAlone: out === 0 && fingerprintOf({ months: [was, more] }) === is.fingerprint,
  };
}

function byMonth({ months }: Pick<CitedKind, 'months'>): ReadonlyMap<string, Part> {
  return new Map(months.map(({ month, ...part }) => [month, part]));
}

export interface ImportGroup {
  /** First and last arrival number of the group, inclusive. */
  readonly first: number;
  readonly last: number;
  readonly sources: readonly string[];
}

/** Maximum number of groups; the oldest are merged. */
export const MAX_GROUPS = 32;

/** Merges imports with overlapping arrivals after `since` into disjoint groups, ascending. */
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

/** Arrival numbers after which matches must be counted for `countsOf`. */
export function boundsOf(groups: readonly ImportGroup[]): readonly number[] {
  return [...new Set(groups.flatMap(({ first, last }) => [first - 1, last]))];
}

/** Number of matches from each group. `behind`: the matches after each bound. */
export function countsOf(
  groups: readonly ImportGroup[],
  behind: ReadonlyMap<number, number>,
): readonly number[] {
  return groups.map(({ first, last }) => behind.get(first - 1)! - behind.get(last)!);
}
