// The query parameters of the two endpoints, read with messages of our own. Contract 4.2, 4.3 and 4.6.
// The cursor itself is read in search/, by the order it belongs to.

import { ServiceError } from '../errors.ts';
import { ORDERS, type Order } from '../model/order.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../search/search-service.ts';
import { parseQueryString, shown } from './query-string.ts';

/** The names that the endpoints know, in the order in which messages list them. */
export const PARAMETERS = ['query', 'after', 'order_by', 'limit'] as const;

type Name = (typeof PARAMETERS)[number];

export interface SearchParameters {
  readonly query: string;
  readonly order: Order;
  /** 0 (counts only) to MAX_LIMIT. */
  readonly limit: number;
  /** As given; null: absent or empty. */
  readonly after: string | null;
}

/**
 * Reads the parameters of an address (path and query string). Throws `malformed_request`, `bad_encoding`,
 * `unknown_parameter`, `repeated_parameter`, `missing_query`, `bad_limit`, `bad_order`; the first in this order.
 */
export function readSearchParameters(address: string): SearchParameters {
  if (address.includes('#')) {
    throw new ServiceError(
      'malformed_request',
      'address: expected no `#` (written `%23` in a value), found one',
    );
  }
  const question = address.indexOf('?');
  const given = collect(question === -1 ? '' : address.slice(question + 1));
  const query = given.get('query');
  if (query === undefined) {
    throw new ServiceError(
      'missing_query',
      'parameter `query`: expected a query (empty for every record), found none',
    );
  }
  return {
    query,
    order: readOrder(given.get('order_by') ?? ''),
    limit: readLimit(given.get('limit')),
    after: given.get('after') || null,
  };
}

function collect(raw: string): Map<Name, string> {
  const pairs = parseQueryString(raw);
  const unknown = pairs.find(({ name }) => !isKnown(name));
  if (unknown !== undefined) {
    const known = PARAMETERS.map((name) => `\`${name}\``).join(', ');
    throw new ServiceError(
      'unknown_parameter',
      `expected ${known}, found parameter \`${shown(unknown.name)}\``,
    );
  }
  const given = new Map<Name, string>();
  for (const { name, value } of pairs as { name: Name; value: string }[]) {
    if (given.has(name)) {
      throw new ServiceError('repeated_parameter', `parameter \`${name}\`: expected it once, found it again`);
    }
    given.set(name, value);
  }
  return given;
}

function isKnown(name: string): name is Name {
  return (PARAMETERS as readonly string[]).includes(name);
}

function readOrder(text: string): Order {
  if (text === '') return 'newest';
  const order = ORDERS.find((known) => known === text);
  if (order === undefined) {
    throw new ServiceError(
      'bad_order',
      `parameter \`order_by\`: expected \`newest\`, \`oldest\` or \`top\`, found \`${shown(text)}\``,
    );
  }
  return order;
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (!(limit <= MAX_LIMIT)) {
    throw new ServiceError(
      'bad_limit',
      `parameter \`limit\`: expected a whole number from 0 to ${MAX_LIMIT}, found \`${shown(text)}\``,
    );
  }
  return limit;
}
