// Reads the OpenAPI document for the reference: groups its endpoints, and describes schemas by their types, limits and
// fields.

import { endpointPage } from '../../http/addresses.ts';
import { count } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';

/** What `@fastify/swagger` makes of our schemas, as far as it is read here. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly get: Operation; readonly head?: Operation }>>;
  readonly components: { readonly schemas?: Schemas };
}

export type Schemas = Readonly<Record<string, Schema>>;

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  /** Absent: none. */
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Answer>> & { readonly 200: Answer };
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface Answer {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly description: string }>>;
  readonly content?: Readonly<Record<string, Media>>;
  readonly links?: Readonly<Record<string, { readonly description: string }>>;
}

interface Media {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export type Endpoint = ReturnType<typeof endpointsOf>[number];

/** In the order of the document. `method`: `GET`; `GET, HEAD` if both are in the document. */
export function endpointsOf({ paths }: OpenApi) {
  return Object.entries(paths).map(([path, { get: operation, head }]) => ({
    ...{ path, page: endpointPage(path), title: operation.summary, operation },
    method: head === undefined ? 'GET' : 'GET, HEAD',
    needsKey: operation.security.length > 0,
  }));
}

export interface EndpointGroup {
  readonly name: string;
  readonly rows: readonly (readonly Endpoint[])[];
}

const GROUP_NAMES = {
  search: 'Search and read',
  analysis: 'Analyses',
  export: 'Exports',
  datasets: 'Data sets',
  service: 'Service',
};

/** Groups by tag, in the order of GROUP_NAMES. */
export function groupsOf(endpoints: readonly Endpoint[]): EndpointGroup[] {
  return Object.entries(GROUP_NAMES).flatMap(([tag, name]) => {
    const ofTag = endpoints.filter(({ operation }) => operation.tags[0] === tag);
    const rows = Map.groupBy(ofTag, ({ path }) => path.replace(/\/(?:posts|comments)(?=\/|$)/, '/…'));
    return ofTag.length === 0 ? [] : [{ name, rows: [...rows.values()] }];
  });
}

export function examplesOf({ example, examples = {} }: Parameter): unknown[] {
  return example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
}

export function answerTypes({ operation }: Endpoint): string[] {
  return Object.keys(operation.responses[200].content ?? {});
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

export function schemaId(name: string): string {
  return `schema-${name}`;
}

/** `array of Post`, with a link; `integer or string`. */
export function typeWords(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!;
    return html`<a href="#${schemaId(name)}"><code>${name}</code></a>`;
  }
  if (schema.const !== undefined) return code(schema.const);
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeWords), ' or ');
  if (schema.type === 'array') return html`array of ${typeWords(schema.items ?? {})}`;
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any']);
  return html`${types.join(' or ')}`;
}

/** Longer patterns are left out, since nobody can read them; the description explains them. */
const MAX_PATTERN = 40;

/** The constraints on a value besides its type; null if there are none. */
function limitWords({ enum: values, minimum, maximum, maxLength, pattern }: Schema): Html | null {
  const parts: Html[] = [];
  if (values !== undefined)
    parts.push(
      html`one of ${joined(
        values.map((value) => (value === '' ? html`empty` : code(value))),
        ', ',
      )}`,
    );
  if (minimum !== undefined && maximum !== undefined) {
    parts.push(html`${count(minimum)} to ${count(maximum)}`);
  } else if (minimum !== undefined) parts.push(html`${count(minimum)} or more`);
  else if (maximum !== undefined) parts.push(html`${count(maximum)} or less`);
  if (maxLength !== undefined) parts.push(html`at most ${count(maxLength)} characters`);
  if (pattern !== undefined && pattern.length <= MAX_PATTERN) parts.push(html`as ${code(pattern)}`);
  return parts.length === 0 ? null : joined(parts, '; ');
}

function limitLines(schema: Schema): Html {
  const words = limitWords(schema);
  return html`${words === null ? null : html`<br><small>${words}</small>`}${
    schema.default === undefined ? null : html`<br><small>default ${code(schema.default)}</small>`
  }`;
}

/** An entry of a list of parameters or fields. `further` follows the name and type. */
export interface FieldEntry {
  readonly name: string;
  readonly schema: Schema;
  readonly id?: string;
  readonly description?: string;
  readonly further?: Html | null;
  readonly examples?: readonly unknown[];
}

export function fieldList(entries: readonly FieldEntry[]): Html {
  return html`<dl class="fields">${entries.map(fieldEntry)}</dl>`;
}

function fieldEntry({ name, schema, id, description, further = null, examples = [] }: FieldEntry): Html {
  const inner = innerSchema(schema);
  return html`<div${id === undefined ? null : html` id="${id}"`}><dt><code>${name}</code> <small>${typeWords(schema)}</small>${further}</dt>
<dd>${withCode(description ?? schema.description ?? '')}${limitLines(schema)}${
    examples.length === 0 ? null : html`<br><small>For example ${joined(examples.map(code), ', ')}</small>`
  }${inner === null ? null : html`<details class="inner"><summary>Fields of ${code(name)}</summary>${properties(inner)}</details>`}</dd></div>`;
}

/** The anonymous object schema of a field, or of its items; null if there is none. */
function innerSchema(schema: Schema): Schema | null {
  if (schema.properties !== undefined) return schema;
  const { items, anyOf = [] } = schema;
  for (const part of items === undefined ? anyOf : [items, ...anyOf]) {
    const inner = innerSchema(part);
    if (inner !== null) return inner;
  }
  return null;
}

export function properties(schema: Schema): Html {
  const named = Object.entries(schema.properties ?? {});
  if (named.length === 0) return html`<p>${typeWords(schema)}${limitLines(schema)}</p>`;
  const required = schema.required ?? [];
  return fieldList(
    named.map(([name, property]) => ({
      ...{ name, schema: property },
      further: required.includes(name) ? null : html` <small>not always present</small>`,
    })),
  );
}

/** Names of all schemas that a value refers to, directly or not, outermost first. */
export function schemaNames(value: unknown, schemas: Readonly<Record<string, Schema>>): string[] {
  const found = new Set<string>();
  collect(value);
  return [...found];

  function collect(part: unknown): void {
    if (typeof part !== 'object' || part === null) return;
    for (const [key, inner] of Object.entries(part)) {
      if (key === 'examples') continue;
      if (key !== '$ref' || typeof inner !== 'string') collect(inner);
      else {
        const name = inner.split('/').at(-1)!;
        if (found.has(name)) continue;
        found.add(name);
        collect(schemas[name]);
      }
    }
  }
}

export function withCode(text: string): Html {
  const pieces = text.split('`');
  return html`${pieces.map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

export function code(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, at) => (at === 0 ? part : html`${separator}${part}`))}`;
}
