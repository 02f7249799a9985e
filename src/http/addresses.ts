// The state of the search page, and the one address of each state: the API's names, in a fixed order, defaults left out.

import { ServiceError } from '../errors.ts';
import { ORDERS, type Order } from '../model/order.ts';
import type { Kind } from '../model/record.ts';
import { encodeValue, parseQueryString, shown } from './query-string.ts';

/** How many results a page may have; the first is the default. */
export const PAGE_SIZES = [25, 50, 100] as const;

export type PageSize = (typeof PAGE_SIZES)[number];

export interface SearchState {
  /** As written; empty: every record. */
  readonly query: string;
  readonly kind: Kind;
  readonly order: Order;
  /** The cursor; null: the first page. */
  readonly after: string | null;
  readonly limit: PageSize;
  /**
   * The way here, as cursors of the pages before this one, the nearest last; 0 is the first page. Empty where it is not
   * known. Not a part of what is shown: the canonical address is without it.
   */
  readonly trail: readonly string[];
}

/** So many pages can be gone back in a row. */
export const MAX_TRAIL = 40;

export const LIST_NAMES: Readonly<Record<Kind, 'posts' | 'comments'>> = {
  post: 'posts',
  comment: 'comments',
};

/**
 * The state that an address asks for; null where it has no `query`. Other parameters are passed over, and of one that
 * is given twice the first counts: addresses are sent around, and people add to them. Throws `bad_encoding`,
 * `bad_order`, `bad_limit`, `malformed_request` (for `in`).
 */
export function readSearchState(address: string): SearchState | null {
  const given = readParameters(address);
  const query = given.get('query');
  if (query === undefined) return null;
  return {
    query: query.trim(),
    kind: readKind(given.get('in') ?? ''),
    order: readOrder(given.get('order_by') ?? ''),
    after: given.get('after') || null,
    limit: readLimit(given.get('limit') ?? ''),
    trail: given.get('after') ? readTrail(given.get('trail') ?? '') : [],
  };
}

/** The first page of the same list. */
export function firstPage(state: SearchState): SearchState {
  return { ...state, after: null, trail: [] };
}

/** The page behind this one. */
export function nextPage(state: SearchState, cursor: number): SearchState {
  const trail = [...state.trail, state.after ?? '0'];
  return { ...state, after: String(cursor), trail: trail.slice(-MAX_TRAIL) };
}

/** The page before this one; null where the address does not know it. */
export function previousPage(state: SearchState): SearchState | null {
  const after = state.trail.at(-1);
  if (after === undefined) return null;
  return after === '0' ? firstPage(state) : { ...state, after, trail: state.trail.slice(0, -1) };
}

/** `/search?query=…`, the same for the same state. */
export function searchAddress(state: Partial<SearchState> & { readonly query: string }): string {
  const parameters = [
    ['query', state.query],
    ['order_by', state.order === 'newest' ? undefined : state.order],
    ['after', state.after],
    ['in', state.kind === 'comment' ? 'comments' : undefined],
    ['limit', state.limit === PAGE_SIZES[0] ? undefined : state.limit],
    ['trail', state.trail?.join('.') || undefined],
  ] as const;
  return `/search?${queryString(parameters)}`;
}

export type BreakdownField = 'community' | 'domain';

export interface BreakdownState {
  readonly query: string;
  readonly kind: Kind;
  readonly field: BreakdownField;
  /** From 1 on. */
  readonly page: number;
}

const FIELD_NAMES: Readonly<Record<BreakdownField, string>> = { community: 'subreddits', domain: 'domains' };

/** Throws as `readSearchState` does, and `missing_query`. */
export function readBreakdownState(address: string): BreakdownState {
  const given = readParameters(address);
  const query = given.get('query');
  if (query === undefined) throw new ServiceError('missing_query', 'expected a query, found none');
  const by = given.get('by') ?? '';
  const field = (['community', 'domain'] as const).find((known) => FIELD_NAMES[known] === by);
  if (field === undefined) {
    throw new ServiceError(
      'malformed_request',
      `parameter \`by\`: expected \`subreddits\` or \`domains\`, found \`${shown(by)}\``,
    );
  }
  return {
    query: query.trim(),
    kind: readKind(given.get('in') ?? ''),
    field,
    page: readPageNumber(given.get('page') ?? ''),
  };
}

export function breakdownAddress({ query, kind, field, page }: BreakdownState): string {
  const parameters = [
    ['query', query],
    ['by', FIELD_NAMES[field]],
    ['in', kind === 'comment' ? 'comments' : undefined],
    ['page', page === 1 ? undefined : page],
  ] as const;
  return `/breakdown?${queryString(parameters)}`;
}

/** `a=1&b=2`, without those that are null or undefined. */
export function queryString(
  parameters: readonly (readonly [string, string | number | null | undefined])[],
): string {
  return parameters
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${encodeValue(String(value)).replaceAll('%20', '+')}`)
    .join('&');
}

/** Of a parameter that is given twice the first counts. Throws `bad_encoding`. */
export function readParameters(address: string): Map<string, string> {
  const question = address.indexOf('?');
  const given = new Map<string, string>();
  for (const { name, value } of parseQueryString(question === -1 ? '' : address.slice(question + 1))) {
    if (!given.has(name)) given.set(name, value);
  }
  return given;
}

function readKind(text: string): Kind {
  if (text === '' || text === 'posts') return 'post';
  if (text === 'comments') return 'comment';
  throw new ServiceError(
    'malformed_request',
    `parameter \`in\`: expected \`posts\` or \`comments\`, found \`${shown(text)}\``,
  );
}

/** Empty for what is no trail: an address that was cut or edited still shows its page. */
function readTrail(text: string): readonly string[] {
  const trail = text.split('.');
  return trail.length <= MAX_TRAIL && trail.every((cursor) => /^(?:0|[1-9]\d{0,15})$/.test(cursor))
    ? trail
    : [];
}

function readOrder(text: string): Order {
  if (text === '') return 'newest';
  const order = ORDERS.find((known) => known === text);
  if (order !== undefined) return order;
  throw new ServiceError(
    'bad_order',
    `parameter \`order_by\`: expected \`newest\`, \`oldest\` or \`top\`, found \`${shown(text)}\``,
  );
}

function readPageNumber(text: string): number {
  if (text === '') return 1;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new ServiceError(
    'malformed_request',
    `parameter \`page\`: expected a whole number from 1 to 9,999,999, found \`${shown(text)}\``,
  );
}

function readLimit(text: string): PageSize {
  if (text === '') return PAGE_SIZES[0];
  const size = PAGE_SIZES.find((known) => String(known) === text);
  if (size !== undefined) return size;
  throw new ServiceError(
    'bad_limit',
    `parameter \`limit\`: expected ${PAGE_SIZES.join(', ')}, found \`${shown(text)}\``,
  );
}
