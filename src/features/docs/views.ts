// The views of the documentation: navigation on the left, text in the middle, code on the right. The first page begins
// with a quick start and ends with a paging loop in three languages.

import { DOCS_SEARCH, leadingBack, REFERENCE_PATH, SEARCH_PATHS } from '../../http/addresses.ts';
import { counted } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Frame } from '../../http/views/layout.ts';
import {
  COPIED_LANGUAGES,
  exampleRequest,
  LANGUAGES,
  type Language,
  languageChoice,
  programs,
} from './api-examples.ts';
import { type RenderedDocument, slug } from './markdown.ts';
import { type Endpoint, type EndpointGroup, groupsOf, withCode } from './openapi-document.ts';

interface DocsView {
  readonly document: RenderedDocument;
  readonly guides: readonly { readonly path: string; readonly name: string }[];
  readonly groups: readonly EndpointGroup[];
  readonly path: string;
}

const LOOPS = { id: 'every-match-in-three-languages', title: 'Every match, in three languages' };

export const EXAMPLE_QUERY = 'cat,score:10';

export function docsPage(view: DocsView): Html {
  const { document } = view;
  return html`<div class="docs">${contents(view)}
<div class="prose"><h1>${document.title}</h1>
${document.body}
</div></div>`;
}

/** Collapsed behind a summary on narrow screens; the style sheet expands it on wide ones. */
function contents(view: DocsView): Html {
  const { document, guides, groups, path } = view;
  return html`<nav class="contents" aria-label="Documentation"><form class="docs-search" action="${DOCS_SEARCH}" role="search" aria-label="Documentation"><label class="unseen" for="docs-query">Search the documentation</label><input id="docs-query" name="query" type="search" placeholder="Search the docs" autocomplete="off"></form>
<details><summary>Contents: ${document.title}</summary>
<h2>Guides</h2><ul>${guides.map(({ path: to, name }) => entry(view, to, name))}</ul>
<h2><a href="${REFERENCE_PATH}"${current(path === REFERENCE_PATH)}>Reference</a></h2>${path === REFERENCE_PATH ? sectionList(document) : null}
${groups.map(({ name, rows }) => html`<h3>${name}</h3><ul>${rows.map((row) => endpointRow(view, row))}</ul>`)}
</details></nav>`;
}

function current(isHere: boolean): Html | null {
  return isHere ? html` aria-current="page"` : null;
}

function entry({ path, document }: DocsView, to: string, name: string): Html {
  return html`<li><a href="${to}"${current(to === path)}>${name}</a>${to === path ? sectionList(document) : null}</li>`;
}

function sectionList({ sections }: RenderedDocument): Html {
  return html`<ul class="sections">${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
}

function endpointRow({ path, document }: DocsView, row: readonly Endpoint[]): Html {
  const isHere = row.some(({ page }) => page === path);
  return html`<li>${row.map(({ page, path: written, title }, at) => {
    const name = at === 0 ? title : written.includes('/comments') ? 'comments' : title;
    const link = html`<a href="${page}"${name === title ? null : html` aria-label="${title}"`}${current(page === path)}>${name}</a>`;
    return at === 0 ? link : html` <span class="also"><span aria-hidden="true">·</span> ${link}</span>`;
  })}${isHere ? sectionList(document) : null}</li>`;
}

/** The first page: `start`, the quick start, the rest of the document, and the paging loops. */
export function firstPage(
  start: RenderedDocument,
  document: RenderedDocument,
  frame: Frame,
): RenderedDocument {
  return {
    title: start.title,
    sections: [{ id: 'quick-start', title: 'Quick start' }, ...document.sections, LOOPS],
    body: html`${start.body}${quickStart(frame)}${document.body}${loops(frame.publicAddress)}`,
  };
}

function quickStart({ publicAddress, viewer, entrance }: Frame): Html {
  const requests = COPIED_LANGUAGES.map(
    (language) =>
      [language, exampleRequest(language, { publicAddress, kind: 'post', query: EXAMPLE_QUERY })] as const,
  );
  return html`<div class="pair"><div class="words"><h2 id="quick-start">Quick start</h2>
<ol><li>${entrance === null ? null : html`${viewer === null ? keyOfVisitor(entrance) : html`<a href="${entrance.home.path}">Create a key</a> under ${entrance.home.name}`}; it is shown only once. `}The server’s operator can ${entrance === null ? null : 'also '}make one: <code>node bin/colloquy.mjs keys create --account you@example.org</code></li>
<li>Put it in an environment variable: <code>export COLLOQUY_KEY=clq_…</code></li>
<li>Send a request. For comments, the path ends in <code>/search/comments</code>.</li></ol></div>
<div class="code">${languageChoice()}${programs('A search of posts', new Map(requests))}</div></div>`;
}

function keyOfVisitor({ signIn, register, home }: NonNullable<Frame['entrance']>): Html {
  return html`<a href="${leadingBack(register, home.path)}">Register</a> or <a href="${leadingBack(signIn, home.path)}">sign in</a>, and create a key under ${home.name}`;
}

function loops(publicAddress: string): Html {
  const loop = LANGUAGES.map(
    (language) => [language, fetchEverything(language, publicAddress, EXAMPLE_QUERY)] as const,
  );
  return html`<div class="pair"><div class="words"><h2 id="${LOOPS.id}">${LOOPS.title}</h2>
<p>The complete loop from <a href="#fetching-everything">Fetching everything</a>. Each program prints one line per record.
R and DuckDB read an <a href="/docs/exporting">export</a>, which is every match in one file.</p></div>
<div class="code">${programs('Every match', new Map(loop))}</div></div>`;
}

/** A program that prints the id of every match, oldest first; for curl, a shell script that needs `jq`. */
export function fetchEverything(language: Language, publicAddress: string, query: string): string {
  const endpoint = publicAddress + SEARCH_PATHS.post;
  switch (language) {
    case 'curl':
      return `after=
while :; do
  page=$(curl --silent --fail-with-body --get '${endpoint}' \\
    -H "Authorization: Bearer $COLLOQUY_KEY" \\
    --data-urlencode 'query=${query}' \\
    --data-urlencode 'order_by=oldest' \\
    --data-urlencode 'limit=1000' \\
    --data-urlencode "after=$after") || { echo "$page" >&2; exit 1; }
  printf '%s' "$page" | jq -r '.data[].id'
  after=$(printf '%s' "$page" | jq -r '.sort_key[0][0] // empty')
  [ -n "$after" ] || break
done`;
    case 'Python':
      return `import json, os, urllib.parse, urllib.request

after = ""
while True:
    search = urllib.parse.urlencode({
        "query": ${JSON.stringify(query)}, "order_by": "oldest", "limit": 1000, "after": after,
    })
    request = urllib.request.Request(
        "${endpoint}?" + search,
        headers={"Authorization": "Bearer " + os.environ["COLLOQUY_KEY"]},
    )
    page = json.load(urllib.request.urlopen(request))
    for record in page["data"]:
        print(record["id"])
    if not page["sort_key"]:
        break
    after = page["sort_key"][0][0]`;
    case 'JavaScript':
      return `import { env } from 'node:process';

let after = '';
do {
  const search = new URLSearchParams({
    query: ${JSON.stringify(query)}, order_by: 'oldest', limit: '1000', after,
  });
  const response = await fetch('${endpoint}?' + search, {
    headers: { Authorization: 'Bearer ' + env.COLLOQUY_KEY },
  });
  const page = await response.json();
  if (!response.ok) throw new Error(page.code + ': ' + page.detail);
  for (const record of page.data) console.log(record.id);
  after = page.sort_key[0]?.[0] ?? '';
} while (after !== '');`;
  }
}

export interface DocsPlace {
  readonly address: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** Results of a search in the documentation. `words`: as typed; empty: no search yet. */
export function docsSearchPage(words: string, places: readonly DocsPlace[]): RenderedDocument {
  return {
    title: 'Search the documentation',
    sections: [],
    body: html`<div class="words"><form class="wanted" action="${DOCS_SEARCH}"><label for="docs-words">Words</label><input id="docs-words" name="query" type="search" value="${words}"><button class="button primary">Search</button></form>
${words === '' ? null : html`<h2>${places.length === 0 ? html`No page has all of these words` : counted(places.length, 'place')}</h2>`}
${places.length === 0 ? null : html`<ol class="places">${places.map((place) => html`<li><a href="${place.address}">${place.title}</a> <small>${place.page}</small><p>${excerpt(place.text, words)}</p></li>`)}</ol>`}</div>`,
  };
}

const REACH = 90;

function excerpt(text: string, words: string): Html {
  const at = text.toLowerCase().indexOf(words.toLowerCase().split(/\s+/)[0]!);
  const from = Math.max(0, at - REACH);
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const part = text.slice(start, start + 2 * REACH).toWellFormed();
  return html`${start === 0 ? '' : '… '}${part}${start + 2 * REACH < text.length ? ' …' : ''}`;
}

/** The index of the reference: all endpoints by group, each with a short description. */
export function referencePage(endpoints: readonly Endpoint[]): RenderedDocument {
  const groups = groupsOf(endpoints);
  return {
    title: 'Reference',
    sections: groups.map(({ name }) => ({ id: slug(name), title: name })),
    body: html`<div class="words"><p>Every endpoint, each on a page of its own, with its parameters, its answers and a request in five languages. All of it is generated from <a href="/api/v1/openapi.json">openapi.json</a>, an OpenAPI 3.1 document that your tools can read too.</p>
${groups.map(groupSection)}</div>`,
  };
}

function groupSection({ name, rows }: EndpointGroup) {
  return html`<h2 id="${slug(name)}">${name}</h2>
<dl class="endpoints">${rows.map(
    ([first, ...others]) =>
      html`<div>${[first!, ...others].map(
        ({ id, page, method, path, title }) =>
          html`<dt id="${id}"><a href="${page}">${title}</a> <small><b>${method}</b> <code>${path}</code></small></dt>`,
      )}<dd>${withCode(firstSentence(first!.operation.description ?? ''))}</dd></div>`,
  )}</dl>`;
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replace(/:$/, '.') ?? text;
}
