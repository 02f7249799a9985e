// The page of one endpoint: description on the left, example requests and a response on the right.

import { analysisPath, leadingBack, requestAddress, runAddress } from '../../http/addresses.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Frame } from '../../http/views/layout.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import {
  COPIED_LANGUAGES,
  type CopiedLanguage,
  codeBlock,
  exampleRequest,
  languageChoice,
  printJson,
  program,
  programs,
  saveAs,
} from './api-examples.ts';
import { headingOf, type RenderedDocument } from './markdown.ts';
import {
  type Answer,
  answerTypes,
  code,
  type Endpoint,
  examplesOf,
  type FieldEntry,
  fieldList,
  type Parameter,
  properties,
  type Schema,
  type Schemas,
  schemaId,
  schemaNames,
  typeWords,
  withCode,
} from './openapi-document.ts';

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
  const { description, responses = {} } = operation;
  const parameters = (operation.parameters ?? []).toSorted(
    (a, b) => Number(b.required ?? false) - Number(a.required ?? false),
  );
  const { 200: good, ...others } = responses;
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
${description === undefined ? null : html`<p>${withCode(description)}</p>`}
<p>${needsKey ? html`Needs <a href="/docs#the-key">a key</a>.` : 'Needs no key.'}${guide === null ? null : html` More in the guide: <a href="${guide.path}">${guide.name}</a>.`}</p></div>
<div class="code">${codeColumn(view)}</div>
<div class="words rest">
${parameters.length === 0 ? null : html`${headingOf(2, 'parameters', 'Parameters')}${fieldList(parameters.map(parameterEntry))}`}
${good === undefined ? null : html`${headingOf(2, 'answer', 'Answer')}${answerWords(good)}`}
${hasFields ? html`${headingOf(2, 'fields', 'Fields')}${shapes.map((name) => shapeSection(name, schemas[name]!))}` : null}
${Object.keys(others).length === 0 ? null : html`${headingOf(2, 'other-answers', 'Other answers')}<p><a href="/docs/errors">Errors</a> lists faults and remedies.</p>${Object.entries(others).map(([status, answer]) => otherAnswer(`${method} ${path}`, status, answer))}`}
</div></div>`,
  };
}

function codeColumn({ endpoint, frame }: EndpointView): Html {
  const requests = COPIED_LANGUAGES.map(
    (language) => [language, endpointRequest(language, endpoint, frame.publicAddress)] as const,
  );
  const bodies = Object.values(endpoint.operation.responses?.['200']?.content ?? {});
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
  const { name, schema = {}, description = '', required = false } = parameter;
  return {
    ...{ id: `parameter-${name}`, name, schema, description },
    further: html`${required ? html` <small class="required">required</small>` : null}${parameter.in === 'query' ? null : html` <small>in the ${parameter.in}</small>`}`,
    // The allowed values of an enum are already listed.
    examples: schema.enum === undefined ? examplesOf(parameter).flat() : [],
  };
}

function answerWords({ description = '', content = {}, headers = {}, links = {} }: Answer): Html {
  const types = Object.entries(content);
  return html`<p><b>200</b> ${withCode(description)}</p>
${types.length === 0 ? null : html`<ul>${types.map(([type, { schema }]) => html`<li><code>${type}</code>${schema === undefined ? null : html`: ${typeWords(schema)}`}</li>`)}</ul>`}
${headerList(headers)}
${Object.entries(links).map(([name, link]) => html`<p>Link ${code(name)}: ${withCode(link.description ?? '')}</p>`)}`;
}

function headerList(headers: NonNullable<Answer['headers']>): Html | null {
  const named = Object.entries(headers);
  if (named.length === 0) return null;
  return html`<details class="inner"><summary>${String(named.length)} ${named.length === 1 ? 'header' : 'headers'}</summary><dl class="fields">${named.map(
    ([name, { description, schema }]) =>
      html`<div><dt><code>${name}</code></dt><dd>${withCode(description ?? schema?.description ?? '')}</dd></div>`,
  )}</dl></details>`;
}

function shapeSection(name: string, schema: Schema): Html {
  return html`<h3 id="${schemaId(name)}"><code>${name}</code></h3>
${schema.description === undefined ? null : html`<p>${withCode(schema.description)}</p>`}
${properties(schema)}`;
}

function otherAnswer(endpoint: string, status: string, answer: Answer) {
  const { description = '', headers = {}, content = {} } = answer;
  return html`<details class="inner answer" id="answer-${status}"><summary><b>${status}</b> ${withCode(description)}</summary>
${Object.entries(content).map(
  ([
    type,
    { schema, examples = {} },
  ]) => html`<p><code>${type}</code>${schema?.$ref === undefined ? null : html`: <code>${schema.$ref.split('/').at(-1)!}</code>`}</p>
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

/** One field per value, at least one. */
function fields(parameter: Parameter, given: readonly ExampleValue[]): Html {
  const values = given.filter(([name]) => name === parameter.name).map(([, value]) => value);
  return html`${(values.length === 0 ? [''] : values).map((value, at) => field(parameter, value, at))}`;
}

function field({ name, schema = {}, required }: Parameter, value: string, at: number): Html {
  const id = `run-${name}${at === 0 ? '' : `-${at + 1}`}`;
  const label = html`<label for="${id}"><code>${name}</code>${at === 0 ? null : ` (${at + 1})`}</label>`;
  const choices = schema.enum?.filter((choice) => choice !== '');
  if (choices === undefined) {
    return html`<div class="run-field">${label}<input id="${id}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${required && name !== 'query' ? html` required` : null}></div>`;
  }
  return html`<div class="run-field">${label}<select id="${id}" name="${name}"><option value="">default</option>${choices.map((choice) => html`<option>${String(choice)}</option>`)}</select></div>`;
}

// Example programs for every endpoint in each language, made from the examples of the OpenAPI document. Tests run them.

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
  const isMany = parameter.schema?.type === 'array';
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
  return KINDS.find((kind) => analysisPath(name, kind) === path) ?? null;
}

/** The file name for a response that is saved; null if it is JSON, which is printed. */
function fileOf(endpoint: Endpoint, address: string): string | null {
  const types = answerTypes(endpoint);
  if (types.includes('application/json')) return null;
  if (types.includes('application/x-ndjson'))
    return `${/(posts|comments)/.exec(address)?.[0] ?? 'records'}.ndjson`;
  return address.split('/').at(-1)!;
}
