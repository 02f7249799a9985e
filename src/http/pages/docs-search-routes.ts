// Search in the documentation: sections of the guides and pages of endpoints that have all the words.

import type { FastifyInstance } from 'fastify';
import { DOCS_SEARCH } from '../addresses/docs.ts';
import { readFirst } from '../addresses/written.ts';
import { addPageRead } from '../site/page-paths.ts';
import type { Site } from '../site/respond.ts';
import { docsSearchPage } from '../views/docs-search-page.ts';
import { slug } from '../views/markdown.ts';
import type { Endpoint } from '../views/openapi-document.ts';
import { referenceOf, sendDocs } from './docs-frame.ts';
import { GUIDES, guideText } from './guides.ts';

/** A place in the documentation that can be found. */
export interface DocsPlace {
  readonly address: string;
  /** The page that it is on. */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const MAX_WORDS_CHARACTERS = 200;
const MAX_FOUND = 30;

export function addDocsSearch(server: FastifyInstance, site: Site): void {
  const sections = GUIDES.flatMap((guide) => sectionsOf(guide.path, guide.name, guideText(guide)));
  addPageRead(server, DOCS_SEARCH, (request, reply) => {
    const words = (readFirst(request.raw.url ?? '').get('q') ?? '').trim().slice(0, MAX_WORDS_CHARACTERS);
    const places = [...sections, ...referenceOf(server).endpoints.map(placeOf)];
    return sendDocs({ server, site }, request, reply, {
      ...{ path: DOCS_SEARCH, title: 'Search the documentation', isListed: false },
      body: () => docsSearchPage(words, found(places, words)),
    });
  });
}

/** Titles first, then in the order of the navigation. At most MAX_FOUND. */
function found(places: readonly DocsPlace[], written: string): DocsPlace[] {
  const words = written
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  const isIn = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const named = places.filter(({ title }) => isIn(title));
  const others = places.filter((place) => !named.includes(place) && isIn(`${place.title} ${place.text}`));
  return [...named, ...others].slice(0, MAX_FOUND);
}

/** The sections of a file, and what stands before the first one. */
function sectionsOf(path: string, page: string, text: string): DocsPlace[] {
  const [head = '', ...sections] = text.split(/^##+ /m);
  const first = { address: path, page, title: page, text: plain(head.replace(/^# .*$/m, '')) };
  return [
    first,
    ...sections.map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return { address: `${path}#${slug(title)}`, page, title: plain(title), text: plain(lines.join('\n')) };
    }),
  ];
}

/** The words of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replace(/```\w*|^\|[-|]+\|$/gm, ' ')
    .replace(/\[([^\]]+)\]\([^)\s]+\)/g, '$1')
    .replace(/[`*|]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function placeOf({
  page,
  title,
  path,
  operation: { description = '', parameters = [] },
}: Endpoint): DocsPlace {
  const words = parameters.map((parameter) => `${parameter.name}: ${parameter.description ?? ''}`);
  return { address: page, page: 'Reference', title, text: plain([path, description, ...words].join(' ')) };
}
