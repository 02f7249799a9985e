// The addresses of the API and its reference, and of what a search comes to: comparisons, timelines, pictures,
// breakdowns.

import type { NameField } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import { parameterString } from '../../operation/parameters.ts';
import { encodeValue } from '../../operation/query-string.ts';
import { LIST_NAMES, pageAddress, readFirst, type SearchState } from './search.ts';

export const SETTINGS_PAGE = '/settings';

export const SETTINGS_SAVED = `${SETTINGS_PAGE}?saved=1`;

export function settingsAddress(here: string): string {
  return pageAddress(SETTINGS_PAGE, [['return', here === '/' ? null : here]]);
}

/** The path to go on to, as the address asks; null if it does not. Throws `bad_encoding`. */
export function readReturn(address: string): string | null {
  return readFirst(address).get('return') ?? null;
}

export const REFERENCE_PATH = '/docs/reference';

/** Where people who are signed in try an endpoint, by its name. */
export const RUN_PATH = '/docs/run';

export const DOCS_SEARCH = '/docs/search';

/** What an endpoint is called in addresses: `search-posts`, `thread`, `datasets-name`. */
export function endpointName(path: string): string {
  return path.replace('/api/v1', '').replace(/[{}:]/g, '').slice(1).replaceAll('/', '-');
}

export function endpointPage(path: string): string {
  return `${REFERENCE_PATH}/${endpointName(path)}`;
}

export function runAddress(path: string): string {
  return `${RUN_PATH}/${endpointName(path)}`;
}

export const SEARCH_PATHS: Readonly<Record<Kind, string>> = {
  post: '/api/v1/search/posts',
  comment: '/api/v1/search/comments',
};

/** The address of a request to an endpoint, with these parameters, in this order. */
export function endpointAddress(kind: Kind, values: Readonly<Record<string, string | number>>): string {
  return `${SEARCH_PATHS[kind]}?${parameterString(values)}`;
}

export function analysisPath(name: string, kind: Kind): string {
  return `/api/v1/${name}/${LIST_NAMES[kind]}`;
}

/** The address of an operation's answer as a table for spreadsheets, to which a page links. */
export function tableAddress(
  name: string,
  kind: Kind,
  values: readonly (readonly [name: string, value: string])[],
): string {
  return requestAddress(analysisPath(name, kind), {}, [...values, ['format', 'csv-excel']]);
}

/**
 * The address of a request to an endpoint: its path as in the OpenAPI document (`/api/v1/thread/{post}`) with the parts
 * by name, and parameters, of which one may come several times.
 */
export function requestAddress(
  path: string,
  parts: Readonly<Record<string, string>>,
  parameters: readonly (readonly [name: string, value: string])[],
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeValue(parts[name] ?? name));
  const search = parameters.map(([name, value]) => `${name}=${encodeValue(value)}`).join('&');
  return search === '' ? filled : `${filled}?${search}`;
}

export const COMPARE_PAGE = '/compare';

export function compareAddress({ query, kind }: Pick<SearchState, 'query' | 'kind'>): string {
  return pageAddress(COMPARE_PAGE, [
    ['kind', kind === 'comment' ? 'comments' : null],
    ['query', query],
  ]);
}

export const PICTURES_PAGE = '/pictures';

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
