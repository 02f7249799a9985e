// The addresses of what a search comes to, as a state that is written and read: comparisons, timelines, pictures
// and breakdowns.

import type { NameField } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import type { SearchState } from './search.ts';
import { pageAddress } from './written.ts';

/** Queries beside each other. */
export const COMPARE_PAGE = '/compare';

export function compareAddress({ query, kind }: Pick<SearchState, 'query' | 'kind'>): string {
  return pageAddress(COMPARE_PAGE, [
    ['kind', kind === 'comment' ? 'comments' : null],
    ['query', query],
  ]);
}

/** The timeline of a search as a table of CSV. */
export const TIMELINE_FILE = '/timeline.csv';

export function timelineFileAddress({ query, kind }: Pick<SearchState, 'query' | 'kind'>): string {
  return pageAddress(TIMELINE_FILE, [
    ['query', query],
    ['kind', kind === 'comment' ? 'comments' : null],
  ]);
}

/** Pictures of the matches of a query. */
export const PICTURES_PAGE = '/pictures';

/** What pictures are of. */
export type PicturesState = Pick<SearchState, 'query' | 'kind'>;

export function picturesAddress({ query, kind }: PicturesState): string {
  return pageAddress(PICTURES_PAGE, [
    ['query', query],
    ['kind', kind === 'comment' ? 'comments' : null],
  ]);
}

export interface BreakdownState {
  readonly query: string;
  readonly kind: Kind;
  readonly field: NameField;
  /** Rows whose names start with this, in any case, are shown; empty: all. */
  readonly prefix: string;
  /** From 1 on. */
  readonly page: number;
}

export const FIELD_NAMES: Readonly<Record<NameField, string>> = {
  community: 'subreddit',
  domain: 'domain',
};

export function breakdownAddress({ query, kind, field, prefix, page }: BreakdownState): string {
  return pageAddress('/breakdown', [
    ['query', query],
    ['field', FIELD_NAMES[field]],
    ['kind', kind === 'comment' ? 'comments' : null],
    ['prefix', prefix === '' ? null : prefix],
    ['page', page === 1 ? null : page],
  ]);
}
