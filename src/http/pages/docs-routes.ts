// The documentation: the files of docs/ that callers need, rendered, with examples that name this server.

import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { addPageRead } from '../site/page-paths.ts';
import { frameOf, type Site, sendPage } from '../site/respond.ts';
import { docsPage, LOOPS } from '../views/docs-page.ts';
import { type RenderedDocument, renderMarkdown } from '../views/markdown.ts';

export const REFERENCE_PATH = '/docs/reference';

const FILES = [
  { path: '/docs', file: 'api.md', name: 'API' },
  { path: '/docs/query-language', file: 'query-language.md', name: 'Query language' },
  { path: '/docs/analysis', file: 'analysis.md', name: 'Analyses' },
  { path: '/docs/samples', file: 'samples.md', name: 'Samples' },
  { path: '/docs/exporting', file: 'exporting.md', name: 'Exports' },
  { path: '/docs/threads', file: 'threads.md', name: 'Threads' },
  { path: '/docs/coverage', file: 'coverage.md', name: 'Coverage' },
  { path: '/docs/datasets', file: 'datasets.md', name: 'Data sets' },
  { path: '/docs/errors', file: 'errors.md', name: 'Errors' },
  { path: '/docs/limits', file: 'limits.md', name: 'Limits' },
] as const;

/** The pages of the documentation in the order of their navigation. */
export const DOCUMENTS = [...FILES, { path: REFERENCE_PATH, name: 'Reference' }] as const;

/** The server's address in the files' examples, with and without its scheme. */
const WRITTEN_ADDRESS = /http:\/\/127\.0\.0\.1:8080/g;

export function addDocsPages(server: FastifyInstance, site: Site): void {
  for (const { path, file, name } of FILES) {
    const text = readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8');
    addPageRead(server, path, async (request, reply) => {
      const frame = await frameOf(site, request);
      const rendered = renderFor(text, frame.publicAddress, path === '/docs');
      const main = docsPage({
        document: rendered,
        documents: DOCUMENTS,
        path,
        publicAddress: frame.publicAddress,
        isSignedIn: frame.viewer !== null,
      });
      const page = {
        title: name,
        main,
        canonical: path,
        isListed: true,
        section: 'docs',
        mainClass: 'wide',
      } as const;
      return sendPage(site, request, reply, frame, page);
    });
  }
}

/** `skipStart`: leave out the file's own quick start and loop, which the page shows in more languages. */
function renderFor(text: string, address: string, skipStart: boolean): RenderedDocument {
  const kept = skipStart ? withoutSection(text, 'Quick start') : text;
  const rendered = renderMarkdown(kept, (code) => code.replace(WRITTEN_ADDRESS, address));
  if (!skipStart) return rendered;
  const start = { id: 'quick-start', title: 'Quick start' };
  return { ...rendered, sections: [start, ...rendered.sections, { id: LOOPS.id, title: LOOPS.title }] };
}

function withoutSection(text: string, title: string): string {
  const start = text.indexOf(`\n## ${title}\n`);
  if (start === -1) return text;
  const end = text.indexOf('\n## ', start + 1);
  return text.slice(0, start) + (end === -1 ? '' : text.slice(end));
}
