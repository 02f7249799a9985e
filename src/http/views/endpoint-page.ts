// The page of one endpoint: words at the left, and at the right a request in each language and an answer.

import { COPIED_LANGUAGES } from './api-examples.ts';
import { endpointRequest } from './endpoint-examples.ts';
import { type Html, html } from './html.ts';
import { codeBlock, languageChoice, programs } from './language-tabs.ts';
import { headingOf, type RenderedDocument } from './markdown.ts';
import type { Answer, Endpoint, Parameter, Schemas } from './openapi-document.ts';
import { examplesOf } from './openapi-document.ts';
import {
  code,
  type FieldEntry,
  fieldList,
  properties,
  type Schema,
  schemaId,
  schemaNames,
  typeWords,
  withCode,
} from './reference-schema.ts';
import { isRunnable, runForm } from './run-form.ts';

export interface EndpointView {
  readonly endpoint: Endpoint;
  readonly schemas: Schemas;
  /** The page of the documentation that explains it; null: none. */
  readonly guide: { readonly path: string; readonly name: string } | null;
  readonly publicAddress: string;
  readonly isSignedIn: boolean;
}

export function endpointPage(view: EndpointView): RenderedDocument {
  const { endpoint, schemas, guide } = view;
  const { operation, method, path, title, needsKey } = endpoint;
  const { description, responses = {} } = operation;
  // Those that are required come first.
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
${Object.keys(others).length === 0 ? null : html`${headingOf(2, 'other-answers', 'Other answers')}<p><a href="/docs/errors">Errors</a> lists what goes wrong, and what to do.</p>${Object.entries(others).map(([status, answer]) => otherAnswer(`${method} ${path}`, status, answer))}`}
</div></div>`,
  };
}

function codeColumn({ endpoint, publicAddress, isSignedIn }: EndpointView): Html {
  const requests = COPIED_LANGUAGES.map(
    (language) => [language, endpointRequest(language, endpoint, publicAddress)] as const,
  );
  const bodies = Object.values(endpoint.operation.responses?.['200']?.content ?? {});
  const examples = bodies.flatMap(({ examples: named = {} }) => Object.entries(named));
  return html`${languageChoice()}
${programs(endpoint.title, new Map(requests))}
${isRunnable(endpoint) ? runForm(endpoint, isSignedIn) : null}
${examples.map(([name, { value }]) => answerExample(value, examples.length === 1 ? 'Example of an answer' : `Example of an answer: ${name}`))}`;
}

function answerExample(value: unknown, title: string): Html {
  return codeBlock(title, title, JSON.stringify(value, null, 2));
}

function parameterEntry(parameter: Parameter): FieldEntry {
  const { name, schema = {}, description = '', required = false } = parameter;
  return {
    ...{ id: `parameter-${name}`, name, schema, description },
    further: html`${required ? html` <small class="required">required</small>` : null}${parameter.in === 'query' ? null : html` <small>in the ${parameter.in}</small>`}`,
    // Those of a choice are among its values.
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

function otherAnswer(
  endpoint: string,
  status: string,
  { description = '', headers = {}, content = {} }: Answer,
): Html {
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
