// Ready-made requests for the current query: both endpoints in curl, Python and JavaScript. Tests run each of them.

import type { Kind } from '../../model/record.ts';
import { endpointAddress, SEARCH_PATHS } from '../addresses.ts';
import { type Html, html } from './html.ts';

export const LANGUAGES = ['curl', 'Python', 'JavaScript'] as const;

export type Language = (typeof LANGUAGES)[number];

export interface ExampleRequest {
  /** The address at which people reach the server, without a final slash. */
  readonly publicAddress: string;
  readonly kind: Kind;
  readonly query: string;
}

/** A whole program (a command for curl) that prints the answer; the key comes from the environment, `API_KEY`. */
export function exampleRequest(language: Language, { publicAddress, kind, query }: ExampleRequest): string {
  const endpoint = publicAddress + SEARCH_PATHS[kind];
  switch (language) {
    case 'curl':
      return `curl '${publicAddress}${endpointAddress(kind, { query })}' \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Accept: application/json"`;
    case 'Python':
      return `import json, os, urllib.parse, urllib.request

query = ${literal(query)}
request = urllib.request.Request(
    "${endpoint}?" + urllib.parse.urlencode({"query": query}),
    headers={
        "Authorization": "Bearer " + os.environ["API_KEY"],
        "Accept": "application/json",
    },
)
page = json.load(urllib.request.urlopen(request))
print(page["total_count"], len(page["data"]))`;
    case 'JavaScript':
      return `import { env } from 'node:process';

const query = ${literal(query)};
const response = await fetch(
  '${endpoint}?' + new URLSearchParams({ query }),
  {
    headers: {
      Authorization: 'Bearer ' + env.API_KEY,
      Accept: 'application/json',
    },
  },
);
const page = await response.json();
console.log(page.total_count, page.data.length);`;
  }
}

/**
 * A text in quotes, as both languages read it; hidden characters are escaped, so that nobody copies one
 * unseen.
 */
function literal(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character.split('').map(escapeUnit).join(''),
  );
}

/** `unit`: one UTF-16 unit. */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The panel of examples beside the results. */
export function apiExamples(publicAddress: string, query: string): Html {
  return html`<details class="panel" open><summary><h2>API examples</h2></summary>
<p class="hint">The same search from a program. <a href="/docs">API documentation</a></p>
${LANGUAGES.map(
  (
    language,
  ) => html`<details class="inner" name="language"${language === 'curl' ? html` open` : null}><summary>${language}</summary>
${exampleBlock('Posts', exampleRequest(language, { publicAddress, kind: 'post', query }), language)}
${exampleBlock('Comments', exampleRequest(language, { publicAddress, kind: 'comment', query }), language)}
</details>`,
)}</details>`;
}

/** Code with a button to copy it; the button comes with the script. */
export function exampleBlock(title: string, code: string, language: string): Html {
  return html`<div class="example"><h3>${title}</h3><button type="button" class="copy" hidden data-copy aria-label="Copy ${title.toLowerCase()} example in ${language}">Copy</button><pre tabindex="0" aria-label="${title}, ${language}"><code>${code}</code></pre></div>`;
}
