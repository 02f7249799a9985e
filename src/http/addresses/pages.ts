// The addresses of pages without a state of their own, or with one that is a name; those of the documentation last.

import { pageAddress, readFirst } from './written.ts';

/** Settings that need no account. */
export const SETTINGS_PAGE = '/settings';

/** The same, once they are saved. */
export const SETTINGS_SAVED = `${SETTINGS_PAGE}?saved=1`;

/** The same, to return to this path afterwards. */
export function settingsAddress(here: string): string {
  return pageAddress(SETTINGS_PAGE, [['return', here === '/' ? null : here]]);
}

/** The path to go on to, as the address asks; null if it does not. Throws `bad_encoding`. */
export function readReturn(address: string): string | null {
  return readFirst(address).get('return') ?? null;
}

/** The reference of the API; each endpoint has a page below it. */
export const REFERENCE_PATH = '/docs/reference';

/** Where people who are signed in try an endpoint, by its name. */
export const RUN_PATH = '/docs/run';

/** Search in the documentation. */
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
