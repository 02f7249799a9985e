// What shares are of: a second query, made of the first. And how shares and means are rounded.

import type { Query, QueryItem } from '../model/query.ts';
import { printQuery } from '../search/language/print-query.ts';

export const NORMALISES = ['scope', 'all', 'none'] as const;

/**
 * `scope`: the query without its words, phrases, prefixes and any-ofs, included or excluded. `all`: its dates alone.
 * `none`: there are no shares.
 */
export type Normalise = (typeof NORMALISES)[number];

/** The query that shares are of, and its canonical form; null: there are none. */
export interface Scope {
  readonly query: Query;
  readonly echo: string;
}

export function scopeOf(query: Query, normalise: Normalise): Scope | null {
  if (normalise === 'none') return null;
  const isKept = normalise === 'scope' ? isNoWord : isDate;
  const scope = { items: query.items.filter(isKept) };
  return { query: scope, echo: printQuery(scope) };
}

function isNoWord({ kind }: QueryItem): boolean {
  return kind !== 'words';
}

function isDate({ kind }: QueryItem): boolean {
  return kind === 'before' || kind === 'after';
}

/** With 6 decimals, halves up; null where there is nothing to be a share of. */
export function shareOf(count: number, of: number): number | null {
  return of === 0 ? null : Math.round((count * 1_000_000) / of) / 1_000_000;
}

/** With 4 decimals, halves up; null of none. `unit`: how many of what is summed up make 1. */
export function meanOf(sum: number, n: number, unit = 1): number | null {
  // `+ 0` makes 0 of −0.
  return n === 0 ? null : Math.round((sum * (10_000 / unit)) / n) / 10_000 + 0;
}
