// A page of the documentation; the first one begins with a quick start and ends with a loop in three
// languages.

import { KEYS_PATH, registerAddress, SEARCH_PATHS, signInAddress } from '../addresses.ts';
import { exampleBlock, exampleRequest, LANGUAGES, type Language } from './api-examples.ts';
import { type Html, html } from './html.ts';
import type { RenderedDocument } from './markdown.ts';

export interface DocsView {
  readonly document: RenderedDocument;
  readonly documents: readonly { readonly path: string; readonly name: string }[];
  /** Of this page. */
  readonly path: string;
  readonly publicAddress: string;
  readonly isSignedIn: boolean;
}

export const LOOPS = { id: 'every-match-in-three-languages', title: 'Every match, in three languages' };

/** The query in the examples. */
export const EXAMPLE_QUERY = 'cat,score:10';

export function docsPage(view: DocsView): Html {
  const { document, documents, path } = view;
  const isFirst = path === documents[0]!.path;
  return html`<div class="docs"><nav class="contents" aria-label="Documentation"><ul>
${documents.map(
  (entry) =>
    html`<li><a href="${entry.path}"${entry.path === path ? html` aria-current="page"` : null}>${entry.name}</a>${
      entry.path === path
        ? html`<ul>${document.sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`
        : null
    }</li>`,
)}
<li><a href="/api/v1/openapi.json">openapi.json</a></li></ul></nav>
<div class="prose"><h1>${document.title}</h1>
${isFirst ? quickStart(view) : null}
${document.body}
${isFirst ? loops(view) : null}
</div></div>`;
}

function quickStart({ publicAddress, isSignedIn }: DocsView): Html {
  return html`<h2 id="quick-start">Quick start</h2>
<ol><li>${isSignedIn ? html`<a href="${KEYS_PATH}">Create a key</a> under My API` : html`<a href="${registerAddress(KEYS_PATH)}">Register</a> or <a href="${signInAddress(KEYS_PATH)}">sign in</a>, and create a key under My API`}; it is shown only once. The server’s operator can also make one: <code>node bin/colloquy.mjs keys create --account you@example.org</code></li>
<li>Put it in an environment variable: <code>export API_KEY=clq_…</code></li>
<li>Send a request:</li></ol>
${LANGUAGES.map((language) => languageBlock(language, exampleRequest(language, { publicAddress, kind: 'post', query: EXAMPLE_QUERY }), 'A search of posts'))}
<p>For comments, the path ends in <code>/search/comments</code>.</p>`;
}

function loops({ publicAddress }: DocsView): Html {
  return html`<h2 id="${LOOPS.id}">${LOOPS.title}</h2>
<p>The complete loop from <a href="#fetching-everything">Fetching everything</a>.
Each program prints one line per record.</p>
${LANGUAGES.map((language) => languageBlock(language, fetchEverything(language, publicAddress, EXAMPLE_QUERY), 'Every match'))}`;
}

function languageBlock(language: Language, code: string, title: string): Html {
  return html`<details class="inner language"${language === 'curl' ? html` open` : null}><summary>${language}</summary>${exampleBlock(title, code, language)}</details>`;
}

/** A program that prints the id of every match, oldest first; for curl a shell script that needs `jq`. */
export function fetchEverything(language: Language, publicAddress: string, query: string): string {
  const endpoint = publicAddress + SEARCH_PATHS.post;
  switch (language) {
    case 'curl':
      return `after=
while :; do
  page=$(curl --silent --fail-with-body --get '${endpoint}' \\
    -H "Authorization: Bearer $API_KEY" \\
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
        headers={"Authorization": "Bearer " + os.environ["API_KEY"]},
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
    headers: { Authorization: 'Bearer ' + env.API_KEY },
  });
  const page = await response.json();
  if (!response.ok) throw new Error(page.code + ': ' + page.detail);
  for (const record of page.data) console.log(record.id);
  after = page.sort_key[0]?.[0] ?? '';
} while (after !== '');`;
  }
}
