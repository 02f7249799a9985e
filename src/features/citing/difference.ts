// The fate of a cited answer, month by month: then + in − out = now. And which imports brought in the matches since an
// arrival.

import type { ArrivedImport } from '../../model/catalogue.ts';
import { hex64, parseHex64, Sum64 } from '../../model/hash.ts';
import type { CitedKind } from './store.ts';

/** What is known since the citation; nothing happened in months that are absent. */
export interface Since {
  /** The matches of now that came in since: new records, and copies that brought another text. */
  readonly in: Pick<CitedKind, 'months'>;
  /** By month: records that removals begun since have hidden, whatever query they match. */
  readonly removed: ReadonlyMap<string, number>;
  /** By month: records that were hidden when the citation was made and that an undo brought back since. */
  readonly broughtBack: ReadonlyMap<string, number>;
}

export interface Difference {
  /** The months that have changed, ascending. */
  readonly months: readonly MonthDifference[];
}

export interface MonthDifference {
  /** `2020-01`. */
  readonly month: string;
  readonly cited: number;
  readonly now: number;
  /** null: the index cannot tell what came in since. */
  readonly since: MonthSince | null;
}

export interface MonthSince {
  readonly in: number;
  /**
   * `cited` + `in` − `now`: matches of then that are gone or changed, less records that match now without having come
   * in (by a new score or an undo). May be negative.
   */
  readonly out: number;
  /** The most of `out` that removals explain; the others have another text, or match no more. */
  readonly removed: number;
  /** The most records of the month that an undo has brought back. */
  readonly broughtBack: number;
  /** Fingerprints show that only new records differ. */
  readonly isInAlone: boolean;
}

interface Part {
  readonly count: number;
  readonly fingerprint: string;
}

const NOTHING: Part = { count: 0, fingerprint: '0'.repeat(16) };

/** `since` null: the index cannot tell. */
export function differenceOf(then: CitedKind, now: CitedKind, since: Since | null): Difference {
  const [before, after, came] = [byMonth(then), byMonth(now), byMonth(since?.in ?? { months: [] })];
  const all = [...new Set([...before.keys(), ...after.keys(), ...came.keys()])].sort();
  const months = all.flatMap((month): MonthDifference[] => {
    const [was, is, more] = [before, after, came].map((parts) => parts.get(month) ?? NOTHING) as [
      Part,
      Part,
      Part,
    ];
    if (isSame(was, is)) return [];
    const counts = { month, cited: was.count, now: is.count };
    if (since === null) return [{ ...counts, since: null }];
    const out = was.count + more.count - is.count;
    return [
      {
        ...counts,
        since: {
          ...{ in: more.count, out },
          removed: Math.min(Math.max(0, out), since.removed.get(month) ?? 0),
          broughtBack: since.broughtBack.get(month) ?? 0,
          isInAlone: out === 0 && sumOf(was, more) === is.fingerprint,
        },
      },
    ];
  });
  return { months };
}

function byMonth({ months }: Pick<CitedKind, 'months'>): ReadonlyMap<string, Part> {
  return new Map(months.map(({ month, ...part }) => [month, part]));
}

function isSame(a: Part, b: Part): boolean {
  return a.count === b.count && a.fingerprint === b.fingerprint;
}

function sumOf(...parts: readonly Part[]): string {
  const sum = new Sum64();
  for (const { fingerprint } of parts) sum.add(parseHex64(fingerprint)!);
  return hex64(sum.value());
}

export interface ImportGroup {
  /** The first and last of their arrivals. */
  readonly first: number;
  readonly last: number;
  readonly sources: readonly string[];
}

/** Groups that are told apart; all earlier ones are one. */
export const MAX_GROUPS = 32;

/** Groups by arrival, ascending, without overlaps, of arrivals after `since`. */
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

/** Arrivals after which matches must be counted, so that `countsOf` can tell each group. */
export function boundsOf(groups: readonly ImportGroup[]): readonly number[] {
  return [...new Set(groups.flatMap(({ first, last }) => [first - 1, last]))];
}

/** Matches that each group brought in. `behind`: the number after each of the bounds. */
export function countsOf(
  groups: readonly ImportGroup[],
  behind: ReadonlyMap<number, number>,
): readonly number[] {
  return groups.map(({ first, last }) => behind.get(first - 1)! - behind.get(last)!);
}
