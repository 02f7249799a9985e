// The addresses of the documentation.

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
