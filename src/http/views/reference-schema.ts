// Shapes of the OpenAPI document in words: types, limits, tables of properties.

import { type Html, html } from './html.ts';

/** The parts of a JSON Schema that we read. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** The id of the section of a named schema. */
export function schemaId(name: string): string {
  return `schema-${name}`;
}

/** `array of Post`, with a link; `integer or string`. */
function typeWords(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!;
    return html`<a href="#${schemaId(name)}">${name}</a>`;
  }
  if (schema.const !== undefined) return code(schema.const);
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return joined(either.map(typeWords), ' or ');
  if (schema.type === 'array') return html`array of ${typeWords(schema.items ?? {})}`;
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any']);
  return html`${types.join(' or ')}`;
}

/** What a value must be beyond its type; null: nothing. */
export function limitWords({ enum: values, minimum, maximum, maxLength, pattern }: Schema): Html | null {
  const parts: Html[] = [];
  if (values !== undefined)
    parts.push(
      html`one of ${joined(
        values.map((value) => (value === '' ? html`empty` : code(value))),
        ', ',
      )}`,
    );
  if (minimum !== undefined && maximum !== undefined) {
    parts.push(html`${numeral(minimum)} to ${numeral(maximum)}`);
  } else if (minimum !== undefined) parts.push(html`${numeral(minimum)} or more`);
  else if (maximum !== undefined) parts.push(html`${numeral(maximum)} or less`);
  if (maxLength !== undefined) parts.push(html`at most ${numeral(maxLength)} characters`);
  if (pattern !== undefined) parts.push(html`as ${code(pattern)}`);
  return parts.length === 0 ? null : joined(parts, '; ');
}

/** Type, limits and default, each on a line. */
export function shape(schema: Schema): Html {
  const limits = limitWords(schema);
  return html`${typeWords(schema)}${limits === null ? null : html`<br><small>${limits}</small>`}${
    schema.default === undefined ? null : html`<br><small>default ${code(schema.default)}</small>`
  }`;
}

/** The properties of an object, or the shape of anything else. */
export function schemaTable(name: string, schema: Schema): Html {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return html`<p>${shape(schema)}</p>`;
  const { required = [] } = schema;
  return table(
    `Fields of ${name}`,
    ['Field', 'Type', 'Meaning'],
    properties.map(([field, property]) => [
      html`<code>${field}</code>${required.includes(field) ? null : html` <small>not always present</small>`}`,
      shape(property),
      withCode(property.description ?? ''),
    ]),
  );
}

/** The first cell of a row is its heading. */
export function table(label: string, heads: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows.map(([first, ...rest]) => html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
</tbody></table></div>`;
}

/** A description, with text in backticks as code. */
export function withCode(text: string): Html {
  const pieces = text.split('`');
  return html`${pieces.map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

export function code(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}

function numeral(value: number): string {
  return value.toLocaleString('en-US');
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, at) => (at === 0 ? part : html`${separator}${part}`))}`;
}
