// The documentation pages: guides from docs/, their search, the reference from the OpenAPI document, and running an
// endpoint from its page.

import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors.ts';
import {
  DOCS_SEARCH,
  endpointName,
  REFERENCE_PATH,
  RUN_PATH,
  readFirst,
  readPairs,
  requestAddress,
} from '../../http/addresses.ts';
import { addPageRead, type Visit } from '../../http/site/respond.ts';
import type { Guide, Site } from '../../http/site/site.ts';
import type { Frame, Page } from '../../http/views/layout.ts';
import { type RenderedDocument, renderMarkdown, slug } from './markdown.ts';
import { type Endpoint, endpointsOf, groupsOf, type OpenApi } from './openapi-document.ts';
import {
  type DocsPlace,
  docsPage,
  docsSearchPage,
  endpointPage,
  firstPage,
  isRunnable,
  referencePage,
} from './views.ts';

export function addPages(server: FastifyInstance, site: Site): void {
  addDocsPages(server, site);
  addReferencePages(server, site);
  addRunRoute(server, site);
  addDocsSearch(server, site);
}

function addDocsPages(server: FastifyInstance, site: Site): void {
  for (const guide of guidesOf(site)) {
    const { path, name } = guide;
    addPageRead(server, site, path, (visit) =>
      sendDocs(server, visit, {
        ...{ path, title: name },
        body: (frame) => {
          const { publicAddress } = frame;
          if (path !== GUIDES[0]!.path) return renderGuide(guideText(guide), publicAddress);
          // The page replaces the file's quick start by one in more languages.
          const text = withoutSection(guideText(guide), 'Quick start');
          const at = text.indexOf('\n## ');
          const [start, rest] = [text.slice(0, at), text.slice(at)].map((part) =>
            renderGuide(part, publicAddress),
          );
          return firstPage(start!, rest!, frame);
        },
      }),
    );
  }
}

const WRITTEN_ADDRESS = /http:\/\/127\.0\.0\.1:8080/g;

function renderGuide(text: string, address: string): RenderedDocument {
  return renderMarkdown(text, (code) => code.replace(WRITTEN_ADDRESS, address));
}

function withoutSection(text: string, title: string): string {
  const start = text.indexOf(`\n## ${title}\n`);
  if (start === -1) return text;
  const end = text.indexOf('\n## ', start + 1);
  return text.slice(0, start) + (end === -1 ? '' : text.slice(end));
}

function addDocsSearch(server: FastifyInstance, site: Site): void {
  let sections: readonly DocsPlace[] | null = null;
  addPageRead(server, site, DOCS_SEARCH, (visit) => {
    sections ??= guidesOf(site).flatMap((guide) => sectionsOf(guide.path, guide.name, guideText(guide)));
    const words = (readFirst(visit.here).get('query') ?? '').trim().slice(0, MAX_WORDS_CHARACTERS);
    const places = [...sections, ...referenceOf(server).endpoints.map(placeOf)];
    return sendDocs(server, visit, {
      ...{ path: DOCS_SEARCH, title: 'Search the documentation', isListed: false },
      body: () => docsSearchPage(words, found(places, words)),
    });
  });
}

const MAX_WORDS_CHARACTERS = 200;
const MAX_FOUND = 30;

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

function plain(markdown: string): string {
  return markdown
    .replace(/```\w*|^\|[-|]+\|$/gm, ' ')
    .replace(/\[([^\]]+)\]\([^)\s]+\)/g, '$1')
    .replace(/[`*|]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function placeOf({ page, title, path, operation }: Endpoint): DocsPlace {
  const { description, parameters = [] } = operation;
  const words = parameters.map((parameter) => `${parameter.name}: ${parameter.description}`);
  return { address: page, page: 'Reference', title, text: plain([path, description, ...words].join(' ')) };
}

function addReferencePages(server: FastifyInstance, site: Site): void {
  addPageRead(server, site, REFERENCE_PATH, (visit) =>
    sendDocs(server, visit, {
      ...{ path: REFERENCE_PATH, title: 'Reference' },
      body: () => referencePage(referenceOf(server).endpoints),
    }),
  );
  addPageRead(server, site, `${REFERENCE_PATH}/:endpoint`, (visit) => {
    const name = visit.parameter('endpoint');
    const { endpoints, document } = referenceOf(server);
    const endpoint = endpoints.find(({ path }) => endpointName(path) === name);
    if (endpoint === undefined) {
      throw new ServiceError('not_found', 'expected the name of an endpoint, found another');
    }
    return sendDocs(server, visit, {
      ...{ path: endpoint.page, title: endpoint.title },
      body: (frame) =>
        endpointPage({
          ...{ endpoint, guide: guideTo(site, name), frame },
          schemas: document.components.schemas ?? {},
        }),
    });
  });
}

/**
 * Redirects the form of an endpoint's page to the endpoint, which accepts the session instead of a key. Empty fields
 * other than `query` are dropped, since some parameters allow no empty value. Contract 25.32.
 */
function addRunRoute(server: FastifyInstance, site: Site): void {
  addPageRead(server, site, `${RUN_PATH}/:endpoint`, (visit) => {
    if (visit.viewer === null) return visit.redirectToSignIn();
    const name = visit.parameter('endpoint');
    const endpoint = referenceOf(server).endpoints.find(({ path }) => endpointName(path) === name);
    if (endpoint === undefined || !isRunnable(endpoint)) {
      throw new ServiceError(
        'not_found',
        'expected an endpoint that answers in JSON, found none by this name',
      );
    }
    const given = readPairs(visit.here)
      .map(({ name: field, value }) => [field, value] as const)
      .filter(([field, value]) => value !== '' || field === 'query');
    const isPart = ([field]: (typeof given)[number]) => endpoint.path.includes(`{${field}}`);
    const parts = Object.fromEntries(given.filter(isPart));
    const others = given.filter((one) => !isPart(one));
    return visit.redirect(requestAddress(endpoint.path, parts, others));
  });
}

function guidesOf({ features }: Site): readonly Guide[] {
  return [...GUIDES, ...features.flatMap(({ guides = [] }) => guides), ...LAST_GUIDES];
}

const GUIDES: readonly Guide[] = [
  { path: '/docs', file: 'api.md', name: 'API', endpoints: ['search', 'records'] },
  { path: '/docs/query-language', file: 'query-language.md', name: 'Query language' },
  {
    ...{ path: '/docs/analysis', file: 'analysis.md', name: 'Analyses' },
    endpoints: ['timeline', 'counts', 'explain', 'breakdown', 'compare'],
  },
];

const LAST_GUIDES: readonly Guide[] = [
  { path: '/docs/errors', file: 'errors.md', name: 'Errors' },
  { path: '/docs/limits', file: 'limits.md', name: 'Limits' },
  { path: '/docs/words', file: 'words.md', name: 'Words' },
];

function guideTo(site: Site, endpoint: string): Guide | null {
  return guidesOf(site).find(({ endpoints = [] }) => endpoints.includes(endpoint.split('-')[0]!)) ?? null;
}

function guideText({ file }: Guide): string {
  return readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8');
}

interface DocsPage {
  readonly path: string;
  readonly title: string;
  readonly isListed?: boolean;
  readonly body: (frame: Frame) => RenderedDocument;
}

function sendDocs(server: FastifyInstance, visit: Visit, { path, title, isListed = true, body }: DocsPage) {
  const { groups } = referenceOf(server);
  const page: Page = {
    ...{ title, canonical: path, isListed, section: 'docs', mainClass: 'wide manual' },
    main: docsPage({ document: body(visit.frame), guides: guidesOf(visit.site), groups, path }),
  };
  return visit.send(page);
}

type Reference = ReturnType<typeof readReference>;

const references = new WeakMap<FastifyInstance, Reference>();

function referenceOf(server: FastifyInstance): Reference {
  return references.getOrInsertComputed(server, readReference);
}

function readReference(server: FastifyInstance) {
  const document = server.swagger() as unknown as OpenApi;
  const endpoints = endpointsOf(document);
  return { document, endpoints, groups: groupsOf(endpoints) };
}
