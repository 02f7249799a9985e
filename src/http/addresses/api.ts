// The addresses of endpoints, and what else programs ask for.

import type { Kind } from '../../model/record.ts';
import { parameterString } from '../../operation/parameters.ts';
import { encodeValue } from '../../operation/query-string.ts';
import { LIST_NAMES } from './written.ts';

/** The paths of the two endpoints. */
export const SEARCH_PATHS: Readonly<Record<Kind, string>> = {
  post: '/api/v1/search/posts',
  comment: '/api/v1/search/comments',
};

/** The address of a request to an endpoint, with these parameters, in this order. */
export function endpointAddress(kind: Kind, values: Readonly<Record<string, string | number>>): string {
  return `${SEARCH_PATHS[kind]}?${parameterString(values)}`;
}

/** The paths of the analyses of each kind, by name. */
export function analysisPath(name: string, kind: Kind): string {
  return `/api/v1/${name}/${LIST_NAMES[kind]}`;
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
