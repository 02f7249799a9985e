// The pages of the documentation that explain: files of docs/ that callers need.

import { readFileSync } from 'node:fs';

export interface Guide {
  readonly path: string;
  readonly file: string;
  readonly name: string;
  /** The beginnings of the names of the endpoints that it explains. */
  readonly endpoints?: readonly string[];
}

/** In the order of the navigation. */
export const GUIDES: readonly Guide[] = [
  { path: '/docs', file: 'api.md', name: 'API', endpoints: ['search', 'records'] },
  { path: '/docs/query-language', file: 'query-language.md', name: 'Query language' },
  {
    ...{ path: '/docs/analysis', file: 'analysis.md', name: 'Analyses' },
    endpoints: ['timeline', 'counts', 'explain', 'breakdown'],
  },
  { path: '/docs/samples', file: 'samples.md', name: 'Samples', endpoints: ['sample', 'words'] },
  { path: '/docs/exporting', file: 'exporting.md', name: 'Exports', endpoints: ['export'] },
  { path: '/docs/threads', file: 'threads.md', name: 'Threads', endpoints: ['thread'] },
  { path: '/docs/coverage', file: 'coverage.md', name: 'Coverage', endpoints: ['coverage'] },
  { path: '/docs/citing', file: 'citing.md', name: 'Citing', endpoints: ['citations'] },
  { path: '/docs/datasets', file: 'datasets.md', name: 'Data sets', endpoints: ['datasets'] },
  { path: '/docs/feeds', file: 'feeds.md', name: 'Feeds', endpoints: ['saved'] },
  { path: '/docs/errors', file: 'errors.md', name: 'Errors' },
  { path: '/docs/limits', file: 'limits.md', name: 'Limits' },
];

/** The guide that explains an endpoint; null: none. */
export function guideTo(endpoint: string): Guide | null {
  return GUIDES.find(({ endpoints = [] }) => endpoints.includes(endpoint.split('-')[0]!)) ?? null;
}

export function guideText({ file }: Guide): string {
  return readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8');
}
