// The current search as a link and as example programs for posts and comments. Tests run every program.

import { analysisPath, endpointAddress, LIST_NAMES, SEARCH_PATHS } from '../../http/addresses.ts';
import type { ResultsFound, ResultsPart } from '../../http/site/site.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Order } from '../../model/pages.ts';
import type { Kind } from '../../model/record.ts';
import { parameterString } from '../../operation/parameters.ts';

/** Languages whose programs fetch the first page of a search. */
export const LANGUAGES = ['curl', 'Python', 'JavaScript'] as const;

/** Adds the languages whose programs read every match as a table. */
export const COPIED_LANGUAGES = ['curl', 'Python', 'R', 'DuckDB', 'JavaScript'] as const;

export type Language = (typeof LANGUAGES)[number];

export type CopiedLanguage = (typeof COPIED_LANGUAGES)[number];

interface ExampleRequest {
  /** The public URL of the server, without a final slash. */
  readonly publicAddress: string;
  readonly kind: Kind;
  readonly query: string;
  /** Only for comments: a query that their post must match; absent or null: any post. */
  readonly under?: string | null;
  /** Absent: newest first. */
  readonly order?: Order;
}

/**
 * A complete program; for curl and DuckDB, shell commands. curl, Python and JavaScript print the response of a search;
 * R and DuckDB load every match as a table and print the number of rows. The API key comes from the environment
 * variable `COLLOQUY_KEY`.
 */
export function exampleRequest(language: CopiedLanguage, request: ExampleRequest): string {
  const { publicAddress, kind, query, order = 'newest' } = request;
  const under = kind === 'comment' ? (request.under ?? null) : null;
  const asked = { query, ...(under !== null && { under }) };
  const endpoint = publicAddress + SEARCH_PATHS[kind];
  const isOrdered = order !== 'newest';
  const name = LIST_NAMES[kind];
  const table = (format: string) =>
    `${publicAddress}${analysisPath('export', kind)}?${parameterString({ ...asked, order_by: order, format })}`;
  switch (language) {
    case 'curl':
      return `curl '${publicAddress}${endpointAddress(kind, { ...asked, ...(isOrdered && { order_by: order }) })}' \\
  -H "Authorization: Bearer $COLLOQUY_KEY" \\
  -H "Accept: application/json"`;
    case 'Python':
      return `import json, os, urllib.parse, urllib.request

query = ${literal(query)}
request = urllib.request.Request(
    "${endpoint}?" + urllib.parse.urlencode({"query": query${under === null ? '' : `, "under": ${literal(under)}`}${isOrdered ? `, "order_by": "${order}"` : ''}}),
    headers={
        "Authorization": "Bearer " + os.environ["COLLOQUY_KEY"],
        "Accept": "application/json",
    },
)
page = json.load(urllib.request.urlopen(request))
print(page["total_count"], len(page["data"]))`;
    case 'R':
      return `address <- "${table('csv')}"
key <- paste("Bearer", Sys.getenv("COLLOQUY_KEY"))
${name} <- read.csv(
  url(address, headers = c(Authorization = key), encoding = "UTF-8"),
  colClasses = "character"
)
print(nrow(${name}))`;
    case 'DuckDB':
      return `curl --fail '${table('parquet')}' \\
  -H "Authorization: Bearer $COLLOQUY_KEY" \\
  -o ${name}.parquet
duckdb -c "SELECT count(*) FROM '${name}.parquet'"`;
    case 'JavaScript':
      return `import { env } from 'node:process';

const query = ${literal(query)};
const response = await fetch(
  '${endpoint}?' + new URLSearchParams({ query${under === null ? '' : `, under: ${literal(under)}`}${isOrdered ? `, order_by: '${order}'` : ''} }),
  {
    headers: {
      Authorization: 'Bearer ' + env.COLLOQUY_KEY,
      Accept: 'application/json',
    },
  },
);
const page = await response.json();
console.log(page.total_count, page.data.length);`;
  }
}

/** A string literal of Python and JavaScript; escapes invisible characters, so that nobody copies one unseen. */
function literal(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The "Copy as" panel beside the results; contains no API key. */
export function copyPanel({ address, frame, query, under, order }: ResultsFound): ResultsPart {
  const search = { publicAddress: frame.publicAddress, query, under, order };
  const beside = html`<details class="panel"><summary><h2>Copy as</h2></summary>
<p class="hint" id="copy">This search as a link to share and as code. <a href="/docs">API documentation</a></p>
<details class="inner" name="language"><summary>Link</summary>
<div class="example"><h3>This page</h3><button type="button" class="copy" hidden data-copy aria-label="Copy link to this page">Copy</button><pre tabindex="0" aria-label="Link to this page"><code>${search.publicAddress}${address}</code></pre></div>
</details>
${COPIED_LANGUAGES.map(
  (
    language,
  ) => html`<details class="inner" name="language"${language === 'curl' ? html` open` : null}><summary>${language}</summary>
${exampleBlock('Posts', exampleRequest(language, { ...search, kind: 'post' }), language)}
${exampleBlock('Comments', exampleRequest(language, { ...search, kind: 'comment' }), language)}
</details>`,
)}</details>`;
  return { beside };
}

/** Code with a copy button, which the script reveals. */
function exampleBlock(title: string, code: string, language: string): Html {
  return html`<div class="example"><h3>${title}</h3><button type="button" class="copy" hidden data-copy aria-label="Copy ${title.toLowerCase()} example in ${language}">Copy</button><pre tabindex="0" aria-label="${title}, ${language}"><code>${code}</code></pre></div>`;
}

/**
 * Radio buttons that choose the language of all programs of a page; use once per page. The style sheet applies the
 * choice without script; the script keeps it across pages.
 */
export function languageChoice(): Html {
  return html`<fieldset class="languages" data-languages><legend>Language</legend>
${COPIED_LANGUAGES.map((language, at) => {
  const name = languageName(language);
  return html`<label><input type="radio" name="language" value="${name}" id="language-${name}"${at === 0 ? html` checked` : null}>${language}</label>`;
})}</fieldset>`;
}

/** The programs in the order of COPIED_LANGUAGES. A language without one names those that have one. */
export function programs(title: string, byLanguage: ReadonlyMap<CopiedLanguage, string>): Html {
  const names = [...byLanguage.keys()].join(', ');
  return html`<div class="programs">
${COPIED_LANGUAGES.map((language) => {
  const code = byLanguage.get(language);
  return html`<div class="program ${languageName(language)}">${code === undefined ? html`<p class="hint">${title}: in ${names}.</p>` : codeBlock(`${title}, ${language}`, language, code)}</div>`;
})}</div>`;
}

/** For ids and classes. */
function languageName(language: CopiedLanguage): string {
  return language.toLowerCase();
}

/** Code below a bar with its name and a copy button, which the script reveals. */
export function codeBlock(title: string, name: string, code: string): Html {
  return html`<div class="block"><p class="bar-of-code">${name}</p><button type="button" class="copy" hidden data-copy aria-label="Copy: ${title}">Copy</button><pre tabindex="0" aria-label="${title}"><code>${code}</code></pre></div>`;
}
