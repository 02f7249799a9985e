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

/** With 6 decimals; null where there is nothing to be a share of. */
export function shareOf(count: number, of: number): number | null {
  return of === 0 ? null : rounded(count / of, 1_000_000);
}

/** With 4 decimals; null of none. `unit`: how many of what is summed up make 1. */
export function meanOf(sum: number, n: number, unit = 1): number | null {
  return n === 0 ? null : rounded(sum / n / unit, 10_000);
}

function rounded(value: number, parts: number): number {
  // `+ 0` makes 0 of −0.
  return Math.round(value * parts) / parts + 0;
}
