// The views of the documentation: navigation on the left, text in the middle, code on the right. The first page begins
// with a quick start and ends with a paging loop in three languages. The page of an endpoint has its description on the
// left, and on the right example requests, made from the OpenAPI document, and a response.

import { readFileSync } from 'node:fs';
import {
  DOCS_SEARCH,
  endpointPath,
  leadingBack,
  REFERENCE_PATH,
  requestAddress,
  runAddress,
} from '../../http/addresses.ts';
import { counted } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Frame } from '../../http/views/layout.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import {
  COPIED_LANGUAGES,
  type CopiedLanguage,
  codeBlock,
  exampleRequest,
  LANGUAGES,
  type Language,
  languageChoice,
  printJson,
  program,
  programs,
  saveAs,
} from './api-examples.ts';
import { headingOf, type RenderedDocument, slug } from './markdown.ts';
import {
  type Answer,
  answerTypes,
  code,
  type Endpoint,
  type EndpointGroup,
  examplesOf,
  type FieldEntry,
  fieldList,
  groupsOf,
  type Parameter,
  properties,
  type Schema,
  type Schemas,
  schemaId,
  schemaNames,
  typeWords,
  withCode,
} from './openapi-document.ts';

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

const EVERY_MATCH = new Map(
  LANGUAGES.map((language) => {
    const file = new URL(`every-match/${language.toLowerCase()}.txt`, import.meta.url);
    return [language, readFileSync(file, 'utf8').trimEnd()];
  }),
);

/** A program that prints the id of every match, oldest first; for curl, a shell script that needs `jq`. */
export function fetchEverything(language: Language, publicAddress: string, query: string): string {
  const values: Readonly<Record<string, string>> = {
    ...{ address: publicAddress, query, literal: JSON.stringify(query) },
  };
  return EVERY_MATCH.get(language)!.replace(/\{(address|query|literal)\}/g, (_, name) => values[name]!);
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
        ({ operation, page, method, path, title }) =>
          html`<dt id="${operation.operationId}"><a href="${page}">${title}</a> <small><b>${method}</b> <code>${path}</code></small></dt>`,
      )}<dd>${withCode(firstSentence(first!.operation.description))}</dd></div>`,
  )}</dl>`;
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replace(/:$/, '.') ?? text;
}

interface EndpointView {
  readonly endpoint: Endpoint;
  readonly schemas: Schemas;
  /** The guide that explains the endpoint; null if there is none. */
  readonly guide: { readonly path: string; readonly name: string } | null;
  readonly frame: Frame;
}

export function endpointPage(view: EndpointView): RenderedDocument {
  const { endpoint, schemas, guide } = view;
  const { operation, method, path, title, needsKey } = endpoint;
  const parameters = (operation.parameters ?? []).toSorted((a, b) => Number(b.required) - Number(a.required));
  const { 200: good, ...others } = operation.responses;
  const shapes = schemaNames(good, schemas);
  const hasFields = shapes.length > 0;
  return {
    title,
    sections: [
      ...(parameters.length === 0 ? [] : [{ id: 'parameters', title: 'Parameters' }]),
      { id: 'answer', title: 'Answer' },
      ...(hasFields ? [{ id: 'fields', title: 'Fields' }] : []),
      ...(Object.keys(others).length === 0 ? [] : [{ id: 'other-answers', title: 'Other answers' }]),
    ],
    body: html`<div class="pair whole"><div class="words">
<p class="endpoint"><b>${method}</b> <code>${path}</code></p>
<p>${withCode(operation.description)}</p>
<p>${needsKey ? html`Needs <a href="/docs#the-key">a key</a>.` : 'Needs no key.'}${guide === null ? null : html` More in the guide: <a href="${guide.path}">${guide.name}</a>.`}</p></div>
<div class="code">${codeColumn(view)}</div>
<div class="words rest">
${parameters.length === 0 ? null : html`${headingOf(2, 'parameters', 'Parameters')}${fieldList(parameters.map(parameterEntry))}`}
${headingOf(2, 'answer', 'Answer')}${answerWords(good)}
${hasFields ? html`${headingOf(2, 'fields', 'Fields')}${shapes.map((name) => shapeSection(name, schemas[name]!))}` : null}
${Object.keys(others).length === 0 ? null : html`${headingOf(2, 'other-answers', 'Other answers')}<p><a href="/docs/errors">Errors</a> lists faults and remedies.</p>${Object.entries(others).map(([status, answer]) => otherAnswer(`${method} ${path}`, status, answer))}`}
</div></div>`,
  };
}

function codeColumn({ endpoint, frame }: EndpointView): Html {
  const requests = COPIED_LANGUAGES.map(
    (language) => [language, endpointRequest(language, endpoint, frame.publicAddress)] as const,
  );
  const bodies = Object.values(endpoint.operation.responses[200].content ?? {});
  const examples = bodies.flatMap(({ examples: named = {} }) => Object.entries(named));
  return html`${languageChoice()}
${programs(endpoint.title, new Map(requests))}
${isRunnable(endpoint) ? runForm(endpoint, frame) : null}
${examples.map(([name, { value }]) => {
  const title = `Example of an answer${examples.length === 1 ? '' : `: ${name}`}`;
  return codeBlock(title, title, JSON.stringify(value, null, 2));
})}`;
}

function parameterEntry(parameter: Parameter): FieldEntry {
  const { name, schema, description, required } = parameter;
  return {
    ...{ id: `parameter-${name}`, name, schema, description },
    further: html`${required ? html` <small class="required">required</small>` : null}${parameter.in === 'query' ? null : html` <small>in the ${parameter.in}</small>`}`,
    // The allowed values of an enum are already listed.
    examples: schema.enum === undefined ? examplesOf(parameter).flat() : [],
  };
}

function answerWords({ description, content = {}, headers, links = {} }: Answer): Html {
  return html`<p><b>200</b> ${withCode(description)}</p>
<ul>${Object.entries(content).map(([type, { schema }]) => html`<li><code>${type}</code>: ${typeWords(schema)}</li>`)}</ul>
${headerList(headers)}
${Object.entries(links).map(([name, link]) => html`<p>Link ${code(name)}: ${withCode(link.description)}</p>`)}`;
}

function headerList(headers: Answer['headers']): Html {
  const named = Object.entries(headers);
  return html`<details class="inner"><summary>${String(named.length)} ${named.length === 1 ? 'header' : 'headers'}</summary><dl class="fields">${named.map(
    ([name, { description }]) =>
      html`<div><dt><code>${name}</code></dt><dd>${withCode(description)}</dd></div>`,
  )}</dl></details>`;
}

function shapeSection(name: string, schema: Schema): Html {
  return html`<h3 id="${schemaId(name)}"><code>${name}</code></h3>
${schema.description === undefined ? null : html`<p>${withCode(schema.description)}</p>`}
${properties(schema)}`;
}

function otherAnswer(endpoint: string, status: string, answer: Answer) {
  const { description, headers, content = {} } = answer;
  return html`<details class="inner answer" id="answer-${status}"><summary><b>${status}</b> ${withCode(description)}</summary>
${Object.entries(content).map(
  ([
    type,
    { schema, examples = {} },
  ]) => html`<p><code>${type}</code>${schema.$ref === undefined ? null : html`: <code>${schema.$ref.split('/').at(-1)!}</code>`}</p>
${Object.entries(examples).map(([name, { value }]) => html`<pre tabindex="0" aria-label="Example of ${status} (${name}), ${endpoint}"><code>${JSON.stringify(value, null, 2)}</code></pre>`)}`,
)}
${headerList(headers)}</details>`;
}

/** Whether the page offers to run the endpoint; responses that are files cannot be shown. */
export function isRunnable(endpoint: Endpoint): boolean {
  return endpoint.needsKey && answerTypes(endpoint).includes('application/json');
}

/**
 * The form that runs the endpoint for signed-in users. With script the response appears below the form; without, it
 * opens as a page.
 */
function runForm(endpoint: Endpoint, { viewer, entrance }: Frame): Html | null {
  const { path, page, title } = endpoint;
  if (viewer === null) {
    if (entrance === null) return null;
    return html`<p class="hint run"><a href="${leadingBack(entrance.signIn, page)}">Sign in</a> to run this request here, without a key.</p>`;
  }
  const { values, parts } = endpointExample(endpoint);
  const given: readonly ExampleValue[] = [...Object.entries(parts), ...values];
  const { parameters = [] } = endpoint.operation;
  const asked = parameters.filter((parameter) => parameter.in !== 'header');
  const first = asked.filter(({ required }) => required);
  const further = asked.filter(({ required }) => !required);
  return html`<form class="run" method="get" action="${runAddress(path)}" data-run aria-label="Run: ${title}">
${first.map((parameter) => fields(parameter, given))}
${further.length === 0 ? null : html`<details><summary>${first.length === 0 ? 'Parameters' : 'More parameters'}</summary>${further.map((parameter) => fields(parameter, given))}</details>`}
<p class="run-row"><button class="button primary">Run it</button><span class="hint">Counts as a request of your account.</span></p>
</form>`;
}

function fields(parameter: Parameter, given: readonly ExampleValue[]): Html {
  const values = given.filter(([name]) => name === parameter.name).map(([, value]) => value);
  return html`${(values.length === 0 ? [''] : values).map((value, at) => field(parameter, value, at))}`;
}

function field({ name, schema, required }: Parameter, value: string, at: number): Html {
  const id = `run-${name}${at === 0 ? '' : `-${at + 1}`}`;
  const label = html`<label for="${id}"><code>${name}</code>${at === 0 ? null : ` (${at + 1})`}</label>`;
  const choices = schema.enum?.filter((choice) => choice !== '');
  if (choices === undefined) {
    return html`<div class="run-field">${label}<input id="${id}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${required && name !== 'query' ? html` required` : null}></div>`;
  }
  return html`<div class="run-field">${label}<select id="${id}" name="${name}"><option value="">default</option>${choices.map((choice) => html`<option>${String(choice)}</option>`)}</select></div>`;
}

/** A parameter and its value; names may repeat. */
type ExampleValue = readonly [name: string, value: string];

function endpointExample({ path: written, operation: { parameters = [] } }: Endpoint) {
  const required = parameters.filter(({ required: isRequired }) => isRequired);
  const parts = Object.fromEntries(required.filter((parameter) => parameter.in === 'path').flatMap(valuesOf));
  const values = required.filter((parameter) => parameter.in === 'query').flatMap(valuesOf);
  const path = requestAddress(written, parts, []);
  return { values, parts, path, address: requestAddress(written, parts, values) };
}

/** All examples of a repeatable parameter; the first example of any other. */
function valuesOf(parameter: Parameter): ExampleValue[] {
  const examples = examplesOf(parameter).flat();
  const isMany = parameter.schema.type === 'array';
  return (isMany ? examples : examples.slice(0, 1)).map((value) => [parameter.name, String(value)]);
}

/**
 * A complete program that prints or saves the response; for curl and DuckDB, shell commands. The API key comes from the
 * environment variable `COLLOQUY_KEY`.
 */
function endpointRequest(language: CopiedLanguage, endpoint: Endpoint, publicAddress: string): string {
  const { values, address } = endpointExample(endpoint);
  const [, query] = values.find(([name]) => name === 'query') ?? [];
  const isTable = language === 'R' || language === 'DuckDB';
  const searched = kindAt('search', endpoint) ?? (isTable ? kindAt('export', endpoint) : null);
  if (searched !== null && query !== undefined) {
    return exampleRequest(language, {
      publicAddress,
      kind: searched,
      query,
      ...(isTable && { order: 'oldest' }),
    });
  }
  const file = fileOf(endpoint, address);
  const { needsKey } = endpoint;
  const request = { ...endpointExample(endpoint), publicAddress, needsKey };
  return program(language, request, file === null ? printJson(needsKey) : saveAs(file, needsKey));
}

function kindAt(name: string, { path }: Endpoint): Kind | null {
  return KINDS.find((kind) => endpointPath(name, kind) === path) ?? null;
}

/** The file name for a response that is saved; null if it is JSON, which is printed. */
function fileOf(endpoint: Endpoint, address: string): string | null {
  const types = answerTypes(endpoint);
  if (types.includes('application/json')) return null;
  if (types.includes('application/x-ndjson'))
    return `${/(posts|comments)/.exec(address)?.[0] ?? 'records'}.ndjson`;
  return address.split('/').at(-1)!;
}
