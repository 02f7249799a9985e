// The reference: every endpoint, parameter, answer, error and shape of the OpenAPI document.

import { KINDS, type Kind } from '../../model/record.ts';
import { SEARCH_PATHS } from '../addresses.ts';
import { exampleBlock, exampleRequest, LANGUAGES } from './api-examples.ts';
import { EXAMPLE_QUERY } from './docs-page.ts';
import { type Html, html } from './html.ts';
import type { RenderedDocument } from './markdown.ts';
import { code, type Schema, schemaId, schemaTable, shape, table, withCode } from './reference-schema.ts';

/** The parts of the document that we read. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly responses?: Readonly<Record<string, Answer>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

interface Answer {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema?: Schema }>>;
  readonly content?: Readonly<Record<string, Media>>;
  readonly links?: Readonly<Record<string, { readonly description?: string }>>;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

interface Endpoint {
  readonly id: string;
  /** `GET`; `GET, HEAD` if both are in the document. */
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** In the form of a page of the documentation. */
export function referenceDocument(document: OpenApi, publicAddress: string): RenderedDocument {
  const endpoints = endpointsOf(document);
  const schemas = Object.entries(document.components.schemas ?? {});
  return {
    title: 'Reference',
    sections: [
      ...endpoints.map(({ id, operation, path }) => ({ id, title: operation.summary ?? path })),
      ...schemas.map(([name]) => ({ id: schemaId(name), title: name })),
    ],
    body: html`<p>Every parameter, answer and error, generated from <a href="/api/v1/openapi.json">openapi.json</a>. Every request needs a key: <code>Authorization: Bearer &lt;key&gt;</code>. Paging and the query language are explained in the <a href="/docs">documentation</a>.</p>
${endpoints.map((endpoint) => endpointSection(endpoint, publicAddress))}
${schemas.map(([name, schema]) => html`<h2 id="${schemaId(name)}">${name}</h2>${schema.description === undefined ? null : html`<p>${withCode(schema.description)}</p>`}${schemaTable(name, schema)}`)}`,
  };
}

/** HEAD takes the same request as GET, and is described with it. */
function endpointsOf({ paths }: OpenApi): Endpoint[] {
  return Object.entries(paths).flatMap(([path, { head, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId ?? `${method}${path.replaceAll(/[^a-z0-9]+/gi, '-')}`,
      method: method === 'get' && head !== undefined ? 'GET, HEAD' : method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function endpointSection({ id, method, path, operation }: Endpoint, publicAddress: string): Html {
  const { summary, description, parameters = [], responses = {}, security = [] } = operation;
  const kind = kindOf(path);
  return html`<h2 id="${id}">${summary ?? path}</h2>
<p class="endpoint"><b>${method}</b> <code>${path}</code>${security.length > 0 ? ' · with a key' : null}</p>
${description === undefined ? null : html`<p>${withCode(description)}</p>`}
${parameters.length === 0 ? null : html`<h3>Parameters</h3>${parameterTable(path, parameters)}`}
${kind === null ? null : html`<h3>Request</h3>${requestExamples(kind, publicAddress)}`}
<h3>Answers</h3>
${Object.entries(responses).map(([status, answer]) => answerSection(`${method} ${path}`, status, answer))}`;
}

/** The kind that an endpoint searches; null: it is not a search. */
function kindOf(path: string): Kind | null {
  return KINDS.find((kind) => SEARCH_PATHS[kind] === path) ?? null;
}

function parameterTable(path: string, parameters: readonly Parameter[]): Html {
  return table(
    `Parameters of ${path}`,
    ['Parameter', 'Type', 'Meaning'],
    parameters.map((parameter) => {
      const examples = examplesOf(parameter);
      return [
        html`<code>${parameter.name}</code> <small>${parameter.required ? 'required' : parameter.in === 'query' ? null : `in the ${parameter.in}`}</small>`,
        shape(parameter.schema ?? {}),
        html`${withCode(parameter.description ?? '')}${
          examples.length === 0
            ? null
            : html`<br><small>For example ${examples.map((example, at) => html`${at === 0 ? '' : ', '}${code(example)}`)}</small>`
        }`,
      ];
    }),
  );
}

function examplesOf({ example, examples, schema }: Parameter & Media): readonly unknown[] {
  if (example !== undefined) return [example];
  if (examples !== undefined) return Object.values(examples).map(({ value }) => value);
  return schema?.examples ?? [];
}

function requestExamples(kind: Kind, publicAddress: string): Html {
  return html`${LANGUAGES.map((language) => {
    const request = exampleRequest(language, { publicAddress, kind, query: EXAMPLE_QUERY });
    const title = kind === 'post' ? 'A search of posts' : 'A search of comments';
    return html`<details class="inner language"${language === 'curl' ? html` open` : null}><summary>${language}</summary>${exampleBlock(title, request, language)}</details>`;
  })}`;
}

function answerSection(endpoint: string, status: string, answer: Answer): Html {
  const { description, headers, content, links = {} } = answer;
  const named = Object.entries(headers ?? {});
  const media = Object.entries(content ?? {});
  return html`<details class="inner answer"${status === '200' ? html` open` : null}><summary><b>${status}</b> ${withCode(description ?? '')}</summary>
${media.map(([type, body]) => {
  const examples = Object.entries(body.examples ?? {});
  return html`<p><code>${type}</code>${body.schema === undefined ? null : html`: ${shape(body.schema)}`}</p>
${examples.map(([name, { value }]) => {
  const text = html`<pre tabindex="0" aria-label="Example of ${status} (${name}), ${endpoint}"><code>${JSON.stringify(value, null, 2)}</code></pre>`;
  return examples.length === 1
    ? text
    : html`<details class="inner"><summary>${code(name)}</summary>${text}</details>`;
})}`;
})}
${
  named.length === 0
    ? null
    : table(
        `Headers of ${status}, ${endpoint}`,
        ['Header', 'Meaning'],
        named.map(([name, { description: words, schema }]) => [
          html`<code>${name}</code>`,
          withCode(words ?? schema?.description ?? ''),
        ]),
      )
}
${Object.entries(links).map(([name, link]) => html`<p>Link ${code(name)}: ${withCode(link.description ?? '')}</p>`)}</details>`;
}
